/** Events of versions 1 and 2 in the words of version 3. They were sentences, and this is the only place that takes them apart. */
import { EVENT_KINDS, eventTitle, HARNESS, SENTINEL_EVENTS } from '../events.js';

/** @import { EventKind } from '../events.js' */

/** @typedef {Partial<Record<'node' | 'fault' | 'value' | 'detail', string>> & {planned?: true}} Told */

/** Title → kind. @type {ReadonlyMap<string, EventKind>} */
const TITLED = new Map(EVENT_KINDS.map((kind) => [eventTitle({ by: HARNESS, kind, value: '…', detail: '…' }), kind]));
/** Titles with a value in them. @type {readonly {pattern: RegExp, kind: EventKind}[]} */
const VALUED = [
  { pattern: /^(\d+) replicas$/, kind: 'replicas-connected' },
  { pattern: /^lag above (.+)$/, kind: 'lagging' },
];
/** Every fault with such a name was a planned failover. */
const PLANNED = /failover$/;

/** @type {(detail: string) => Told} */
const ofNode = (detail) => (detail === '' ? {} : { node: detail });
/** @type {(detail: string) => Told} */
const ofFault = (detail) => {
  const [node, fault] = halves(detail);
  if (fault === undefined) return ofNode(node);
  return { node, fault, ...(PLANNED.test(fault) && { planned: true }) };
};
/** @type {(detail: string) => Told} */
const inWords = (detail) => (detail === '' ? {} : { detail });

/** What the detail of a kind said; default: the node. @type {Partial<Record<EventKind, (detail: string) => Told>>} */
const DETAILS = {
  'fault-begun': ofFault,
  'fault-undone': ofFault,
  prepared: ofFault,
  'preparation-undone': ofFault,
  'step-left-out': ofFault,
  'step-refused': (detail) => {
    const [fault, why] = halves(detail);
    return { fault, ...(why !== undefined && { detail: why }) };
  },
  'setting-read': (detail) => {
    const [setting, value] = halves(detail);
    return { ...(value !== undefined && { value }), detail: setting };
  },
  'first-error': inWords,
  'no-promotion-due': inWords,
};

/** @param {string} text @returns {[string, string | undefined]} before and behind the first colon */
function halves(text) {
  const at = text.indexOf(': ');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 2)];
}

/** @param {unknown} mark @returns {unknown} the event; what is damaged stays as it is, for the validation to name */
export function convertMark(mark) {
  if (!isMark(mark)) return mark;
  const { afterMs: at, who: by, what, detail } = mark;
  const valued = VALUED.find(({ pattern }) => pattern.test(what));
  if (valued) return { at, by, kind: valued.kind, ...ofNode(detail), value: valued.pattern.exec(what)?.[1] };
  const kind = SENTINEL_EVENTS.get(what) ?? TITLED.get(what);
  if (kind === undefined) return { at, by, kind: 'other', detail: `${what} ${detail}`.trim() };
  return { at, by, kind, ...(DETAILS[kind] ?? ofNode)(detail) };
}

/** @param {any} mark @returns {mark is {afterMs: unknown, who: unknown, what: string, detail: string}} */
function isMark(mark) {
  return typeof mark?.what === 'string' && typeof mark.detail === 'string';
}
