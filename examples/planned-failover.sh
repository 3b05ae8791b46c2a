#!/bin/sh
# A planned failover of Redis or Valkey with Sentinel that loses no acknowledged write.
# Needs a POSIX shell with sed, sleep and date, and redis-cli or valkey-cli. `--help` says how to call it.
#
# A bare SENTINEL FAILOVER leaves the old primary writable for seconds, and those writes are lost. This script takes these steps:
#   1. check    ask the Sentinels and every node; nothing is changed
#   2. hold     CLIENT PAUSE … WRITE on the primary, until every replica that may be promoted has every write
#   3. demote   REPLICAOF on the primary: from now on it refuses writes, whatever happens to this script or to the pause
#   4. promote  SENTINEL FAILOVER, and wait until the Sentinels name the new primary
#   5. release  the old primary follows it; CLIENT UNPAUSE: held writes are answered READONLY, and clients repeat them
# Killed in step 2, nothing has changed and the pause ends by itself. Killed later, no node accepts writes that could be lost, and the
# Sentinels finish or run this again: it goes on where it was.
#
# The order matters. A pause does not stop the Sentinels' own PUBLISH from being held, too. So they call the primary down when the pause is
# longer than their down-after-milliseconds, and cannot demote it before the pause ends. Then held writes are accepted and lost.
#
# What servers say is untrusted text: it is checked before it is used, cleaned before it is printed, and never evaluated.
set -u
LC_ALL=C
export LC_ALL

usage() {
  cat <<'END'
Usage: planned-failover.sh --sentinel HOST:PORT [--sentinel HOST:PORT]… --name NAME [option]…

  --sentinel HOST:PORT   a Sentinel; repeat it for the others, which are asked if the first does not answer
  --name NAME            of the primary, as the Sentinels know it, such as mymaster
  --to HOST:PORT         the replica to promote, as the Sentinels call it. Sentinels take no such wish: they choose by
                         replica-priority. So this checks that its priority is the lowest, and refuses otherwise
  --from HOST:PORT       do nothing if another node is the primary (exit status 0); for hooks that run on every node
  --check                look only: say whether a failover could begin now
  --coordinated          SENTINEL FAILOVER … COORDINATED (Valkey 9.0 and later): the primary hands over by itself
  --hold SECONDS         longest time that the primary holds writes; half of it is for the replicas to catch up.
                         Default and maximum: two thirds of the Sentinels' down-after-milliseconds, but 20 s at most by default
  --switch SECONDS       longest wait for the promotion; default: the Sentinels' failover-timeout and 10 s
  --cli PROGRAM          default: redis-cli, else valkey-cli
  --user NAME            of the nodes; --sentinel-user NAME: of the Sentinels
  --tls                  with --cacert FILE, --cert FILE, --key FILE, --sni NAME, --insecure as redis-cli has them
  --plain-sentinels      with --tls: the Sentinels do not use it

Environment (passwords are never arguments, which every user of a machine can read):
  REDISCLI_AUTH          the password of the nodes
  SENTINEL_AUTH          the password of the Sentinels
  PLANNED_FAILOVER_ADDRESSES
                         where announced addresses are reached from here, if not as announced:
                         ANNOUNCED_HOST:PORT=HOST:PORT, separated by spaces

Exit status:
  0    done: a replica that has every write is the primary, the old primary follows it, writes flow. Or nothing to do (--from, --check)
  1    refused or given up: there was no failover, and writes flow on the old primary
  2    bad arguments
  3    no redis-cli or valkey-cli, or no Sentinel answers: nothing was changed
  4    the failover began and its end is not known. The old primary refuses writes, so none is lost. Ask the Sentinels who the
       primary is; if that is still the old one, run this again
  5    a replica was promoted, but it is not the one of --to, or nobody can say whether it has every write
  129, 130, 143  ended by a signal before a Sentinel was asked: as 1
END
}

# ---- what is said ----

say() { printf '%s\n' "$*"; }

