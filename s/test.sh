#!/bin/sh
# Runs all tests; installs what they need first. Arguments are those of `npm test`.
set -eu
cd "$(dirname "$0")/.."
. ./s/setup.sh
exec npm test -- "$@"
