/** The durability modes of modes.yaml: which of them a server and a stack can do, and how reports call them. */
/** @import { CaseParams } from './types.js' */
/** @typedef {string} ModeName id in modes.yaml */
/**
 * @typedef {Object} Mode
 * @property {number} wait replicas that WAIT or WAITAOF asks for
 * @property {0 | 1} [waitLocal] WAITAOF: whether the primary's own file counts
 * @property {number} [waitTimeoutMs] of WAIT or WAITAOF; default: that of all cases
 * @property {Readonly<Record<string, string>>} settings of every Redis node
 * @property {Readonly<Record<string, string>>} [replicaSettings] of the replicas, instead
 * @property {string} [title] default: made from what it asks for and sets, see `modeTitle`
 */
import { z } from 'zod';
import { inUnits } from '../src/units.js';
import { readYaml } from '../src/yaml.js';

const MINIMUM = 'min-replicas-to-write';
const MAX_LAG = 'min-replicas-max-lag';

/** @type {{modes: Record<ModeName, Mode>, groups: Record<string, string[]>}} */
const { modes, groups } = readYaml(new URL('modes.yaml', import.meta.url));

const Settings = z.record(z.string(), z.string({ error: 'must be text: quote it' }));
const Entry = z.strictObject({
  wait: z.number().int().nonnegative(),
  waitLocal: z.union([z.literal(0), z.literal(1)]).optional(),
  waitTimeoutMs: z.number().int().nonnegative().optional(),
  settings: Settings,
  replicaSettings: Settings.optional(),
  title: z.string().optional(),
});

/** By id. A name or a value that means nothing is an error. @type {Readonly<Record<ModeName, Mode>>} */
export const MODES = Object.freeze(z.record(z.string(), Entry).parse(modes));

/** @param {readonly string[]} names of modes and of groups @returns {readonly ModeName[]} @throws {RangeError} an unknown name */
export function modesNamed(names) {
  return names.flatMap((name) => {
    if (Object.hasOwn(groups, name)) return modesNamed(groups[name]);
    if (Object.hasOwn(modes, name)) return name;
    throw new RangeError(`there is no mode and no group of modes called ${name}; see bench/modes.yaml`);
  });
}

export const COMMON_MODES = modesNamed(['common']);
export const WHOLE_MODES = modesNamed(['whole']);
export const CHOSEN_MODES = modesNamed(['chosen']);
export const PLANNED_MODES = modesNamed(['planned']);

/** The modes are written for a primary with two replicas: a stack has so many unless the user asks for another number. */
export const USUAL_REPLICAS = 2;

/** WAIT 2 asks for every replica of the usual stack: of another it becomes such as `wait4-min4`. @param {ModeName} name @param {number} replicas */
function modeWith(name, replicas) {
  const mode = MODES[name];
  if (mode.wait !== USUAL_REPLICAS || replicas === USUAL_REPLICAS) return { name, mode };
  const isAll = mode.settings[MINIMUM] === String(USUAL_REPLICAS);
  const settings = { ...mode.settings, ...(isAll && { [MINIMUM]: String(replicas) }) };
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

/** @param {ModeName} mode @param {{name: string, version: string | null}} server @returns {boolean} the server knows every command of the mode */
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

/** Such as `WAIT 1 (AOF everysec of the deployment)`. @param {string} title of a case @param {Pick<CaseParams, 'settings' | 'ownSettings'>} params */
export function titleWithOwn(title, { settings, ownSettings }) {
  const { maxmemory, 'maxmemory-policy': policy } = ownSettings ?? {};
  const limit = maxmemory === undefined ? [] : [`maxmemory ${inUnits(Number(maxmemory), Math.round)} ${policy}`];
  // A server with an append-only file does not load a snapshot.
  const own = [...settingTitles(settings?.appendonly === 'yes' ? { ...ownSettings, save: '' } : ownSettings), ...limit];
  return own.length === 0 ? title : withNote(title, `${own.join(' + ')} of the deployment`);
}

/** @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'settings' | 'replicaSettings' | 'mode'>} params without what a deployment has set itself */
function plainTitle({ wait, waitLocal, settings, replicaSettings, mode }) {
  const known = mode !== undefined && Object.hasOwn(MODES, mode) ? MODES[mode].title : undefined;
  if (known !== undefined) return known;
  if (settings === undefined && mode !== undefined) return mode;
  const waits = waitLocal !== undefined ? [`WAITAOF ${waitLocal} ${wait}`] : wait > 0 ? [`WAIT ${wait}`] : [];
  return [...waits, ...settingTitles(settings, replicaSettings)].join(' + ') || 'async';
}

/** @param {CaseParams['settings']} [settings] @param {CaseParams['replicaSettings']} [replicaSettings] such as `min-replicas 1`, `AOF everysec` */
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

/** @param {string} title of a mode @param {string} note what a case does differently @returns {string} such as `min-replicas 1 (lag 1; by runbook)` */
export function withNote(title, note) {
  return title.endsWith(')') ? `${title.slice(0, -1)}; ${note})` : `${title} (${note})`;
}

/** @param {Pick<CaseParams, 'settings' | 'ownSettings'>} params @returns {boolean} writes go to an append-only file */
export function isPersistent({ settings, ownSettings }) {
  return (settings?.appendonly ?? ownSettings?.appendonly) === 'yes';
}