# die STATUS MESSAGE
die() {
  printf '%s\n' "$2" >&2
  exit "$1"
}

# clean TEXT: printable, at most three lines
clean() {
  printf '%s\n' "$1" | sed -e 's/[^ -~]/?/g' -e 's/^\(.\{200\}\).*/\1 .../' -e '4,$d'
}

now() { date +%s; }

# A moment; some systems sleep whole seconds only.
nap() { sleep 0.1 2>/dev/null || sleep 1; }

# ---- what is believed ----

# At most 18 digits, which every shell can compare. No leading zero, which would make it octal.
is_number() {
  case $1 in '' | *[!0-9]* | 0?*) return 1 ;; esac
  [ "${#1}" -le 18 ]
}

is_host() {
  case $1 in '' | -* | *[!A-Za-z0-9._:-]*) return 1 ;; esac
  [ "${#1}" -le 255 ]
}

is_port() { is_number "$1" && [ "$1" -ge 1 ] && [ "$1" -le 65535 ]; }

# is_address HOST:PORT; IPv6 without brackets, as Sentinels write it
is_address() {
  case $1 in *:*) is_host "${1%:*}" && is_port "${1##*:}" ;; *) return 1 ;; esac
}

is_replication_id() {
  case $1 in '' | *[!0-9a-f]*) return 1 ;; esac
  [ "${#1}" -eq 40 ]
}

# ---- arguments ----

sentinels='' name='' to='' from='' check=no coordinated=no hold='' switch='' cli=''
user='' sentinel_user='' tls=no cacert='' cert='' key='' sni='' insecure=no plain_sentinels=no

# address_of OPTION VALUE: brackets around IPv6 removed
address_of() {
  address=$2
  case $address in
    \[*\]:*) address=${address#\[} address=${address%%\]*}:${address##*\]:} ;;
  esac
  is_address "$address" || die 2 "$1 takes an address such as 10.0.0.5:26379, not '$(clean "$2")'."
}

# seconds_of OPTION VALUE LEAST MOST
seconds_of() {
  if ! is_number "$2" || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
    die 2 "$1 takes whole seconds from $3 to $4, not '$(clean "$2")'."
  fi
}

while [ $# -gt 0 ]; do
  option=$1
  shift
  case $option in
    -h | --help)
      usage
      exit 0
      ;;
    --check) check=yes && continue ;;
    --coordinated) coordinated=yes && continue ;;
    --tls) tls=yes && continue ;;
    --insecure) insecure=yes && continue ;;
    --plain-sentinels) plain_sentinels=yes && continue ;;
    --sentinel | --name | --to | --from | --hold | --switch | --cli | --user | --sentinel-user | --cacert | --cert | --key | --sni) ;;
    *) die 2 "'$(clean "$option")' is unknown. --help lists the options." ;;
  esac
  [ $# -gt 0 ] || die 2 "$option needs a value. --help lists the options."
  value=$1
  shift
  case $option in
    --sentinel) address_of "$option" "$value" && sentinels="$sentinels $address" ;;
    --to) address_of "$option" "$value" && to=$address ;;
    --from) address_of "$option" "$value" && from=$address ;;
    --name) name=$value ;;
    --hold) seconds_of "$option" "$value" 1 600 && hold=$value ;;
    --switch) seconds_of "$option" "$value" 1 3600 && switch=$value ;;
    --cli) cli=$value ;;
    --user) user=$value ;;
    --sentinel-user) sentinel_user=$value ;;
    --cacert) cacert=$value ;;
    --cert) cert=$value ;;
    --key) key=$value ;;
    --sni) sni=$value ;;
  esac
done

[ -n "$sentinels" ] || die 2 "Name a Sentinel with --sentinel HOST:PORT."
case $name in
  '') die 2 "Say what the Sentinels call the primary, with --name." ;;
  *[!A-Za-z0-9._-]* | -*) die 2 "A primary's name has letters, digits and . _ - only; correct --name." ;;
