/**
 * What this suite adds to `result.json`: the parameters of its cases, and what went over the replication link in a round.
 */
import { z } from 'zod';
import { amount, count, positiveAmount, share, signed } from '../../src/result/ranges.js';

const bytesPerSecond = amount;
const maybeAmount = amount.nullable();

/** Fields of the parameters of a case. */
export const params = {
  pattern: z.enum(['regular', 'random']).optional().describe('keys and values: a pattern with counters, or all random'),
  writeShare: share.optional().describe('share of writes among the requests'),
  tunnel: z
    .string()
    .regex(/^(none|ssh|ssh-C|zstd-[0-9]+)$/)
    .optional()
    .describe('of the replication stream'),
  linkShare: positiveAmount.optional().describe('speed of the link, as a share of what replication needs'),
  chain: z.boolean().optional().describe('true: the link of a replica that follows a replica'),
  supervisor: z
    .enum(['restart', 'autossh', 'monit', 'monit-asks'])
    .optional()
    .describe('what keeps the tunnel running: this tool, autossh, monit that looks for autossh or also asks Redis'),
  tunnelFault: z
    .enum(['killed', 'hung', 'dark', 'all-killed'])
    .optional()
    .describe('SIGKILL, SIGSTOP, nothing passes the link, SIGKILL of its supervisor, too'),
  restartAfterMs: count.optional().describe('delay until the supervisor restarts the tunnel'),
};

const Sample = z
  .object({
    afterMs: count.describe('since the load began'),
    lagBytes: count.nullable().describe('that the replica has not processed; null: away, or in a full resync'),
    lagSeconds: count.nullable().describe('whole seconds since its last acknowledgement, from INFO'),
    bufferBytes: count.nullable().describe('the sender’s output buffer for the replica, omem of CLIENT LIST'),
    senderMemoryBytes: count.describe('used_memory of the node that sends'),
    state: z.enum(['online', 'syncing', 'away']).describe('of the replica, as the sender sees it'),
  })
  .describe('state of the sender and the replica at one time');

const Wire = z.object({
  toReplicaBytes: count,
  toPrimaryBytes: count,
  seconds: positiveAmount,
  counts: z.enum(['stream', 'packets']).describe('TCP payload, or packets with headers'),
  primaryEndCpu: maybeAmount.describe('CPU seconds a second of the tunnel’s processes'),
  replicaEndCpu: maybeAmount,
});

const File = z
  .object({
    bytes: count,
    compressedBytes: count,
    levels: z.array(z.object({ level: count, compressedBytes: count, cpuMs: amount })).optional(),
  })
  .describe('a file of the same write commands, and its size through zlib at level 6 and at several levels');

const Waits = z
  .object({
    asked: count,
    reached: count,
    timeoutMs: count,
    latencyNs: z.object({ p50: amount, p99: amount, max: amount }).describe('including WAITs that timed out'),
  })
  .describe('a separate writer that sends WAIT 1 after each write');

const Restart = z
  .object({ acked: count, missing: count })
  .describe('acknowledged writes, and those that it lacked after a start with its append-only file');

const Memory = z
  .object({
    limitBytes: count.describe('that the sender could take beyond what it had before the load'),
    by: z.string().describe('what was limited'),
    goneAfterMs: maybeAmount.describe('until the sender had ended; null: it did not end'),
    restart: Restart.optional(),
  })
  .describe('limit of the sender’s memory');

const Resync = z.enum(['partial', 'full', 'none']);

const Dark = z
  .object({
    seconds: amount.describe('how long nothing passed; no socket was closed'),
    replicaNoticedMs: maybeAmount.describe('until the replica gave the link up; null: it did not'),
    primaryNoticedMs: maybeAmount,
    refusedMs: maybeAmount.describe('until the first refused write; null: none was refused'),
    acked: count.describe('writes that the primary acknowledged meanwhile; the replica lacked all of them'),
    ackedSeconds: amount.describe('until the last of them was acknowledged'),
    backMs: maybeAmount.describe('from the end of the darkness until the replica had everything; null: too late'),
    resync: Resync,
  })
  .describe('a link that goes dark; `waits` are those sent meanwhile');

const Outage = z
  .object({
    noticedMs: maybeAmount.describe('until the replica noticed the lost connection; null: it did not notice'),
    awayMs: maybeAmount.describe('until the replica was connected again; null: never'),
    behindMs: maybeAmount.describe('until it had all writes made before its reconnection'),
    resync: Resync,
    restarts: count.describe('of the tunnel by its supervisor'),
  })
  .describe('after the kill of a tunnel');

const Agreement = z
  .object({ primaryKeys: count, replicaKeys: count, compared: count, different: count })
  .describe('with equal offsets: all keys, compared by type, value and expiry; null: the offsets never became equal');

export const LinkFigures = z
  .object({
    writes: count.describe('replicated writes'),
    streamBytes: count.describe('growth of the replication stream'),
    demandBytesPerSecond: bytesPerSecond.describe('of the stream, at the measured write rate'),
    requestBytes: count.optional().describe('sent by the clients for these writes'),
    executed: z.record(z.string(), count).optional().describe('commands that the replica executed, by name'),
    by: z.string().optional().describe('the program that carried and limited the stream'),
    limitBytesPerSecond: bytesPerSecond.optional().describe('limit of the link'),
    wire: Wire.optional(),
    file: File.optional(),
    samples: z.array(Sample).optional(),
    growthBytesPerSecond: signed.nullish().describe('of the lag while the replica was connected; null: too short'),
    maxLagBytes: count.nullish(),
    maxBufferBytes: count.nullish(),
    memoryGrowthBytes: signed.nullish().describe('of the sender, from before the load to its peak'),
    outputLimit: z
      .object({ hardBytes: count, softBytes: count, softSeconds: count, backlogBytes: count })
      .optional()
      .describe('of the sender: client-output-buffer-limit of replicas, 0 for no limit, and repl-backlog-size'),
    disconnects: count.optional().describe('how often the sender closed the connection for its output buffer limit'),
    fullResyncs: count.optional(),
    partialResyncs: count.optional(),
    refusedPartials: count.optional().describe('refused partial resyncs: the backlog was too small'),
    missedBytes: count.nullish().describe('when the replica asked for a partial resync: the backlog that suffices'),
    behindBytes: count.nullish().describe('not processed when the last request was answered; null: not connected'),
    catchUpMs: amount.nullish().describe('from then until it had everything; null: not within the time limit'),
    agreement: Agreement.nullish(),
    waits: Waits.optional(),
    promotion: z
      .object({ acked: count, missing: count })
      .optional()
      .describe('all acknowledged writes, and those that a replica promoted at the end did not have'),
    memory: Memory.optional(),
    dark: Dark.optional(),
    stopped: z
      .object({ awayMs: maybeAmount.describe('null: not within `watchedMs`'), watchedMs: amount })
      .optional()
      .describe('from the fault until the replica had writes made after it'),
    outage: Outage.optional(),
  })
  .describe('absent figures were not measured');

/** Fields of a round. */
export const roundFigures = { link: LinkFigures.optional().describe('traffic of the replication link') };

/** @typedef {z.infer<typeof LinkFigures>} LinkFigures */
