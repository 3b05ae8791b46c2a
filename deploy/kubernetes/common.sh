# Sourced by the other scripts. POD, NAMESPACE and PASSWORD come from the pod.
name=mymaster
port=6379 sentinel_port=26379
domain=redis.$NAMESPACE.svc.${CLUSTER_DOMAIN:-cluster.local}
me=$POD.$domain
pods="redis-0 redis-1 redis-2"

# cli HOST PORT WORD…: the password is not an argument, which every user of the machine could read
cli() {
  host=$1 at=$2
  shift 2
  REDISCLI_AUTH=$PASSWORD timeout 3 redis-cli -h "$host" -p "$at" "$@" 2>/dev/null
}

# known_primary: the host that another pod's Sentinel calls the primary; empty: none answers
known_primary() {
  for pod in $pods; do
    if [ "$pod" = "$POD" ]; then continue; fi
    found=$(cli "$pod.$domain" "$sentinel_port" SENTINEL GET-MASTER-ADDR-BY-NAME "$name" | sed -n 1p)
    case $found in
      redis-[0-9]*."$domain") printf '%s\n' "$found" && return ;;
    esac
  done
}

# quoted TEXT: as a configuration file has it
quoted() {
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}