esac

node_password=${REDISCLI_AUTH-}
sentinel_password=${SENTINEL_AUTH-}
addresses=${PLANNED_FAILOVER_ADDRESSES-}
unset REDISCLI_AUTH VALKEYCLI_AUTH SENTINEL_AUTH
if [ -n "$user" ] && [ -z "$node_password" ]; then die 2 "--user needs a password. Put it into REDISCLI_AUTH."; fi
if [ -n "$sentinel_user" ] && [ -z "$sentinel_password" ]; then
  die 2 "--sentinel-user needs a password. Put it into SENTINEL_AUTH."
fi
set -f # words of the two lists are never file names
for pair in $addresses; do
  if ! is_address "${pair%%=*}" || ! is_address "${pair#*=}"; then
    die 2 "PLANNED_FAILOVER_ADDRESSES has '$(clean "$pair")', which is not ANNOUNCED_HOST:PORT=HOST:PORT."
  fi
done

if [ -z "$cli" ]; then cli=$(command -v redis-cli || command -v valkey-cli) || cli=''; fi
command -v -- "${cli:-/}" >/dev/null 2>&1 || die 3 "There is no redis-cli or valkey-cli. Install one, or name it with --cli."

# ---- asking ----

# How long an answer may take, in seconds. redis-cli itself would wait for ever.
reply_seconds=3

# reachable HOST:PORT: where that is from here
reachable() {
  for pair in $addresses; do
    if [ "${pair%%=*}" = "$1" ]; then
      printf '%s\n' "${pair#*=}"
      return
    fi
  done
  printf '%s\n' "$1"
}

# call PASSWORD ARGUMENT…: the client, which is ended if it does not answer in time. `--no-raw` quotes what servers say, so a text with
# a line break stays one line, and an error begins with “(error)”.
call() {
  password=$1
  shift
  (
    if [ -n "$password" ]; then
      REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password
      export REDISCLI_AUTH VALKEYCLI_AUTH
    fi
    exec "$cli" "$@"
  ) </dev/null 2>&1 &
  client=$!
  (
    timer=
    trap '[ -z "$timer" ] || kill "$timer"; exit' TERM
    sleep "$reply_seconds" &
    timer=$!
    wait "$timer"
    kill -9 "$client"
  ) </dev/null >/dev/null 2>&1 &
  watchdog=$!
  wait "$client" 2>/dev/null
  ended=$?
  kill "$watchdog" 2>/dev/null
  if [ "$ended" -gt 128 ]; then printf 'no answer within %s s\n' "$reply_seconds"; fi
  return "$ended"
}

# with_tls ARGUMENT…, then the password: the same with the options of TLS before them
encrypted() {
  password=$1
  shift
  if [ "$insecure" = yes ]; then set -- --insecure "$@"; fi
  if [ -n "$sni" ]; then set -- --sni "$sni" "$@"; fi
  if [ -n "$key" ]; then set -- --key "$key" "$@"; fi
  if [ -n "$cert" ]; then set -- --cert "$cert" "$@"; fi
  if [ -n "$cacert" ]; then set -- --cacert "$cacert" "$@"; fi
  call "$password" --tls "$@"
}

# ask_node HOST:PORT WORD…: prints what the node answers
ask_node() {
  at=$(reachable "$1")
  shift
  set -- -h "${at%:*}" -p "${at##*:}" --no-raw "$@"
  if [ -n "$user" ]; then set -- --user "$user" "$@"; fi
  if [ "$tls" = yes ]; then encrypted "$node_password" "$@"; else call "$node_password" "$@"; fi
}

# ask_sentinel HOST:PORT WORD…
ask_sentinel() {
  at=$(reachable "$1")
  shift
  set -- -h "${at%:*}" -p "${at##*:}" --no-raw "$@"
  if [ -n "$sentinel_user" ]; then set -- --user "$sentinel_user" "$@"; fi
  if [ "$tls$plain_sentinels" = yesno ]; then encrypted "$sentinel_password" "$@"; else call "$sentinel_password" "$@"; fi
}

