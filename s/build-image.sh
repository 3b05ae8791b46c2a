#!/bin/sh
# Builds images from the programs installed here, for machines without a registry.
# Usage: s/build-image.sh [redis|valkey|mariadb|toxiproxy|bench|nats]…   (default: redis and valkey, each that is installed)
#   redis, valkey  the server and its command line client
#   mariadb        mariadbd, and the tables that mariadb-install-db makes
#   bench          sentinel-bench itself with Node and redis-cli or valkey-cli
#   nats           nats-server, started as the official image starts it
#   toxiproxy      toxiproxy-server if that is on PATH, else built from its source, which takes Go 1.19 or later
set -eu
# What is copied has to be readable to the user that a container runs as.
umask 022

# The newest that Debian 12's Go builds; its limits of bandwidth and latency are those of the image in docker-compose.yml.
toxiproxy_version=2.8.0

fail() {
  echo "$1" >&2
  exit 3
}

# Paths of system programs too, which are not on everybody's PATH.
find_program() {
  (PATH=$PATH:/usr/sbin:/sbin && command -v "$1")
}

command -v docker >/dev/null || fail "There is no docker command. Install Docker and run this again."

if [ $# -eq 0 ]; then
  for flavour in redis valkey; do
    if command -v "$flavour-server" >/dev/null; then set -- "$@" "$flavour"; fi
  done
  [ $# -gt 0 ] || fail "There is neither redis-server nor valkey-server. Install one of them and run this again."
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

# add_shell TREE: a shell and the few commands that docker-compose.yml, deploy/kubernetes and examples/planned-failover.sh use.
add_shell() {
  busybox=$(command -v busybox.static || command -v busybox) ||
    fail "There is no busybox. Install the package busybox-static and run this again."
  if ldd "$busybox" 2>/dev/null | grep -q '=>'; then
    fail "$busybox needs libraries of this system. Install the package busybox-static and run this again."
  fi
  mkdir -p "$1/bin" "$1/tmp"
  cp -L "$busybox" "$1/bin/busybox"
  for applet in cat cp cut date env grep id ls mv ps rm sed sh sleep timeout; do ln -s busybox "$1/bin/$applet"; done
}

# add_program TREE FILE AS: with the libraries and the dynamic loader, each under the path that ldd names.
add_program() {
  mkdir -p "$1$(dirname "$3")"
  cp -L "$2" "$1$3"
  ldd "$2" 2>/dev/null | tr ' \t' '\n\n' | grep '^/.*[^:]$' | sort -u | while read -r library; do
    mkdir -p "$1$(dirname "$library")"
    cp -L "$library" "$1$library"
  done
}

# import_tree FLAVOUR CHANGE…: the tree of that name becomes an image.
import_tree() {
  image=sentinel-bench/$1:local
  tree=$root/$1
  shift
  for change in "$@"; do
    set -- "$@" --change "$change"
    shift
  done
  previous=$(docker images --quiet "$image")
  tar -C "$tree" -c . | docker import "$@" - "$image" >/dev/null
  # Nobody would know it by its number; one that is in use stays.
  if [ -n "$previous" ]; then docker rmi "$previous" >/dev/null 2>&1 || true; fi
}

build_server() {
  server=$(command -v "$1-server") || fail "There is no $1-server. Install it and run this again."
  cli=$(command -v "$1-cli") || fail "There is no $1-cli. Install it and run this again."
  mkdir -p "$root/$1/data"
  # Whichever user the server runs as: docker-compose.yml and --data-dir choose one.
  chmod 1777 "$root/$1/data"
  add_shell "$root/$1"
  add_program "$root/$1" "$server" "/usr/bin/$1-server"
  add_program "$root/$1" "$cli" "/usr/bin/$1-cli"
  import_tree "$1" 'WORKDIR /data' 'VOLUME /data' 'ENV PATH=/usr/bin:/bin' "CMD [\"$1-server\"]"
  docker run --rm --network none --user 999 "$image" "$1-server" --version
  echo "Built $image. To use it:"
  echo "export SENTINEL_BENCH_IMAGE=$image"
}

build_mariadb() {
  tree=$root/mariadb
  server=$(find_program mariadbd) || fail "There is no mariadbd. Install the package mariadb-server and run this again."
  install=$(find_program mariadb-install-db) || fail "There is no mariadb-install-db. Install it and run this again."
  mkdir -p "$tree/var/lib/mysql" "$tree/usr/bin" "$tree/usr/share/tables" "$tree/usr/share/mysql/english"
  chmod 1777 "$tree/var/lib/mysql"
  add_shell "$tree"
  add_program "$tree" "$server" /usr/sbin/mariadbd
  # Its texts of errors.
  cp -L /usr/share/mysql/english/errmsg.sys "$tree/usr/share/mysql/english/"
  "$install" --no-defaults --datadir="$tree/usr/share/tables" --user="$(id -un)" --skip-test-db \
    --auth-root-authentication-method=socket --innodb-log-file-size=16M >/dev/null ||
    fail "mariadb-install-db could not make the tables; what it said is above."
  chmod -R a+rX "$tree/usr/share/tables"
  # The program needs more than the server does, so a copy of its tables stands in for it.
  cat >"$tree/usr/bin/mariadb-install-db" <<'END'
#!/bin/sh
for option; do
  case $option in --datadir=*) exec cp -R /usr/share/tables "${option#--datadir=}" ;; esac
done
END
  chmod 755 "$tree/usr/bin/mariadb-install-db"
  import_tree mariadb 'WORKDIR /var/lib/mysql' 'VOLUME /var/lib/mysql' 'ENV PATH=/usr/sbin:/usr/bin:/bin' 'CMD ["mariadbd"]'
  docker run --rm --network none --user 999 "$image" mariadbd --no-defaults --version
  echo "Built $image. To use it:"
  echo "export SENTINEL_BENCH_MARIADB_IMAGE=$image"
}

build_toxiproxy() {
  tree=$root/toxiproxy
  program=$(command -v toxiproxy-server) || {
    command -v go >/dev/null ||
      fail "There is neither toxiproxy-server nor go. Install one of them (Debian: the package golang-go) and run this again."
    module=github.com/Shopify/toxiproxy/v2
    CGO_ENABLED=0 GOBIN=$root/go go install -ldflags "-X $module.Version=$toxiproxy_version" \
      "$module/cmd/server@v$toxiproxy_version" || fail "Toxiproxy could not be built; what go said is above."
    program=$root/go/server
  }
  add_program "$tree" "$program" /toxiproxy
  import_tree toxiproxy 'ENTRYPOINT ["/toxiproxy"]' 'CMD ["-host=0.0.0.0"]'
  docker run --rm --network none --user 65534 "$image" --version
  echo "Built $image."
}

build_bench() {
  tree=$root/bench
  node=$(command -v node) || fail "There is no node. Install Node.js 20.19 or later and run this again."
  command -v npm >/dev/null || fail "There is no npm. Install it and run this again."
  cli=$(command -v redis-cli || command -v valkey-cli) ||
    fail "There is neither redis-cli nor valkey-cli. Install one of them and run this again."
  add_shell "$tree"
  chmod 1777 "$tree/tmp"
  add_program "$tree" "$node" /usr/bin/node
  add_program "$tree" "$cli" "/usr/bin/$(basename "$cli")"
  project=$(cd "$(dirname "$0")/.." && pwd)
  # What a user of the package gets, and nothing else of this folder.
  (cd "$project" && npm pack --silent --pack-destination "$root" >/dev/null) || fail "npm pack failed; what it said is above."
  tar -C "$tree" -xzf "$root"/sentinel-bench-*.tgz
  mv "$tree/package" "$tree/app"
  cp "$project/package-lock.json" "$tree/app/"
  (cd "$tree/app" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --silent) ||
    fail "The dependencies could not be installed; what npm said is above."
  chmod -R a+rX "$tree/app"
  import_tree bench 'WORKDIR /tmp' 'ENV PATH=/usr/bin:/bin' 'ENTRYPOINT ["node", "/app/src/cli/index.js"]' 'CMD ["--help"]'
  docker run --rm --network none --user 999 "$image" --version
  echo "Built $image. To use it: docker run --rm $image run --sentinel HOST:PORT"
}

build_nats() {
  tree=$root/nats
  program=$(find_program nats-server) || fail "There is no nats-server. Install it and run this again."
  mkdir -p "$tree/tmp"
  chmod 1777 "$tree/tmp"
  add_program "$tree" "$program" /nats-server
  import_tree nats 'ENTRYPOINT ["/nats-server"]' 'CMD ["--help"]'
  docker run --rm --network none --user 999 "$image" --version
  echo "Built $image. To use it:"
  echo "export SENTINEL_BENCH_NATS_IMAGE=$image"
}

for flavour in "$@"; do
  case $flavour in
    redis | valkey) build_server "$flavour" ;;
    mariadb) build_mariadb ;;
    toxiproxy) build_toxiproxy ;;
    bench) build_bench ;;
    nats) build_nats ;;
    *) fail "$flavour is unknown. Name one of redis, valkey, mariadb, toxiproxy, bench, nats." ;;
  esac
done
