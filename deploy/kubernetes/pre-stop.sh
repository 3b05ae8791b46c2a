#!/bin/sh
# Runs before a container of a pod is ended: pre-stop.sh redis|sentinel
set -u
. /scripts/common.sh

case $1 in
  redis)
    # This pod's own Sentinel ends with it, so the others are asked. A refusal is on the pod's events; then Redis ends as it would without
    # this hook, and the Sentinels find out by themselves.
    set --
    for pod in $pods; do
      if [ "$pod" != "$POD" ]; then set -- "$@" --sentinel "$pod.$domain:$sentinel_port"; fi
    done
    REDISCLI_AUTH=$PASSWORD SENTINEL_AUTH=$PASSWORD \
      sh /scripts/planned-failover.sh "$@" --name "$name" --from "$me:$port" --switch 20
    ;;
  sentinel)
    # It outlives the node, for its vote.
    tries=0
    while [ "$tries" -lt 100 ] && [ -n "$(cli 127.0.0.1 "$port" PING)" ]; do
      tries=$((tries + 1))
      sleep 0.5
    done
    ;;
esac