# strings: of a quoted reply, one a line
strings() { sed -n 's/^[ 0-9)]*"\(.*\)"$/\1/p'; }

# entry NAME: of lines that are name, value, name, value …
entry() {
  while IFS= read -r its_name && IFS= read -r its_value; do
    if [ "$its_name" = "$1" ]; then
      printf '%s\n' "$its_value"
      return
    fi
  done
  return 1
}

carriage_return=$(printf '\r')
line_break='
'

# field INFO NAME: of a reply to INFO; of two lines of that name, the first
field() {
  found=$(printf '%s\n' "$1" | sed -n -e "s/$carriage_return\$//" -e "s/^$2://p")
  printf '%s\n' "${found%%"$line_break"*}"
}

# primary_at SENTINEL: prints HOST:PORT; fails if there is no believable answer
primary_at() {
  answer=$(ask_sentinel "$1" SENTINEL GET-MASTER-ADDR-BY-NAME "$name") || return 1
  answer=$(printf '%s\n' "$answer" | strings)
  # Two lines: host, port.
  answer=${answer%%"$line_break"*}:${answer#*"$line_break"}
  is_address "$answer" && printf '%s\n' "$answer"
}

# ---- what was done, and how it is undone ----

# nothing: writes flow. held: the primary holds writes. demoted: it refuses them. asked: a failover may be under way.
stage=nothing
old='' eligible='' sentinel='' told_to_wait=no

release() { [ "$(ask_node "$old" CLIENT UNPAUSE)" = OK ]; }

role_of() { field "$(ask_node "$1" INFO replication)" role; }

# a_replica_leads: one of them says that it is a primary, or does not say what it is
a_replica_leads() {
  for replica in $eligible; do
    [ "$(role_of "$replica")" = slave ] || return 0
  done
  return 1
}

# undo: the old primary is the primary again. Only where no failover can be under way.
undo() {
  if [ "$stage" = demoted ]; then
    if [ "$(primary_at "$sentinel")" != "$old" ] || a_replica_leads || [ "$(ask_node "$old" REPLICAOF NO ONE)" != OK ]; then
      return 1
    fi
  fi
  release
}

at_exit() {
  status=$?
  trap '' INT TERM HUP
  case $stage in
    nothing) ;;
    asked)
      if [ "$coordinated" = yes ]; then
        printf '%s\n' "Ask the Sentinels for the primary: $old hands over, or goes on by itself." >&2
      else
        release || printf '%s\n' "$old does not answer." >&2
        printf '%s\n' "Ask the Sentinels for the primary. $old refuses writes now. If it is still the primary, run this again." >&2
      fi
      ;;
    *)
      if undo; then
        say "Undone: $old accepts writes again."
      elif [ "$stage" = held ]; then
        printf '%s\n' "$old does not answer. It accepts writes again when the pause ends, within $hold_ms ms." >&2
      else
        release
        printf '%s\n' "$old refuses writes now, because a replica may have been promoted. Run this again: it finds out and goes on." >&2
      fi
      ;;
  esac
  exit "$status"
}

# Stopping half-way through would only make the outage longer, so the first signal is noted. The second one ends this script.
on_signal() {
  if [ "$stage" = asked ] && [ "$told_to_wait" = no ]; then
    told_to_wait=yes
    say "The failover has begun, so this finishes it first. Interrupt again to leave it to the Sentinels."
    return
  fi
  if [ "$stage" = asked ]; then exit 4; fi
  exit "$1"
}

trap at_exit EXIT
trap 'on_signal 129' HUP
trap 'on_signal 130' INT
trap 'on_signal 143' TERM
trap '' PIPE # a terminal that is gone must not end this script half-way

# ---- 1. which nodes there are ----

