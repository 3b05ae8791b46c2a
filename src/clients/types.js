/**
 * The interface of the clients for the load path. src/registry/clients.js lists its implementations.
 * @import { RoundPlan } from '../load/types.js'
 * @import { Credentials } from '../stacks/types.js'
 * @typedef {string} ClientName as in src/registry/clients.js
 * @typedef {Object} Shape the shape of a batch; fixed for a connection's life
 * @property {number} payloadBytes size of each value, 1 … 512 MiB @property {number} pipeline writes a batch, ≥ 1
 * @property {number} waitReplicas what WAIT (or WAITAOF) asks for; 0: no WAIT is sent
 * @property {0 | 1} [waitLocal] if given, WAITAOF is sent instead of WAIT: 1 asks for a sync of this node's own append-only file, too
 * @property {number} waitTimeoutMs WAIT's timeout; 0 blocks until enough replicas have confirmed
 * @property {'pipelined' | 'sequential'} waitMode pipelined: WAIT is sent with the writes; sequential: after every write was answered
 * @property {boolean} [transaction] of libraries: the writes of a batch are one transaction. WAIT follows EXEC: within, it does not block
 * @property {string} keyPrefix each key is this and a number of twelve digits
 * @typedef {{host: string, port: number, credentials?: Credentials}} Target
 * @typedef {Object} LoadConnection one pinned connection. At most one batch, read or wait is under way on it.
 * @property {Uint32Array} keys the key number of each write of the next batch; the caller fills it, 0 … 999,999,999
 * @property {Uint8Array} outcomes an {@link Outcome} for each write of the last batch; valid when `onBatch` is called. Of reads and PINGs:
 *   acked: answered, with or without a value; rejected: an error reply; unknown: no answer
 * @property {number} waitCount what the last batch's WAIT returned; -1 if none was sent or it was not answered with a number
 * @property {number} waitLocalCount what the last batch's WAITAOF returned for this node; -1 as with `waitCount`
 * @property {(error: string) => void} onError called for every error reply and for a lost connection, with its text (an error reply without
 *   the leading `-`); the word before the first space names its kind
 * @property {() => void} onBatch called once when every outcome is known; may start the next batch. Never called from within `write` itself
 * @property {() => void} write sends the batch that `keys` describes. No retry, no resend, no queueing for a later connection. On a
 *   connection already lost nothing is sent: every outcome is `rejected`, and `onError` gets `NOTSENT …`
 * @property {() => void} fetch sends a batch of GETs for `keys`, without WAIT; ends in `onBatch` as `write` does
 * @property {() => void} ping sends a batch of as many PINGs as there are `keys`, as `fetch` does
 * @property {boolean} fetched the last batch consisted of reads or PINGs
 * @property {number} misses how many reads of the last batch found no value
 * @property {(key: number) => Promise<string | null>} read GET of one key of this prefix; rejects on an error reply or a lost connection
 * @property {(replicas: number, timeoutMs: number) => Promise<number>} wait sends WAIT; resolves to the count, rejects as `read` does
 * @property {(text: string | null) => void} setValue of the following writes, of `payloadBytes` bytes; null: back to the generated payload
 * @property {() => Promise<void>} close idempotent; does not wait for a batch under way @property {boolean} lost the connection is gone
 * @typedef {Object} Client
 * @property {ClientName} name
 * @property {(target: Target, shape: Shape) => Promise<LoadConnection>} connect rejects when the node cannot be reached within 5 s
 * @property {(plan: RoundPlan) => Promise<void>} [drain] waits until the replicas have applied every write; default: with WAIT of Redis
 */

/** Every key of ours starts with this. No other key of a database is ever touched. */
export const KEY_NAMESPACE = 'sentinel-bench:';

/** The beginning of our keys: `--key-prefix`, and the namespace. No character is special in a pattern of SCAN. */
export const OWN_KEY = new RegExp(`^[\\w.:{}/@-]{0,64}${KEY_NAMESPACE}`);

/** The outcome of a write, as the byte in `LoadConnection.outcomes`. */
export const Outcome = Object.freeze({
  /** No answer: it may or may not have been applied. */
  unknown: 0,
  /** Answered OK, and WAIT (if sent) counted as many as asked for. */
  acked: 1,
  /** Answered OK, but WAIT counted too few or was not answered with a count. */
  underAcked: 2,
  /** An error that says it was not applied. */
  rejected: 3,
});
