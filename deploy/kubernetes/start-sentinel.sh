#!/bin/sh
# Starts a Sentinel. It keeps its file, and with it what it has learned.
set -eu
. /scripts/common.sh

if [ ! -f /data/sentinel.conf ]; then
  leader=$(known_primary)
  if [ -z "$leader" ]; then leader=redis-0.$domain; fi
  # A Sentinel does not start while the name of its primary cannot be resolved.
  until cli "$leader" "$port" PING >/dev/null; do sleep 0.2; done
  {
    cat /scripts/sentinel.conf
    printf 'sentinel announce-ip %s\nsentinel announce-port %s\n' "$me" "$sentinel_port"
    printf 'sentinel monitor %s %s %s 2\n' "$name" "$leader" "$port"
    printf 'sentinel down-after-milliseconds %s %s\n' "$name" "${DOWN_AFTER_MS:-5000}"
    printf 'sentinel failover-timeout %s 60000\n' "$name"
  } >/data/sentinel.conf
fi
# Anew at each start: a Sentinel writes passwords without quotes, and cannot read its own file again if they need some.
{
  sed -e '/^sentinel auth-pass /d' -e '/^sentinel sentinel-pass /d' -e '/^requirepass /d' /data/sentinel.conf
  printf 'sentinel auth-pass %s %s\n' "$name" "$(quoted "$PASSWORD")"
  printf 'requirepass %s\nsentinel sentinel-pass %s\n' "$(quoted "$PASSWORD")" "$(quoted "$PASSWORD")"
} >/data/sentinel.conf.new
mv /data/sentinel.conf.new /data/sentinel.conf
exec redis-server /data/sentinel.conf --sentinel