why=''
for each in $sentinels; do
  answer=$(ask_sentinel "$each" INFO sentinel)
  case $(field "$answer" sentinel_tilt) in
    0) ;;
    1) why="$each is in TILT mode; wait half a minute" && continue ;;
    *) why="$each: $(clean "$answer")" && continue ;;
  esac
  sentinel=$each
  break
done
[ -n "$sentinel" ] || die 3 "No Sentinel can be asked ($why)."

# master_at SENTINEL: what it knows of the primary: name, value, name, value … a line each
master_at() {
  answer=$(ask_sentinel "$1" SENTINEL MASTER "$name") || return 1
  printf '%s\n' "$answer" | strings
}

known=$(master_at "$sentinel")
old=$(primary_at "$sentinel") || die 3 "$sentinel does not say which node is the primary of '$name'. Correct --name or --sentinel."
if [ -n "$from" ] && [ "$from" != "$old" ]; then
  say "Nothing to do: the primary is $old."
  exit 0
fi
flags=$(printf '%s\n' "$known" | entry flags) || flags=unknown
[ "$flags" = master ] ||
  die 1 "The Sentinel $sentinel sees the primary $old as '$(clean "$flags")'. Wait until all is well: a failover now is not a planned one."
answer=$(ask_sentinel "$sentinel" SENTINEL CKQUORUM "$name")
case $answer in
  OK*) ;;
  *) die 1 "The Sentinels could not agree on a failover: $(clean "$answer"). Bring the missing ones back first." ;;
esac

# They agree on the primary, or do not answer. The shortest down-after of all of them counts.
agreeing='' down_after=''
for each in $sentinel $sentinels; do
  other=$(primary_at "$each") || continue
  [ "$other" = "$old" ] || die 1 "The Sentinels disagree: $sentinel calls $old the primary, and $each $other. Wait until they agree."
  agreeing="$agreeing $each"
  its=$(master_at "$each" | entry down-after-milliseconds) || continue
  if ! is_number "$its"; then continue; fi
  if [ -z "$down_after" ] || [ "$its" -lt "$down_after" ]; then down_after=$its; fi
done
[ -n "$down_after" ] || die 1 "No Sentinel names its down-after-milliseconds."
longest=$((down_after * 2 / 3))
if [ -n "$hold" ]; then
  hold_ms=${hold}000
  [ "$hold_ms" -le "$longest" ] ||
    die 1 "--hold may be at most $longest ms here: a Sentinel calls a primary down that holds writes for $down_after ms."
else
  hold_ms=$longest
  if [ "$hold_ms" -gt 20000 ]; then hold_ms=20000; fi
fi
if [ -z "$switch" ]; then
  switch=$(printf '%s\n' "$known" | entry failover-timeout) || switch=''
  if is_number "$switch" && [ "$switch" -le 3600000 ]; then switch=$((switch / 1000 + 10)); else switch=190; fi
fi
if [ "$coordinated" = yes ]; then
  case $(ask_sentinel "$sentinel" SENTINEL HELP) in
    *COORDINATED*) ;;
    *) die 1 "The Sentinel $sentinel does not know COORDINATED, which Valkey has from 9.0 on. Leave out --coordinated." ;;
  esac
fi

info=$(ask_node "$old" INFO replication)
history=$(field "$info" master_replid)
is_replication_id "$history" || die 1 "$old does not answer as a primary does: $(clean "$info")"
# A replica that the Sentinels call the primary: this script was killed in step 3 or 4. It goes on from there.
resumed=no
case $(field "$info" role) in
  master) ;;
  slave) resumed=yes ;;
  *) die 1 "$old does not say whether it is the primary: $(clean "$info")" ;;
esac

# A Sentinel chooses by priority and then by the offsets of its last look at the replicas, which is up to 10 s old. So every replica that it
# may choose has to have every write.
list=$(ask_sentinel "$sentinel" SENTINEL REPLICAS "$name") || die 1 "$sentinel does not list the replicas: $(clean "$list")"
best='' best_priority='' others_best=''

