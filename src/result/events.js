/**
 * What can happen in a trial: the one list of kinds of events, and how people read them. No code reads the text of an event.
 * @import { TrialEvent } from './failure-schema.js'
 */
import { readYaml } from '../yaml.js';

/** What each kind is called. `{value}` stands for what was read. */
const TITLES = Object.freeze({
  // The harness disturbs the stack.
  'fault-begun': 'fault begun',
  'fault-undone': 'fault undone',
  prepared: 'prepared',
  'preparation-undone': 'preparation undone',
  'step-left-out': 'step left out',
  'step-refused': 'step refused',
  'follow-asked': 'told to follow',
  // The harness or a Sentinel saw a failover.
  down: 'found down',
  promoted: 'promoted',
  demoted: 'is a replica',
  'no-promotion-due': 'no promotion is due',
  // By something else than the harness, such as a supervisor, before a replica was promoted. Such a trial counts, too.
  restarted: 'found restarted by a supervisor',
  'no-failover-yet': 'no failover so far',
  'minority-failover': 'failover without a majority',
  'former-unread': 'could not be read',
  // Only Sentinels say so.
  suspected: 'suspected',
  'suspicion-ended': 'no longer suspected',
  'down-ended': 'no longer down',
  'failover-tried': 'failover tried',
  'leader-elected': 'leader elected',
  'nobody-elected': 'nobody elected',
  'replica-chosen': 'replica chosen',
  'no-replica-chosen': 'no replica chosen',
  'replica-promoted': 'replica promoted',
  'promotion-timeout': 'promotion took too long',
  'made-replica': 'made a replica',
  'failover-ended': 'failover ended',
  tilt: 'tilt',
  'tilt-ended': 'tilt ended',
  // The harness asked a node.
  'replicas-connected': '{value} replicas',
  lagging: 'lag above {value}',
  'full-resync': 'full resync',
  'partial-resync': 'partial resync',
  'snapshot-sent': 'sends a snapshot',
  'file-loaded': 'has loaded its file',
  'data-copied': 'has a copy of the data',
  'script-killed': 'was sent SCRIPT KILL',
  'setting-read': 'says',
  followed: 'followed',
  'not-followed': 'did not follow',
  'async-fallback': 'fell back to async',
  'async-before': 'was async before the failure',
  // Writers.
  'first-error': 'first error',
  'first-accepted': 'first accepted by',
  'last-accepted': 'last accepted by',
  // In earlier results, or of another tool.
  other: '{detail}',
});

/** @typedef {keyof typeof TITLES} EventKind */

export const EVENT_KINDS = /** @type {readonly [EventKind, ...EventKind[]]} */ (
  /** @type {unknown} */ (Object.freeze(Object.keys(TITLES)))
);

/** What Sentinels publish about a failure → its kind. @type {ReadonlyMap<string, EventKind>} */
export const SENTINEL_EVENTS = new Map(Object.entries(readYaml(new URL('sentinel-events.yaml', import.meta.url))));

/** Kind → how a Sentinel calls it. */
const PUBLISHED = new Map([...SENTINEL_EVENTS].map(([name, kind]) => [kind, name]));

/** Who marks events that no node and no writer told. */
export const HARNESS = 'harness';

/** @param {Pick<TrialEvent, 'by' | 'kind' | 'value' | 'detail'>} event @returns {string} such as `fault begun`; as a Sentinel calls it: `+odown` */
export function eventTitle({ by, kind, value = '', detail = '' }) {
  const published = by === HARNESS ? undefined : PUBLISHED.get(kind);
  return published ?? TITLES[kind].replace('{value}', () => value).replace('{detail}', () => detail);
}

/** @param {Omit<TrialEvent, 'at' | 'by'>} event @returns {string} whom or what it is about, such as `redis-1: kill`; may be empty */
export function eventSubject({ kind, node, fault, value, detail }) {
  const untitled = Object.entries({ detail, value }).filter(([name]) => !TITLES[kind].includes(`{${name}}`));
  return [node, fault, ...untitled.map(([, text]) => text)].filter((part) => part !== undefined).join(': ');
}

/** @param {Omit<TrialEvent, 'at'>} event @returns {string} such as `fault begun redis-1: kill` */
export function eventText(event) {
  return `${eventTitle(event)} ${eventSubject(event)}`.trimEnd();
}
