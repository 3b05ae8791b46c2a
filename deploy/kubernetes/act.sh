#!/bin/sh
# What sentinel-bench does to a pod, for --act: `--act 'kill=deploy/kubernetes/act.sh kill'`. It gets the node as SENTINEL_BENCH_HOST, which
# has to be the pod's full name, such as redis-1.redis.test.svc.cluster.local.
# Usage: act.sh kill|stop|start|pause|resume|partition|join
set -eu

host=${SENTINEL_BENCH_HOST:?}
case $host in
  *[!a-z0-9.-]* | -* | .* | *..*) echo "'$host' is no name of a pod." >&2; exit 2 ;;
  *.*.*) ;;
  *) echo "'$host' is not the full name of a pod: POD.SERVICE.NAMESPACE…. The Sentinels need announce-hostnames." >&2; exit 2 ;;
esac
pod=${host%%.*}
rest=${host#*.*.}
namespace=${rest%%.*}
case ${SENTINEL_BENCH_ID-} in sentinel-*) container=sentinel ;; *) container=redis ;; esac

k() { kubectl --namespace "$namespace" "$@"; }
# The machine is remembered: a pod that waits for one has none.
note=${TMPDIR:-/tmp}/sentinel-bench-act-$namespace-$pod
machine() {
  found=$(k get pod "$pod" --output 'jsonpath={.spec.nodeName}')
  case $found in '' | *[!a-z0-9.-]*) echo "$pod runs nowhere." >&2; exit 1 ;; esac
  printf '%s\n' "$found" >"$note"
}

case ${1-} in
  kill)
    # Without a machine to go to the pod stays away until `start`.
    machine
    kubectl cordon "$(cat "$note")"
    k delete pod "$pod" --grace-period=0 --force --wait=false
    ;;
  stop)
    # As before maintenance: the hook hands over first, and the disruption budget is kept.
    machine
    kubectl drain "$(cat "$note")" --ignore-daemonsets --delete-emptydir-data --pod-selector=app=redis --timeout=55s
    ;;
  start)
    if [ -f "$note" ]; then
      kubectl uncordon "$(cat "$note")"
      rm -f "$note"
    fi
    k wait pod "$pod" --for=create --timeout=20s
    k wait pod "$pod" --for=condition=Ready --timeout=55s
    ;;
  pause) k exec "$pod" --container="$container" -- sh -c "kill -STOP \"\$(cat /data/$container.pid)\"" ;;
  resume) k exec "$pod" --container="$container" -- sh -c "kill -CONT \"\$(cat /data/$container.pid)\"" ;;
  partition)
    # From the other pods of the set; clients still reach it. Network plugins differ in whether they end connections that are open.
    k apply --filename=- <<END
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: sentinel-bench-$pod
spec:
  podSelector:
    matchLabels: { statefulset.kubernetes.io/pod-name: $pod }
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - podSelector:
            matchExpressions: [{ key: app, operator: NotIn, values: [redis] }]
  egress:
    - to:
        - podSelector:
            matchExpressions: [{ key: app, operator: NotIn, values: [redis] }]
        - namespaceSelector: {}
          podSelector:
            matchLabels: { k8s-app: kube-dns }
END
    ;;
  join) k delete networkpolicy "sentinel-bench-$pod" --ignore-not-found ;;
  *) echo "Usage: act.sh kill|stop|start|pause|resume|partition|join" >&2; exit 2 ;;
esac