# consider HOST:PORT FLAGS PRIORITY, as the Sentinel has them
consider() {
  is_address "$1" || die 1 "$sentinel lists a replica at '$(clean "$1")', which is not an address."
  answer=$(ask_node "$1" INFO replication)
  own=$(field "$answer" slave_priority)
  if ! is_number "$own" || ! is_number "$3"; then
    case $2 in
      *s_down* | *o_down* | *disconnected*)
        say "Left out: $1 is down, so no Sentinel chooses it."
        return
        ;;
      *) die 1 "The replica $1 may be chosen and does not answer: $(clean "$answer"). Repair it, or remove it from the Sentinels." ;;
    esac
  fi
  if [ "$own" -eq 0 ] && [ "$3" -eq 0 ]; then
    say "Left out: $1 has the priority 0, so no Sentinel chooses it."
    return
  fi
  eligible="$eligible $1"
  # Where the two differ, the Sentinel has not looked since it was changed.
  lowest=$own
  if [ "$3" -lt "$lowest" ]; then lowest=$3; fi
  if [ "$1" = "$to" ]; then
    best=$1 best_priority=$own
    if [ "$3" -gt "$own" ]; then best_priority=$3; fi
  elif [ -z "$others_best" ] || [ "$lowest" -lt "$others_best" ]; then
    others_best=$lowest
    if [ -z "$to" ]; then best=$1; fi
  fi
}

# The lines are read from a document, not a pipe, so that what `consider` notes stays.
host='' port='' its_flags='' priority=''
while IFS= read -r word && IFS= read -r value; do
  case $word in
    name)
      if [ -n "$host" ]; then consider "$host:$port" "$its_flags" "$priority"; fi
      host='' port='' its_flags='' priority=''
      ;;
    ip) host=$value ;;
    port) port=$value ;;
    flags) its_flags=$value ;;
    slave-priority) priority=$value ;;
  esac
done <<END
$(printf '%s\n' "$list" | strings)
END
if [ -n "$host" ]; then consider "$host:$port" "$its_flags" "$priority"; fi

[ -n "$eligible" ] || die 1 "The Sentinels know no replica of $old that they could promote."
if [ -n "$to" ]; then
  [ -n "$best" ] || die 1 "$to of --to is no replica that a Sentinel could promote. Those are:$eligible."
  if [ -n "$others_best" ] && [ "$best_priority" -ge "$others_best" ]; then
    die 1 "A Sentinel may choose another replica: $to has the replica-priority $best_priority, another $others_best, and the lowest is chosen.
Give $to a lower one (CONFIG SET replica-priority), wait 10 s for the Sentinels to see it, and run this again."
  fi
fi
say "The primary is $old. To be promoted:${to:+ $to of}$eligible."

# behind HOST:PORT OFFSET [linked]: says why the replica does not have every write up to the offset; fails if it has
behind() {
  answer=$(ask_node "$1" INFO replication)
  at=$(field "$answer" slave_repl_offset)
  if [ "$(field "$answer" role)" != slave ]; then
    printf '%s\n' "$1 does not say that it is a replica: $(clean "$answer")"
  elif [ "$(field "$answer" master_replid)" != "$history" ]; then
    printf '%s\n' "$1 does not follow $old"
  elif [ "${3-}" = linked ] && [ "$(field "$answer" master_link_status)" != up ]; then
    printf '%s\n' "$1 has lost its primary"
  elif ! is_number "$at"; then
    printf '%s\n' "$1 does not say how far it is"
  elif [ "$at" -lt "$2" ]; then
    printf '%s\n' "$1 is $(($2 - at)) bytes behind"
  else
    return 1
  fi
}

# Before writes are held: a replica without a link would only make them wait in vain.
if [ "$resumed" = no ]; then
  for each in $eligible; do
    if reason=$(behind "$each" 0 linked); then die 1 "The replica $reason. Repair it first; nothing was changed."; fi
  done
