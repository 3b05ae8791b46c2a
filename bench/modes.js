/**
 * The durability modes, each once: what a writer asks for, how the nodes are set, and how reports call the mode. A suite chooses from them by
 * id.
 *
 * @import { CaseParams } from '../src/result/schema.js'
 */
import { inUnits } from '../src/units.js';

/**
 * @typedef {Object} Mode
 * @property {number} wait replicas that WAIT or WAITAOF asks for
 * @property {0 | 1} [waitLocal] WAITAOF: whether the primary's own file counts
 * @property {number} [waitTimeoutMs] of WAIT or WAITAOF; default: that of all cases
 * @property {Readonly<Record<string, string>>} settings of every Redis node. Each mode sets `min-replicas-to-write`, so it inherits nothing
 * @property {Readonly<Record<string, string>>} [replicaSettings] of the replicas, instead
 * @property {string} [title] default: made from what it asks for and sets, see `modeTitle`
 */

const MINIMUM = 'min-replicas-to-write';
const MAX_LAG = 'min-replicas-max-lag';
const NO_MINIMUM = { [MINIMUM]: '0' };
const MINIMUM_ONE = { [MINIMUM]: '1', [MAX_LAG]: '10' };
const MINIMUM_TWO = { [MINIMUM]: '2', [MAX_LAG]: '10' };
const EVERYSEC = { appendonly: 'yes', appendfsync: 'everysec' };
const ALWAYS = { appendonly: 'yes', appendfsync: 'always' };
const AOF = { ...NO_MINIMUM, ...EVERYSEC };
const AOF_ALWAYS = { ...NO_MINIMUM, ...ALWAYS };
/** With everysec a WAITAOF waits for a sync of each node, and there is one a second. */
const WAITAOF_EVERYSEC = /** @type {const} */ ({ waitLocal: 1, waitTimeoutMs: 2500, settings: AOF });
/** The save points of a server without a configuration. */
const DEFAULT_SAVE = '3600 1 300 100 60 10000';
const NO_FILES = { ...NO_MINIMUM, save: '', appendonly: 'no' };
/** Such a node saves every two seconds, because Redis counts whole seconds. */
const OFTEN = { save: '1 1' };

/** @satisfies {Record<string, Mode>} */
const modes = {
  async: { wait: 0, settings: NO_MINIMUM },
  // What a fresh server does: snapshots at its own save points, no append-only file.
  defaults: { wait: 0, settings: { ...NO_MINIMUM, save: DEFAULT_SAVE }, title: 'defaults (RDB)' },
  min1: { wait: 0, settings: MINIMUM_ONE },
  'min1-lag1': { wait: 0, settings: { ...MINIMUM_ONE, [MAX_LAG]: '1' } },
  'min1-lag5': { wait: 0, settings: { ...MINIMUM_ONE, [MAX_LAG]: '5' } },
  'min1-aof': { wait: 0, settings: { ...MINIMUM_ONE, ...EVERYSEC } },
  min2: { wait: 0, settings: MINIMUM_TWO },
  'min2-lag1': { wait: 0, settings: { ...MINIMUM_TWO, [MAX_LAG]: '1' } },
  'min2-lag5': { wait: 0, settings: { ...MINIMUM_TWO, [MAX_LAG]: '5' } },
  wait1: { wait: 1, settings: NO_MINIMUM },
  wait2: { wait: 2, settings: NO_MINIMUM },
  'wait1-min1': { wait: 1, settings: MINIMUM_ONE },
  'wait1-min1-aof': { wait: 1, settings: { ...MINIMUM_ONE, ...EVERYSEC } },
  'wait1-min1-aof-always': { wait: 1, settings: { ...MINIMUM_ONE, ...ALWAYS } },
  'wait2-aof': { wait: 2, settings: AOF },
  'wait2-min2-aof-always': { wait: 2, settings: { ...MINIMUM_TWO, ...ALWAYS } },
  'aof-no': { wait: 0, settings: { ...AOF, appendfsync: 'no' } },
  aof: { wait: 0, settings: AOF },
  'aof-always': { wait: 0, settings: AOF_ALWAYS },
  'waitaof-local': { wait: 0, waitLocal: 1, settings: AOF_ALWAYS },
  waitaof: { wait: 1, waitLocal: 1, settings: AOF_ALWAYS },
  'waitaof-all': { wait: 2, waitLocal: 1, settings: AOF_ALWAYS },
  // What min-replicas adds to the mode in which no replica may be away can show in a power loss only: elsewhere WAIT 2 with AOF everysec is
  // measured, and a sync for each write can save no more where no node loses its memory.
  'wait2-aof-always': { wait: 2, settings: AOF_ALWAYS },
  'waitaof-local-everysec': { wait: 0, ...WAITAOF_EVERYSEC },
  'waitaof-everysec': { wait: 1, ...WAITAOF_EVERYSEC },
  // Snapshots without an append-only file: on the replicas only, and on every node, as an article recommends for a cache. There the primary
  // saves once an hour (`save 3600 1`). A trial is shorter, so here it saves every three seconds.
  'replica-rdb': { wait: 0, settings: NO_FILES, replicaSettings: OFTEN },
  'split-rdb': { wait: 0, settings: { ...NO_FILES, save: '2 1' }, replicaSettings: OFTEN },
  // Without a timeout, which no deployment should have.
  'wait1-forever': { wait: 1, waitTimeoutMs: 0, settings: NO_MINIMUM },
  // Of a stack with four replicas.
  'wait3-aof': { wait: 3, settings: AOF },
  'wait4-aof': { wait: 4, settings: AOF },
};

