/** @import { Ability, Action, Cluster } from '../stacks/types.js' */

/**
 * What a fault is. Types only.
 *
 * @typedef {Object} Fault something done to a node, and its undoing
 * @property {string} name such as `pause`
 * @property {string} what happens to the node, for reports: “is stopped by SIGSTOP; its sockets stay open”
 * @property {Ability[]} needs
 * @property {(site: Site, id: string) => Promise<Undo>} inject to the node `id`. What undoes it is on disk before anything is
 *   done. Whatever it throws, what was done by then is undone by `site.journal.undoAll()`
 *
 * @typedef {() => Promise<void>} Undo idempotent; strikes its entry out of the journal when it has succeeded
 *
 * @typedef {Object} Site where faults happen
 * @property {Cluster} cluster
 * @property {Journal} journal
 *
 * @typedef {Object} Journal what has to be undone, on disk: it outlives this process
 * @property {(step: UndoStep) => Promise<Undo & {strike: () => Promise<void>}>} note on disk (fsync) when the promise resolves; `Undo` does
 *   the step and strikes it out, `strike` does the latter only, for a caller that has undone it in another way. Rejects with a UserError when it cannot be kept on disk; nothing may be disturbed then
 * @property {() => Promise<void>} undoAll does every step that is not struck out, newest first; idempotent. Tries all of them;
 *   rejects with a UserError that names what could not be undone
 * @property {(options?: {abandon?: boolean}) => Promise<void>} close removes the file when nothing is left to undo; idempotent.
 *   abandon: removes it all the same, because the stack goes away with everything that was done to it
 *
 * @typedef {{kind: 'act', id: string, action: 'resume' | 'start' | 'join'}
 *   | {kind: 'slow', id?: string}
 *   | {kind: 'call', id: string, command: (string | number)[], withinMs?: number}
 *   | {kind: 'heal'}
 *   | {kind: 'keys', prefix: string}
 *   | {kind: 'config', id: string, settings: Record<string, string>, before: FileEvidence, leaves?: string}
 *   | {kind: 'sentinel', id: string, settings: Record<string, string>}
 *   | {kind: 'settings', id: string, settings: Record<string, string>}} UndoStep
 *   act: a cluster action; slow: `cluster.slow(null, id)`; call: a command sent to a node, answered within so many
 *   milliseconds (default 3000); heal: `cluster.heal()`; keys: those that start with the prefix are removed from the primary; config: CONFIG SET of a Redis node's former values,
 *   and what its append-only file would leave in its directory is removed; sentinel: `SENTINEL SET <master>` of a
 *   Sentinel's former values; settings: those that the system puts back in its own way
 *
 * @typedef {Object} FileEvidence of a Redis node before its settings were changed: tells later whether the node may have
 *   written the changed values to its file
 * @property {string} runId another one: it was restarted
 * @property {number | null} rewrites how often it had been told CONFIG REWRITE; null: it does not count that (before Redis 7)
 * @property {string} history whom it followed, and the replication history it had; both change with a failover
 */

export {};
