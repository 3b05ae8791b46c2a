# Sourced by the scripts that must run on a machine where nothing is prepared but Node: installs what is missing, and
# says so before it does.

fail() {
  echo "$1" >&2
  exit 3
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "This needs root, and there is no sudo. Run as root: $* — and then this again."
  fi
}

docker_is_usable() {
  node --input-type=module -e '
    import { dockerAvailable } from "./src/stacks/redis/docker/index.js";
    process.exitCode = (await dockerAvailable()).ok ? 0 : 1;'
}

port_6379_is_taken() {
  node -e 'require("net").connect(6379, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'
}

install_redis_with_apt() {
  taken=no
  if port_6379_is_taken; then taken=yes; fi
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q redis-server
  if [ $taken = no ] && port_6379_is_taken; then
    echo "Stopping the service redis-server, which the package has just started on port 6379."
    as_root service redis-server stop
  fi
}

install_redis() {
  for manager in apt-get dnf apk brew; do
    command -v $manager >/dev/null || continue
    echo "There is neither a usable Docker engine nor a Redis or Valkey server. Installing Redis with $manager."
    case $manager in
      apt-get) install_redis_with_apt ;;
      dnf) as_root dnf install -y redis ;;
      apk) as_root apk add redis ;;
      brew) brew install redis ;;
    esac
    return
  done
  fail "There is neither a usable Docker engine nor a Redis or Valkey server. Install one and run this again."
}

command -v node >/dev/null || fail "There is no node command. Install Node.js 20.19 or later and run this again."
too_old=$(node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { whyTooOld } from "./src/cli/prerequisites.js";
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  console.log(whyTooOld(process.versions.node, engines.node) ?? "");') || fail "This Node.js is too old: $(node --version). Install Node.js 20.19 or later and run this again."
[ -z "$too_old" ] || fail "$too_old"
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  command -v npm >/dev/null || fail "There is no npm command. Install npm, which comes with Node.js, and run this again."
  echo "Installing the dependencies with npm ci." >&2
  npm ci --no-audit --no-fund >&2
fi
command -v redis-server >/dev/null || command -v valkey-server >/dev/null || docker_is_usable || install_redis >&2
