/**
 * Copying a data set from one Redis node to another. Types only.
 *
 * @typedef {import('../cluster/types.js').Address} Address
 *
 * @typedef {Object} Pair
 * @property {Address} source where this process reaches it
 * @property {Address} sourceForPeers where the copy's own process reaches it
 * @property {Address} copy where this process reaches it; empty, and follows nobody
 * @property {import('../cluster/types.js').Credentials} credentials of both
 *
 * @typedef {Object} MoverOptions
 * @property {number} scanCount COUNT of SCAN, and how many keys travel in one pipeline; ≥ 1
 * @property {AbortSignal} [signal]
 *
 * @typedef {Object} Mover
 * @property {string} name as in `params.mover`
 * @property {(pair: Pair, options: MoverOptions) => Promise<Move>} start begins to copy; resolves when what it needs to notice
 *   changes is in place, so that a write after that is not overlooked by a mover that notices changes
 *
 * @typedef {Object} Move
 * @property {Promise<void>} full resolves when the data set that was there has been brought over once; rejects with what went wrong
 * @property {() => Promise<void>} settle to be called when nothing writes any more: resolves when all that the mover knows of has
 *   been brought over; rejects after 30 s
 * @property {() => MoveTotals} totals until now
 * @property {() => Promise<void>} close ends it and puts back what it changed on the source (notify-keyspace-events) and made of the copy (a
 *   replica: REPLICAOF NO ONE, it keeps the data); idempotent
 *
 * @typedef {Object} MoveTotals
 * @property {number} keys brought over (RESTORE, DEL or what a full sync loaded); a key that was brought over twice counts twice
 * @property {number | null} cpuSeconds of the mover's own threads and processes; null: the nodes themselves move
 * @property {number | null} bytesIn read from the source; null: not counted
 * @property {number | null} bytesOut written to the copy
 */

export {};
