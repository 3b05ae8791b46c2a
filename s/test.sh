#!/bin/sh
# Runs every test that this machine can run, but for the long ones (`node test/run.js soak`); installs a Redis server first where
# there is none. Arguments are parts of file names.
set -eu
cd "$(dirname "$0")/.."
. ./s/setup.sh
exec node test/run.js unit live "$@"
