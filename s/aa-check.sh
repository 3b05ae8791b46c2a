#!/bin/sh
# Compares identical cases with themselves and fails when more than 5 % are called different; installs what it needs first.
set -eu
cd "$(dirname "$0")/.."
. ./s/setup.sh
exec node test/aa-check.js
