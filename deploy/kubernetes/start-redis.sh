#!/bin/sh
# Starts a node as what the Sentinels say it is. A primary that was replaced while it was away would accept writes for ten seconds if it
# trusted its own file.
set -eu
. /scripts/common.sh

leader=$(known_primary)
if [ -z "$leader" ] && [ ! -f /data/redis.conf ]; then leader=redis-0.$domain; fi
if [ ! -f /data/redis.conf ]; then cp /scripts/redis.conf /data/redis.conf; fi
# The last line of a name counts. Without a Sentinel to ask, the file says whom it followed last.
{
  sed -e '/^masterauth /d' -e '/^requirepass /d' -e '/^replica-announce-/d' /data/redis.conf
  printf 'masterauth %s\nrequirepass %s\n' "$(quoted "$PASSWORD")" "$(quoted "$PASSWORD")"
  printf 'replica-announce-ip %s\nreplica-announce-port %s\n' "$me" "$port"
  if [ "$leader" = "$me" ]; then
    echo 'replicaof no one'
  elif [ -n "$leader" ]; then
    echo "replicaof $leader $port"
  fi
} >/data/redis.conf.new
mv /data/redis.conf.new /data/redis.conf
exec redis-server /data/redis.conf
