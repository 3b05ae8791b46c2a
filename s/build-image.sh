#!/bin/sh
# Builds an image from the Redis or Valkey server installed here, for machines without a registry.
# Usage: s/build-image.sh [redis|valkey]…   (default: each that is installed)
set -eu

fail() {
  echo "$1" >&2
  exit 3
}

command -v docker >/dev/null || fail "There is no docker command. Install Docker and run this again."
busybox=$(command -v busybox.static || command -v busybox) ||
  fail "There is no busybox. Install the package busybox-static and run this again."
if ldd "$busybox" 2>/dev/null | grep -q '=>'; then
  fail "$busybox needs libraries of this system. Install the package busybox-static and run this again."
fi

if [ $# -eq 0 ]; then
  for flavour in redis valkey; do
    if command -v "$flavour-server" >/dev/null; then set -- "$@" "$flavour"; fi
  done
fi
[ $# -gt 0 ] || fail "There is neither redis-server nor valkey-server. Install one of them and run this again."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT TERM

for flavour in "$@"; do
  server=$(command -v "$flavour-server") || fail "There is no $flavour-server. Install it and run this again."
  cli=$(command -v "$flavour-cli") || fail "There is no $flavour-cli. Install it and run this again."
  tree=$root/$flavour
  mkdir -p "$tree/bin" "$tree/usr/bin" "$tree/data" "$tree/tmp"
  cp -L "$busybox" "$tree/bin/busybox"
  for applet in cat cp cut env grep ls ps sed sh sleep; do ln -s busybox "$tree/bin/$applet"; done
  cp -L "$server" "$tree/usr/bin/$flavour-server"
  cp -L "$cli" "$tree/usr/bin/$flavour-cli"
  # The libraries and the dynamic loader, each under the path that ldd names.
  ldd "$server" "$cli" | tr ' \t' '\n\n' | grep '^/.*[^:]$' | sort -u | while read -r library; do
    mkdir -p "$tree$(dirname "$library")"
    cp -L "$library" "$tree$library"
  done
  image=sentinel-bench/$flavour:local
  previous=$(docker images --quiet "$image")
  tar -C "$tree" -c . | docker import --change 'WORKDIR /data' --change 'VOLUME /data' \
    --change 'ENV PATH=/usr/bin:/bin' --change "CMD [\"$flavour-server\"]" - "$image" >/dev/null
  # Nobody would know it by its number; one that is in use stays.
  if [ -n "$previous" ]; then docker rmi "$previous" >/dev/null 2>&1 || true; fi
  docker run --rm --network none "$image" "$flavour-server" --version
  echo "Built $image. To use it:"
  echo "export SENTINEL_BENCH_IMAGE=$image"
done
