/**
 * Watching what replication asks of the links of a deployment that runs, by its primary's INFO alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { countIn } from '../measure/counters.js';
import { linkDemand } from '../measure/link-demand.js';
import { connectControl, loginFor } from '../stacks/redis/control.js';

/**
 * @import { Demand, LinkSample } from '../measure/link-demand.js'
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Cluster } from '../stacks/types.js'
 */

/** One late answer must not end what may be watched for hours. */
const ANSWER_MS = 10_000;

/**
 * @param {Cluster} cluster
 * @param {Object} options
 * @param {number} options.seconds for so long, ≥ 1
 * @param {number} [options.everyMs] between two looks; what a peak is told of
 * @param {AbortSignal} options.signal ends it early; what was seen until then counts
 * @param {(samples: number) => void} [options.onSample]
 * @returns {Promise<Demand>}
 * @throws {UserError} it ended before there were two looks, or another node became the primary
 */
export async function observeLink(cluster, { seconds, everyMs = 1000, signal, onSample }) {
  const { id, kind, address } = await cluster.primary();
  const control = await connectControl(address, loginFor(cluster.credentials, kind), { timeoutMs: ANSWER_MS });
  /** @type {LinkSample[]} */
  const samples = [];
  try {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      samples.push(await look(control, cluster));
      onSample?.(samples.length);
      if (signal.aborted || performance.now() + everyMs / 2 > end) break;
      // An even beat, whatever a look takes. One that was late is not made up for: of a moment a peak would be told far too high.
      const beat = Math.ceil((performance.now() - samples[0].atMs) / everyMs + 0.5);
      const next = samples[0].atMs + beat * everyMs;
      await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {});
    }
  } finally {
    control.close();
  }
  if (samples.length < 2) {
    throw new UserError('It ended before there was anything to tell.', 'Let it watch for two seconds or longer.');
  }
  const now = await cluster.primary();
  if (now.id !== id) {
    throw new UserError(`${now.id} became the primary while ${id} was watched.`, 'Start it again.');
  }
  return linkDemand(samples);
}

/**
 * @param {Control} control
 * @param {Cluster} cluster
 * @returns {Promise<LinkSample>}
 */
async function look(control, { nodes }) {
  const info = await control.info('replication', 'stats', 'memory');
  const offset = countIn(info, 'master_repl_offset');
  if (offset === null) {
    throw new UserError(
      'The INFO of the primary does not tell how much replication it has sent (master_repl_offset).',
      'Ask a deployment whose primary tells it, without a proxy before it.',
    );
  }
  return {
    atMs: performance.now(),
    offset,
    sentBytes: countIn(info, 'total_net_repl_output_bytes'),
    bufferBytes: countIn(info, 'mem_clients_slaves'),
    backlogBytes: Number(info.repl_backlog_size),
    replicas: Object.entries(info)
      .filter(([name]) => /^slave\d+$/.test(name))
      .map(([, text]) => replicaOf(text, offset, nodes)),
  };
}

/**
 * @param {string} text `ip=…,port=…,state=online,offset=…,lag=…`
 * @param {number} offset of the primary
 * @param {Cluster['nodes']} nodes
 * @returns {LinkSample['replicas'][number]}
 */
function replicaOf(text, offset, nodes) {
  const fields = Object.fromEntries(text.split(',').map((pair) => pair.split('=')));
  const node = nodes.find(({ announced: { host, port } }) => host === fields.ip && port === Number(fields.port));
  return {
    name: node?.id ?? `${fields.ip}:${fields.port}`,
    lagBytes: Math.max(0, offset - Number(fields.offset)),
    lagSeconds: Number(fields.lag),
  };
}
