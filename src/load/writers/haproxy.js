/**
 * A HAProxy process before the nodes of a trial, with the usual health check: a node that says `role:master` takes connections.
 * @import { TrialNode } from '../trial-thread.js'
 */
import { startChild } from '../../drivers/child.js';
import { END_MS } from '../../drivers/process.js';
import { programPath } from '../../programs.js';
import { LOOPBACK } from '../../stacks/address.js';
import { freePort } from '../../stacks/hosts/ports.js';
import { fromOutside } from '../../untrusted.js';
import { problem } from '../sentences.js';
import { writerTo } from './native-writer.js';

const PROGRAM = 'haproxy';
/** Runs it ($0, configuration $1) beside a watcher, which ends both when this process closes its standard input or ends, even by SIGKILL. */
const SCRIPT = `
exec 3<&0
(read -r _ <&3; kill -9 0) &
printf '%s' "$1" | "$0" -db -f /dev/stdin 2>&1 3<&-
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
 * @param {readonly TrialNode[]} nodes without a password @param {number} port that is free
 * @returns {{end: () => Promise<unknown>, ended: Promise<never>}} ended: rejects with a UserError if it ends by itself
 * @throws {UserError} it is not installed
 */
export function startHaproxy(nodes, port) {
  const why = whyNoHaproxy();
  if (why) throw problem('no-haproxy', { why });
  const run = ['sh', '-c', SCRIPT, String(programPath(PROGRAM)), haproxyConfiguration(nodes, port)];
  let said = 'it said nothing';
  const child = startChild({ run, name: PROGRAM }, { onLine: (line) => (said = fromOutside(line)) });
  const ended = child.ended.then(() => {
    throw problem('haproxy-ended', { said });
  });
  // Nothing waits for it once it serves.
  ended.catch(() => {});
  return { ended, end: () => child.endWithin(END_MS) };
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
