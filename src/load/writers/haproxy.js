/** A HAProxy process before the nodes of a trial, with the usual health check: a node that says `role:master` takes connections. */
import { spawn } from 'node:child_process';
import { environmentForPrograms, programPath } from '../../programs.js';
import { LOOPBACK } from '../../stacks/address.js';
import { freePort } from '../../stacks/ports.js';
import { problem } from '../sentences.js';
import { writerTo } from './native-writer.js';

/** @import { TrialNode } from '../trial-thread.js' */

const PROGRAM = 'haproxy';
/** Characters of its last output that an error quotes. */
const KEPT = 500;

/** Runs it ($0, configuration $1) beside a watcher, which ends it when this process closes descriptor 3 or ends, even by SIGKILL. */
const SCRIPT = `
printf '%s' "$1" | "$0" -db -f /dev/stdin 3<&- &
child=$!
(read -r _ <&3; kill -9 "$child") >/dev/null 2>&1 &
watcher=$!
wait "$child"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`;

/** @returns {string | null} why it cannot run here, and the remedy; null: it can */
export function whyNoHaproxy() {
  return programPath(PROGRAM) ? null : `${PROGRAM} is not on PATH. Install the package haproxy.`;
}

/** The check asks every second. Two failures in a row take a node out. @param {readonly TrialNode[]} nodes @param {number} port on loopback */
function haproxyConfiguration(nodes, port) {
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
listen primary
  bind ${LOOPBACK}:${port}
  option tcp-check
  tcp-check connect
  tcp-check send PING\\r\\n
  tcp-check expect string +PONG
  tcp-check send info\\ replication\\r\\n
  tcp-check expect string role:master
  tcp-check send QUIT\\r\\n
  tcp-check expect string +OK
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ id, address: { host, port: of } }) => `  server ${id} ${host}:${of} check\n`).join('')}`;
}

/**
 * @param {readonly TrialNode[]} nodes without a password
 * @param {number} port that is free
 * @returns {{end: () => Promise<void>, ended: Promise<never>}} ended: rejects with a UserError if it ends by itself
 * @throws {UserError} it is not installed
 */
export function startHaproxy(nodes, port) {
  const why = whyNoHaproxy();
  if (why) throw problem('no-haproxy', { why });
  const words = ['-c', SCRIPT, String(programPath(PROGRAM)), haproxyConfiguration(nodes, port)];
  const child = spawn('sh', words, { env: environmentForPrograms(), stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-KEPT)));
  // It may end before this process.
  child.stdio[3]?.on('error', () => {});
  const closed = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
  const ended = closed.then(() => {
    throw problem('haproxy-ended', { said: output.trim() || 'it said nothing' });
  });
  // Nothing waits for it once it serves.
  ended.catch(() => {});
  return {
    ended,
    async end() {
      child.stdio[3]?.destroy();
      await closed;
    },
  };
}

/** A native writer whose connections pass through HAProxy, which decides which node it reaches. @type {import('./index.js').CreateWriter} */
export async function createWriter(plan, trial) {
  const port = await freePort();
  const inner = writerTo({ host: LOOPBACK, port }, plan, trial);
  /** @type {ReturnType<typeof startHaproxy> | undefined} */
  let proxy;
  return {
    ...inner,
    async open() {
      proxy = startHaproxy(trial.nodes, port);
      await Promise.race([inner.open(), proxy.ended]);
    },
    async close() {
      await inner.close();
      await proxy?.end();
    },
  };
}