/** @typedef {keyof typeof modes} ModeName */

/** @type {Readonly<Record<ModeName, Mode>>} */
export const MODES = Object.freeze(modes);

/** What most people run: nothing but the server's own settings, the usual append-only file, and that with a minimum of replicas. @type {readonly ModeName[]} */
export const COMMON_MODES = Object.freeze(['defaults', 'aof', 'min1-aof']);

/** The modes that the pages let a reader choose between: with the first one replica may be away, with the second none. @type {readonly ModeName[]} */
export const WHOLE_MODES = Object.freeze(['wait1-min1-aof', 'wait2-min2-aof-always']);

/** From what a fresh server does to the safest. @type {readonly ModeName[]} */
export const CHOSEN_MODES = Object.freeze(['defaults', 'aof', ...WHOLE_MODES]);

/** For the quick profile and for faults of many lengths: `WHOLE_MODES`, and what the second is without its settings. @type {readonly ModeName[]} */
export const DECIDING_MODES = Object.freeze([...WHOLE_MODES, 'wait2-aof']);
/** The least that is asked of replicas, too. @type {readonly ModeName[]} */
export const GROUP_MODES = Object.freeze(['async', ...DECIDING_MODES]);

/** The ways of failing over are compared in these. @type {readonly ModeName[]} */
export const PLANNED_MODES = Object.freeze(['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof']);

/** The mode in which no replica may be away. Pages name it, so the clients and the runbook to paste are tried in it. @type {readonly ModeName[]} */
export const SAFEST_MODES = Object.freeze(['wait2-min2-aof-always']);

/** The modes are written for a primary with two replicas: a stack has so many unless the user asks for another number. */
export const USUAL_REPLICAS = 2;

/**
 * WAIT 2 asks for every replica of the usual stack. Where there are more or fewer, the mode that keeps every write asks for as many.
 * @param {ModeName} name
 * @param {number} replicas of the stack
 * @returns {{name: string, mode: Mode}} the mode that asks for every replica there, such as `wait4-min4-aof-always`; else the mode itself
 */
function modeWith(name, replicas) {
  /** @type {Mode} */
  const mode = MODES[name];
  if (mode.wait !== USUAL_REPLICAS || replicas === USUAL_REPLICAS) return { name, mode };
  const settings =
    mode.settings[MINIMUM] === String(USUAL_REPLICAS)
      ? { ...mode.settings, [MINIMUM]: String(replicas) }
      : mode.settings;
  return { name: name.replaceAll(/(wait|min)2/g, `$1${replicas}`), mode: { ...mode, wait: replicas, settings } };
}

/**
 * @param {readonly ModeName[]} names
 * @param {{server: Parameters<typeof isPossible>[1], replicas?: number}} stack replicas: default 2
 * @returns {{name: string, mode: Mode}[]} those that can be measured there, each once: the server knows every command, and there are enough replicas for a
 *   write to be taken and confirmed. A mode that asks for every replica does so whatever their number
 */
export function modesFor(names, { server, replicas = USUAL_REPLICAS }) {
  /** @type {Map<string, {name: string, mode: Mode}>} */
  const found = new Map();
  for (const each of names.filter((name) => isPossible(name, server)).map((name) => modeWith(name, replicas))) {
    const { title: _, ...asks } = each.mode;
    const known = JSON.stringify(asks);
    const enough = asks.wait <= replicas && Number(asks.settings[MINIMUM] ?? 0) <= replicas;
    if (enough && !found.has(known)) found.set(known, each);
  }
  return [...found.values()];
}

