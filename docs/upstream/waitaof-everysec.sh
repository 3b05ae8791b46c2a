#!/bin/sh
# Shows that WAITAOF 1 0 with appendfsync everysec confirms writes before the server has called fsync, and that a power loss takes them.
# Usage, as root: waitaof-everysec.sh SERVER CLI [TRIALS]     for example: waitaof-everysec.sh valkey-server valkey-cli 3
# Needs nbdkit and nbdfuse (Debian: nbdkit, libnbd-bin, fuse), mkfs.ext4 and a loop device. Exit status: 0 no confirmed write was lost, 1 some were.
#
# One client writes on one connection: SET k<n>, WAITAOF 1 0. The files are on a disk with a volatile cache: nbdkit keeps writes in memory
# until the file system flushes them. The power loss kills nbdkit and the server in the same instant. APPENDFSYNC=always is the control.
set -u

[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
server=$1 cli=$2 trials=${3:-3} port=${PORT:-26390} policy=${APPENDFSYNC:-everysec}
for program in "$server" "$cli" nbdkit nbdfuse mkfs.ext4 losetup; do
  command -v "$program" >/dev/null || { echo "There is no $program." >&2; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo "This needs root, for the loop device and the mount." >&2; exit 3; }

dir=$(mktemp -d) loop='' server_pid='' disk_pid='' fuse_pid='' writer_pid=''

# clean_up: idempotent
clean_up() {
  for pid in "$writer_pid" "$server_pid" "$disk_pid"; do
    if [ -n "$pid" ]; then kill -9 "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; fi
  done
  writer_pid='' server_pid='' disk_pid=''
  umount -l "$dir/data" 2>/dev/null
  if [ -n "$loop" ]; then losetup -d "$loop" 2>/dev/null; loop=''; fi
  umount -l "$dir/fuse" 2>/dev/null
  if [ -n "$fuse_pid" ]; then kill "$fuse_pid" 2>/dev/null; wait "$fuse_pid" 2>/dev/null; fuse_pid=''; fi
}
trap 'clean_up; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
mkdir "$dir/data" "$dir/fuse"

wait_for() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || { echo "Not within 20 s: $*" >&2; exit 3; }
    sleep 0.1
  done
}

start_server() {
  "$server" --port "$port" --bind 127.0.0.1 --dir "$dir/data" --save '' --appendonly yes --appendfsync "$policy" \
    --daemonize no --logfile "$dir/log" &
  server_pid=$!
  wait_for answers
}
answers() { [ "$("$cli" -p "$port" PING 2>&1)" = PONG ]; }

# commands: endless
commands() {
  n=1
  while :; do
    printf 'SET k%s x\nWAITAOF 1 0 5000\n' "$n" || return
    n=$((n + 1))
  done
}

trial() {
  truncate -s 0 "$dir/disk"
  truncate -s 512M "$dir/disk"
  mkfs.ext4 -q -F "$dir/disk" || exit 3
  rm -f "$dir/socket" "$dir/replies"
  nbdkit -f -U "$dir/socket" --filter=cache file "$dir/disk" cache=writeback &
  disk_pid=$!
  wait_for test -S "$dir/socket"
  nbdfuse "$dir/fuse" --unix "$dir/socket" 2>/dev/null & # it complains about the power loss
  fuse_pid=$!
  wait_for test -f "$dir/fuse/nbd"
  loop=$(losetup --find --show "$dir/fuse/nbd") || exit 3
  mount "$loop" "$dir/data" || exit 3
  start_server

  mkfifo "$dir/pipe" 2>/dev/null
  "$cli" -p "$port" <"$dir/pipe" >"$dir/replies" 2>&1 &
  writer_pid=$!
  commands >"$dir/pipe" 2>/dev/null &
  feeder_pid=$!
  sleep 5.4

  # Each write is confirmed by three lines: OK, then 1 (this server has it on its disk) and 0 (replicas).
  kill -9 "$disk_pid" "$server_pid"
  confirmed=$(sed -n 'N;N;s/^OK\n1\n0$/x/p' "$dir/replies" | grep -c x)
  kill "$feeder_pid" 2>/dev/null
  wait "$feeder_pid" 2>/dev/null
  clean_up

  # After the power loss: only what was flushed.
  loop=$(losetup --find --show "$dir/disk") || exit 3
  mount "$loop" "$dir/data" || exit 3
  start_server
  n=1
  found=$(while [ "$n" -le "$confirmed" ]; do
    echo "EXISTS k$n"
    n=$((n + 1))
  done | "$cli" -p "$port" | grep -c '^1$')
  clean_up
  lost=$((confirmed - found))
  echo "trial $1: $confirmed writes confirmed in 5.4 s, $lost of them lost"
}

"$server" --version
total=0 number=1
while [ "$number" -le "$trials" ]; do
  trial "$number"
  total=$((total + lost))
  number=$((number + 1))
done
[ "$total" -eq 0 ]