fi
if [ "$check" = yes ]; then
  [ "$resumed" = no ] || die 1 "$old is a replica: an earlier failover was left half-way. Without --check, this goes on from there."
  say "A failover could begin now."
  exit 0
fi

# ---- 2. hold writes until the replicas have all of them ----

# clock: of the primary, in milliseconds. This machine's might be suspended or set.
clock() {
  answer=$(ask_node "$old" TIME | strings)
  seconds=${answer%%"$line_break"*} micros=${answer#*"$line_break"}
  is_number "$seconds" && is_number "$micros" && printf '%s\n' $((seconds * 1000 + micros / 1000))
}

# offset_of INFO: how far the old primary is
offset_of() {
  at=$(field "$1" master_repl_offset)
  is_number "$at" && [ "$(field "$1" master_replid)" = "$history" ] && printf '%s\n' "$at"
}

target=0
if [ "$coordinated$resumed" = nono ]; then
  began=$(clock) || die 1 "$old does not tell the time: $(clean "$answer")"
  stage=held
  answer=$(ask_node "$old" CLIENT PAUSE "$hold_ms" WRITE)
  [ "$answer" = OK ] || die 1 "$old did not hold writes: $(clean "$answer"). CLIENT PAUSE … WRITE needs Redis 6.2 or later, or Valkey."
  # Read after the pause began, so it covers every write that a client was told of.
  info=$(ask_node "$old" INFO replication)
  target=$(offset_of "$info") || die 1 "$old does not say how far it is: $(clean "$info")"
  say "$old holds writes at offset $target."
  for each in $eligible; do
    while reason=$(behind "$each" "$target" linked); do
      time=$(clock) || die 1 "$old does not answer any more: $(clean "$answer")"
      [ $((time - began)) -lt $((hold_ms / 2)) ] ||
        die 1 "The replica $reason after $((hold_ms / 2)) ms. A Sentinel might promote it, so this gives up.
Wait until it has caught up, or exclude it (CONFIG SET replica-priority 0, and 10 s for the Sentinels to see it)."
      nap
    done
  done
fi

# ---- 3. the old primary refuses writes ----

if [ "$coordinated" = no ]; then
  [ "$(primary_at "$sentinel")" = "$old" ] || die 1 "$sentinel names another primary now. Look at the Sentinels before you run this again."
  stage=demoted
  if [ "$resumed" = no ]; then
    answer=$(ask_node "$old" REPLICAOF "${best%:*}" "${best##*:}")
    [ "$answer" = OK ] || die 1 "$old did not become a replica: $(clean "$answer")"
  fi
  # Whatever it accepted, even after the pause: the replicas have it.
  info=$(ask_node "$old" INFO replication)
  [ "$(field "$info" role)" = slave ] || die 1 "$old did not become a replica: $(clean "$info")"
  target=$(offset_of "$info") || die 1 "$old does not say how far it is: $(clean "$info")"
  for each in $eligible; do
    if reason=$(behind "$each" "$target"); then die 1 "The replica $reason. The pause may have ended too early; run this again."; fi
  done
  say "$old refuses writes at offset $target, which the replicas have."
fi

# ---- 4. the Sentinel promotes one of them ----

before=$stage
stage=asked
asked_at=$(now)
if [ "$coordinated" = yes ]; then
  answer=$(ask_sentinel "$sentinel" SENTINEL FAILOVER "$name" COORDINATED)
else
  answer=$(ask_sentinel "$sentinel" SENTINEL FAILOVER "$name")
fi
case $answer in
  OK) say "$sentinel promotes a replica." ;;
  '(error) INPROG'*) say "A failover is already under way: $(clean "$answer"). This waits for its end." ;;
  '(error) '*)
    # It refused, so nothing has begun.
    stage=$before
    die 1 "$sentinel refuses: $(clean "$answer")."
    ;;
  *) say "$sentinel did not say whether it begins: $(clean "$answer"). This waits until that is known." ;;
esac

