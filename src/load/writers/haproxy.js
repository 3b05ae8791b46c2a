/**
 * A HAProxy process before the nodes of a trial, with the usual health check: a node that says `role:master` takes connections.
 * @import { TrialNode } from '../trial-thread.js'
 */
import { readFileSync } from 'node:fs';
import { startChild } from '../../drivers/child.js';
import { END_MS } from '../../drivers/process.js';
import { programPath } from '../../programs.js';
import { filled } from '../../sentences.js';
import { formatAddress, LOOPBACK } from '../../stacks/address.js';
import { freePort } from '../../stacks/hosts/ports.js';
import { fromOutside } from '../../untrusted.js';
import { problem } from '../sentences.js';
import { writerTo } from './native-writer.js';

const PROGRAM = 'haproxy';
const CONFIGURATION = readFileSync(new URL('haproxy.cfg', import.meta.url), 'utf8');
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

/**
 * @param {readonly TrialNode[]} nodes without a password @param {number} port that is free
 * @returns {{end: () => Promise<unknown>, ended: Promise<never>}} ended: rejects with a UserError if it ends by itself
 * @throws {UserError} it is not installed
 */
export function startHaproxy(nodes, port) {
  const why = whyNoHaproxy();
  if (why) throw problem('no-haproxy', { why });
  const servers = nodes.map(({ id, address }) => `server ${id} ${formatAddress(address)} check`).join('\n  ');
  const configuration = filled(CONFIGURATION, { place: `${LOOPBACK}:${port}`, servers });
  const run = ['sh', '-c', SCRIPT, String(programPath(PROGRAM)), configuration];
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
  let proxy = /** @type {ReturnType<typeof startHaproxy> | undefined} */ (undefined);
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
