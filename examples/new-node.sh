# Three blocks to paste one after the other: they fill a new node from a primary. Do not run this file as a script.
# docs/copy.md says what to prepare, and what to do if a block fails.

# 1. Put in the two names here, and nowhere else. Deletes nothing. If NEW has no key in any database, it gets a password,
# which is in a file here, and is never promoted. If it says OK twice, go on.
# TLS=--tls and AS='--user NAME', the user of the source, if they are needed.
TO=NEW FROM=PRIMARY
old() { redis-cli -e $TLS $AS -h "$FROM" -p 6379 "$@"; }
new() { REDISCLI_AUTH=$(cat "new-$TO.pw") redis-cli -e $TLS -h "$TO" -p 6379 "$@"; }
empty() { [ "$(tr -d '\r')" = '# Keyspace' ]; }
redis-cli $TLS -h "$TO" -p 6379 INFO keyspace | empty && (umask 077; head -c 24 /dev/urandom | base64 > "new-$TO.pw") &&
  tr -d '\n' < "new-$TO.pw" | redis-cli -e $TLS -h "$TO" -p 6379 -x CONFIG SET requirepass &&
  new CONFIG SET replica-priority 0

# 2. Fills NEW from a primary, if NEW has the password, also in its file, and no key. Ends older connections, then OK twice.
redis-cli $TLS -h "$TO" -p 6379 PING | grep -q NOAUTH && old INFO replication | grep -q role:master &&
  [ "$(new CONFIG REWRITE)" = OK ] && new CLIENT KILL TYPE normal && new CLIENT KILL TYPE pubsub &&
  new INFO keyspace | empty && new REPLICAOF "$FROM" 6379 && new CONFIG REWRITE

# 3. When new INFO replication says master_link_status:up, stop the writers. OK twice: NEW has all that the primary has, and
# is a primary of its own. Else see new INFO replication: for role:master new CONFIG REWRITE until OK, else block 3 again.
offset() { grep -E '^master_(replid|repl_offset):'; }
redis-cli $TLS -h "$TO" -p 6379 PING | grep -q NOAUTH && old INFO replication | grep -q role:master &&
  new INFO replication | grep -q master_link_status:up &&
  [ "$(old INFO replication | offset)" = "$(new INFO replication | offset)" ] && new REPLICAOF NO ONE &&
  new CONFIG REWRITE
