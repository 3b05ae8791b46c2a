#!/bin/sh
# Downloads Redis and Valkey of a newer Debian with the libraries they need, for a Debian or Ubuntu that has older ones. Installs nothing.
# Usage: s/newer-servers.sh DIR [RELEASE]   (DEBIAN_MIRROR=URL names another mirror)
#   trixie   Debian 13, the default: Redis 8.0, Valkey 8.1
#   forky    the next Debian: Valkey 9, whose Sentinel has FAILOVER … COORDINATED
# Then: sentinel-bench run --backend local --server DIR/bin/redis-server   (or DIR/bin/valkey-server)
set -eu

release=${2:-trixie}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
servers="redis-server redis-tools valkey-server valkey-tools"
libraries="libc6 libssl3t64 libsystemd0 libjemalloc2 liblua5.1-0 liblzf1 libcap2 libzstd1 zlib1g libstdc++6 libgcc-s1 libatomic1"

fail() {
  echo "$1" >&2
  exit "${2:-3}"
}

[ $# -eq 1 ] || [ $# -eq 2 ] || fail "Usage: s/newer-servers.sh DIR [RELEASE]" 2
case $release in
  *[!a-z]* | '') fail "'$release' is not the name of a Debian release, such as trixie or forky." 2 ;;
esac
for program in apt-get dpkg; do
  command -v $program >/dev/null || fail "There is no $program command. Run this on Debian or Ubuntu."
done
[ -e $keyring ] || fail "$keyring is missing. Install the package debian-archive-keyring and run this again."

mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/packages" "$dir/tree" "$dir/bin"
echo "deb [signed-by=$keyring] $mirror $release main" >"$dir/apt/sources.list"
: >"$dir/apt/status"

# apt ARGUMENTS…: with lists of its own, so that the packages of this system stay as they are.
apt() {
  apt-get -q -o Dir::Etc::SourceList="$dir/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$dir/apt/lists" -o Dir::State::Status="$dir/apt/status" -o Dir::Cache="$dir/apt/cache" \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

apt update
# shellcheck disable=SC2086
(cd "$dir/packages" && apt download $servers $libraries)
for package in "$dir"/packages/*.deb; do dpkg -x "$package" "$dir/tree"; done

# Libraries of one release need its loader. `exec` keeps the process id, by which a stack knows its servers.
loader=$(find "$dir/tree" -name 'ld-linux*.so.*' | head -n 1)
library=$(dirname "$(find "$dir/tree" -name 'libc.so.6' | head -n 1)")
for name in redis-server redis-cli valkey-server valkey-cli; do
  # Not what this links to: the name of the program decides what it does.
  program=$dir/tree/usr/bin/$name
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$library" "$program" >"$dir/bin/$name"
  chmod +x "$dir/bin/$name"
done
for name in redis-server valkey-server; do
  "$dir/bin/$name" --version || fail "$dir/bin/$name does not start."
done
echo "Use them with --server $dir/bin/redis-server or --server $dir/bin/valkey-server."