/** The first Redis with WAITAOF; every Valkey has it. */
const WAITAOF_SINCE = [7, 2];
/** Redis's own default, which a title leaves out. */
const DEFAULT_MAX_LAG = '10';

/**
 * @param {ModeName} mode
 * @param {{name: string, version: string | null}} server
 * @returns {boolean} the server knows every command of the mode
 */
export function isPossible(mode, { name, version }) {
  if (MODES[mode].waitLocal === undefined || name === 'valkey') return true;
  // Nothing new is asked of a server that hides its version.
  const [major, minor] = (version ?? '0').split('.').map(Number);
  return major > WAITAOF_SINCE[0] || (major === WAITAOF_SINCE[0] && minor >= WAITAOF_SINCE[1]);
}

/**
 * @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'settings' | 'replicaSettings' | 'mode' | 'ownSettings'>} params of a result, which may be older than the
 *   modes above
 * @returns {string} the mode in Redis's own terms, without commas: `WAIT 1 + min-replicas 1`, `min-replicas 1 (lag 1)`; of an existing deployment with
 *   settings of its own: `async (AOF everysec of the deployment)`
 */
export function modeTitle(params) {
  return titleWithOwn(plainTitle(params), params);
}

/**
 * @param {string} title of a case
 * @param {Pick<CaseParams, 'settings' | 'ownSettings'>} params
 * @returns {string} with what the existing deployment has set itself, beside the settings of the case: `WAIT 1 (AOF everysec of the deployment)`
 */
export function titleWithOwn(title, { settings, ownSettings }) {
  const { maxmemory, 'maxmemory-policy': policy } = ownSettings ?? {};
  const limit = maxmemory === undefined ? [] : [`maxmemory ${inUnits(Number(maxmemory), Math.round)} ${policy}`];
  // A server with an append-only file does not load a snapshot.
  const own = [...settingTitles(settings?.appendonly === 'yes' ? { ...ownSettings, save: '' } : ownSettings), ...limit];
  return own.length === 0 ? title : withNote(title, `${own.join(' + ')} of the deployment`);
}

/**
 * @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'settings' | 'replicaSettings' | 'mode'>} params
 * @returns {string} the mode, without what a deployment has set itself
 */
function plainTitle({ wait, waitLocal, settings, replicaSettings, mode }) {
  const known =
    mode !== undefined && Object.hasOwn(MODES, mode) ? MODES[/** @type {ModeName} */ (mode)].title : undefined;
  if (known !== undefined) return known;
  if (settings === undefined && mode !== undefined) return mode;
  const waits = waitLocal !== undefined ? [`WAITAOF ${waitLocal} ${wait}`] : wait > 0 ? [`WAIT ${wait}`] : [];
  return [...waits, ...settingTitles(settings, replicaSettings)].join(' + ') || 'async';
}

/**
 * @param {CaseParams['settings']} [settings]
 * @param {CaseParams['replicaSettings']} [replicaSettings]
 * @returns {string[]} such as `min-replicas 1`, `AOF everysec`
 */
function settingTitles(settings = {}, replicaSettings = {}) {
  const { save = '', appendonly, appendfsync } = settings;
  const { [MINIMUM]: replicas = '0', [MAX_LAG]: lag = DEFAULT_MAX_LAG } = settings;
  const file =
    appendonly === 'yes' ? [appendfsync === 'no' ? 'AOF (no fsync)' : `AOF ${appendfsync ?? ''}`.trimEnd()] : [];
  const onReplicas = replicaSettings.save ? ['RDB on replicas only'] : [];
  const snapshots = save === '' ? onReplicas : [replicaSettings.save ? 'RDB on every node' : 'RDB'];
  return [
    ...(replicas === '0' ? [] : [`min-replicas ${replicas}${lag === DEFAULT_MAX_LAG ? '' : ` (lag ${lag})`}`]),
    ...(file.length > 0 ? file : snapshots),
  ];
}

/**
 * @param {string} title of a mode
 * @param {string} note what a case does differently
 * @returns {string} without a comma outside of parentheses, so that titles can be listed: `min-replicas 1 (lag 1; by runbook)`
 */
export function withNote(title, note) {
  return title.endsWith(')') ? `${title.slice(0, -1)}; ${note})` : `${title} (${note})`;
}

/** @param {Pick<CaseParams, 'settings' | 'ownSettings'>} params @returns {boolean} writes go to an append-only file */
export function isPersistent({ settings, ownSettings }) {
  return (settings?.appendonly ?? ownSettings?.appendonly) === 'yes';
}