# called_off: the Sentinel says that no failover is under way, and everybody else agrees
called_off() {
  flags=$(master_at "$sentinel" | entry flags) || return 1
  case $flags in *failover_in_progress*) return 1 ;; esac
  # The address comes after the flags: a failover that ended in between has changed it.
  [ "$(primary_at "$sentinel")" = "$old" ] && ! a_replica_leads
}

new='' quiet=0
while [ -z "$new" ]; do
  for each in $agreeing; do
    leader=$(primary_at "$each") || continue
    if [ "$leader" != "$old" ]; then new=$leader && break; fi
  done
  if [ -z "$new" ]; then
    if called_off; then quiet=$((quiet + 1)); else quiet=0; fi
    # Twice, and not at once: a Sentinel that was asked may only be about to begin.
    if [ "$quiet" -ge 2 ] && [ $(($(now) - asked_at)) -ge 2 ]; then
      stage=$before
      die 1 "The Sentinel has called the failover off; its log says why. $old is still the primary."
    fi
    [ $(($(now) - asked_at)) -lt "$switch" ] || die 4 "No replica was promoted within $switch s, and nobody says that the failover is over."
    nap
  fi
done
say "$new is the primary."

# inherited: the new primary continues the old one's history, at or past the offset
inherited() {
  answer=$(ask_node "$new" INFO replication)
  start=$(field "$answer" second_repl_offset)
  [ "$(field "$answer" role)" = master ] && [ "$(field "$answer" master_replid2)" = "$history" ] &&
    is_number "$start" && [ "$start" -gt "$target" ]
}

status=0 proven=yes tries=0
until inherited; do
  tries=$((tries + 1))
  if [ "$tries" -ge 10 ]; then
    status=5 proven=no
    printf '%s\n' "$new cannot be shown to continue the writes of $old up to offset $target: $(clean "$answer")" >&2
    break
  fi
  nap
done
if [ -n "$to" ] && [ "$new" != "$to" ]; then
  status=5
  printf '%s\n' "The Sentinel promoted $new and not $to." >&2
fi

# ---- 5. the old primary follows, and releases the writes ----

# follows: the old primary is a replica of the new one
follows() {
  info=$(ask_node "$old" INFO replication)
  [ "$(field "$info" role)" = slave ] && [ "$(field "$info" master_host):$(field "$info" master_port)" = "$new" ]
}

follow_by=$(($(now) + 30))
until follows; do
  [ "$(now)" -lt "$follow_by" ] || die 4 "$old has not become a replica of $new within 30 s."
  # What a Sentinel would do within seconds. It discards what the new primary does not have, so not if that is in doubt.
  if [ "$coordinated$proven" = noyes ]; then ask_node "$old" REPLICAOF "${new%:*}" "${new##*:}" >/dev/null; fi
  follows || nap
done
if [ "$coordinated" = no ]; then
  release || die 4 "$old is a replica of $new, but does not answer: held writes are answered READONLY when the pause ends."
fi
stage=nothing

# The Sentinels hear of the promotion one after the other. Clients that ask one of the last would come back to the old primary.
announced() {
  for each in $agreeing; do
    leader=$(primary_at "$each") || continue
    if [ "$leader" != "$new" ]; then return 1; fi
  done
}
agree_by=$(($(now) + 5))
until announced; do
  if [ "$(now)" -ge "$agree_by" ]; then
    printf '%s\n' "$each still names $leader as the primary. Look at its log: clients that ask it cannot write." >&2
    break
  fi
  nap
done

if [ "$coordinated" = no ]; then
  # As a Sentinel does. The node has to come back as a replica after a restart; without a configuration file it refuses. And clients have
  # to ask for the primary again; held writes have been answered by now.
  ask_node "$old" CONFIG REWRITE >/dev/null
  ask_node "$old" CLIENT KILL TYPE normal >/dev/null
  ask_node "$old" CLIENT KILL TYPE pubsub >/dev/null
fi
say "$old follows it."
exit "$status"
