/**
 * @import { Undoing } from '../stacks/actions.js'
 * @import { Ability, Stack } from '../stacks/types.js'
 * @typedef {Object} Fault a disturbance of a node, and how it is undone
 * @property {string} name such as `pause`
 * @property {string} what happens to the node, for reports: “hangs (SIGSTOP); its sockets stay open” @property {Ability[]} needs
 * @property {true} [planned] a planned failover of a healthy deployment; undoing it leaves the new roles
 * @property {(site: Site, id: string) => Promise<Undo>} inject into the node `id`. The step that undoes it is on disk before the node is
 *   touched. If it throws, `site.journal.undoAll()` undoes what was done so far
 * @typedef {() => Promise<void>} Undo idempotent; strikes its entry out of the journal once it has succeeded
 * @typedef {{stack: Stack, journal: Journal}} Site where faults are injected
 * @typedef {Object} Journal the steps that are still to be undone, on disk, so that they outlive this process
 * @property {(step: UndoStep) => Promise<Undo & {strike: () => Promise<void>}>} note the step is on disk (fsync) when it resolves. `Undo`
 *   does the step and strikes it out; `strike` only strikes it out. Rejects with a UserError if the disk refuses: disturb nothing then
 * @property {() => Promise<void>} undoAll does every step that is left, newest first; idempotent. It tries all of them and rejects with a
 *   UserError that names the steps that failed
 * @property {(options?: {abandon?: boolean}) => Promise<void>} close removes the file if nothing is left to undo; idempotent. abandon:
 *   removes it in any case, because the stack is taken down with all that was done to it
 * @typedef {{kind: 'act', id: string, action: Undoing, start?: ServerStart, own?: true}
 *   | {kind: 'slow', id?: string}
 *   | {kind: 'call', id: string, command: (string | number)[], withinMs?: number}
 *   | {kind: 'network'}
 *   | {kind: 'heal'}
 *   | {kind: 'keys', prefix: string}
 *   | {kind: 'config', id: string, settings: Record<string, string>, before: FileEvidence, leaves?: string}
 *   | {kind: 'sentinel', id: string, settings: Record<string, string>}
 *   | {kind: 'settings', id: string, settings: Record<string, string>}} UndoStep
 *   act: an action of the stack; start: of a server on the machine of an agent; own: the agent had started it, and its recovery ends it;
 *   call: a command sent to a node, answered within this number of milliseconds (default 3000), and again while the node is busy with a script;
 *   keys: those with the prefix are removed from the primary; config: CONFIG SET of a Redis node's former values, and removal of the append-only
 *   file that the change would leave behind; sentinel: SENTINEL SET of a Sentinel's; settings: those of another system
 * @typedef {{shell: string} | {argv: string[], cwd: string, uid: number, gid: number}} ServerStart how to start a server of somebody else
 *   again. shell: of the command line of the agent
 * @typedef {{runId: string, rewrites: number | null, history: string}} FileEvidence of a Redis node before its settings were changed. It
 *   shows later whether the node may have written the changed values to its file. rewrites: number of CONFIG REWRITE so far; null: not
 *   counted (before Redis 7); history: its role, primary and replication id; they change with a failover
 */

export {};
