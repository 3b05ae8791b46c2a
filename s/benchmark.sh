#!/bin/sh
# Runs the main benchmark; installs what it needs first. Arguments are those of `sentinel-bench run`.
set -eu
cd "$(dirname "$0")/.."
. ./s/setup.sh
exec npm run benchmark -- "$@"
