/**
 * Schedules of the fault search: what happens to which hosts, and when. A schedule is data: it is drawn from a seed, written as one
 * line of text, and made shorter.
 * @import { Experiment } from '../experiments/types.js'
 */

import { badInput } from '../../src/errors.js';
import { filled } from '../../src/sentences.js';
import { readYaml } from '../../src/yaml.js';
import { EXPERIMENTS } from '../experiments/index.js';

/** @typedef {string} StepKind key of steps.yaml */
/** @typedef {readonly ScheduleStep[]} Schedule in order of `at` */
/**
 * @typedef {Object} ScheduleStep one fault and its end
 * @property {string} kind a {@link StepKind}, or the id of an experiment, which is a whole schedule
 * @property {readonly number[]} hosts 0: the host of the primary when the schedule begins; 1, 2 …: those of the replicas. Only `partition`,
 *   `one-way` and `peers` take several, in ascending order
 * @property {number} at seconds since the schedule began, ≥ 0
 * @property {number} lasts seconds until it is undone; 0 for a step that ends by itself
 *
 * @typedef {{words: string} & Partial<Record<'several' | 'lasts' | 'network' | 'faultless' | 'disk' | 'dear' | 'stops' | 'refusable' | 'endsItself', true>>} StepRule
 *   see steps.yaml
 */

const STEPS = /** @type {Readonly<Record<StepKind, StepRule>>} */ (readYaml(new URL('steps.yaml', import.meta.url)));

/** Experiments that are nothing but steps, so a schedule may be one of them. @type {ReadonlyMap<string, Experiment>} */
export const NAMED = new Map(EXPERIMENTS.filter(({ steps, disks }) => steps && !disks).map((each) => [each.id, each]));

const OF_EXPERIMENT = /** @type {const} */ ({ network: true, faultless: true });

/** Of every step that a schedule may have. @type {Readonly<Record<string, StepRule>>} */
export const RULES = Object.freeze({
  ...STEPS,
  ...Object.fromEntries([...NAMED].map(([id, { title: words }]) => [id, { words, ...OF_EXPERIMENT }])),
});

export const STEP_KINDS = Object.keys(STEPS);
export const USUAL_STEPS = STEP_KINDS.filter((kind) => !STEPS[kind].dear);

/** Times are whole tenths of a second, so that a schedule reads and shortens well. */
const TENTH = 10;
export const MOST_STEPS = 4;
/** Lengths of faults, in multiples of down-after: near it, near the end of a failover, and long. */
const LENGTHS = [0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 9];
/** Times between the beginnings of two steps, in multiples of down-after. */
const GAPS = [0, 0.5, 1, 2, 3, 5];

/** @param {number} seconds */
export const tenths = (seconds) => Math.round(seconds * TENTH) / TENTH;

/**
 * @param {() => number} random draws from [0, 1)
 * @param {{hosts: number, faultyHosts: number, downAfterSeconds: number, kinds?: readonly StepKind[]}} options hosts: with a Redis node, ≥ 2;
 *   faultyHosts: those that a schedule may harm, 1 … hosts - 1; downAfterSeconds: lengths are near it
 * @returns {Schedule} with 1 to {@link MOST_STEPS} steps
 */
export function drawSchedule(random, { hosts, faultyHosts, downAfterSeconds, kinds = USUAL_STEPS }) {
  /** @template T @param {readonly T[]} items */
  const one = (items) => items[Math.floor(random() * items.length)];
  const faulty = sample(random, hosts, faultyHosts);
  const count = 1 + Math.floor(random() ** 2 * MOST_STEPS);
  let at = 0;
  /** @type {ScheduleStep[]} */
  const steps = [];
  for (let i = 0; i < count; i++) {
    const kind = one(kinds);
    const rule = RULES[kind];
    const hit = rule.several ? sample(random, faulty.length, 1 + Math.floor(random() * faulty.length)) : [0];
    const hosts = rule.several ? hit.map((index) => faulty[index]).sort((a, b) => a - b) : [one(faulty)];
    const spread = 0.8 + 0.4 * random();
    const lasts = rule.lasts ? Math.max(0.1, tenths(one(LENGTHS) * downAfterSeconds * spread)) : 0;
    steps.push({ kind, hosts: rule.faultless ? [0] : hosts, at: tenths(at), lasts });
    at += one(GAPS) * downAfterSeconds * spread;
  }
  return normalise(steps);
}

/** @param {() => number} random @param {number} size @param {number} count ≤ size @returns `count` of 0 … size - 1, in ascending order */
function sample(random, size, count) {
  const left = Array.from({ length: size }, (_, index) => index);
  const chosen = Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
  return chosen.sort((a, b) => a - b);
}

/**
 * The first step is at 0, steps are in order, and of two steps that need the network the second begins after the first has ended.
 * @param {readonly ScheduleStep[]} steps
 */
export function normalise(steps) {
  const sorted = [...steps].sort((a, b) => a.at - b.at);
  const first = sorted[0]?.at ?? 0;
  let networkFree = 0;
  return sorted
    .map((step) => {
      const begins = tenths(step.at - first);
      const at = RULES[step.kind].network ? Math.max(begins, networkFree) : begins;
      if (RULES[step.kind].network) networkFree = tenths(at + step.lasts);
      return { ...step, at };
    })
    .sort((a, b) => a.at - b.at);
}

/** @param {Schedule} schedule @returns {number} seconds until the last fault is undone */
export function lengthOf(schedule) {
  return Math.max(0, ...schedule.map(({ at, lasts }) => tenths(at + lasts)));
}

/** @param {readonly number[]} hosts */
const hostNames = (hosts) => hosts.map((host) => (host === 0 ? 'primary' : `replica-${host}`)).join('+');

/** @param {Schedule} schedule @returns {string} such as `freeze:primary@0+2.1,failover@3`, as {@link parseSchedule} reads it */
export function scheduleText(schedule) {
  return schedule
    .map(({ kind, hosts, at, lasts }) => {
      if (NAMED.has(kind)) return kind;
      const { faultless, lasts: hasEnd } = RULES[kind];
      return `${kind}${faultless ? '' : `:${hostNames(hosts)}`}@${at}${hasEnd ? `+${lasts}` : ''}`;
    })
    .join(',');
}

const STEP = /^([a-z-]+)(?::([a-z0-9+-]+))?@(\d{1,3}(?:\.\d)?)(?:\+(\d{1,3}(?:\.\d)?))?$/;
const HOST = /^(?:primary|replica-([1-9]))$/;

/** @param {string} text of {@link scheduleText}, or the id of an experiment @returns {Schedule} @throws {UserError} exit status 2 */
export function parseSchedule(text) {
  if (NAMED.has(text)) return [{ kind: text, hosts: [0], at: 0, lasts: 0 }];
  return normalise(text.split(',').map((part) => parseStep(part.trim())));
}

/** @param {string} text @returns {ScheduleStep} */
function parseStep(text) {
  const [, kind = '', names, at, lasts] = STEP.exec(text) ?? [];
  const rule = RULES[kind];
  if (!Object.hasOwn(STEPS, kind)) throw badStep(text, `its kind must be one of ${STEP_KINDS.join(', ')}`);
  const hosts = (names ?? (rule.faultless ? 'primary' : '')).split('+').map((name) => {
    const found = HOST.exec(name);
    if (!found) throw badStep(text, 'it must name hosts: primary, replica-1, replica-2 …');
    return Number(found[1] ?? 0);
  });
  if (hosts.length > 1 && !rule.several) throw badStep(text, `${kind} hits one host`);
  if (Boolean(rule.lasts) !== (lasts !== undefined))
    throw badStep(text, rule.lasts ? 'it must say how long it lasts, such as +2.5' : `${kind} ends by itself`);
  return { kind, hosts: [...new Set(hosts)].sort((a, b) => a - b), at: Number(at), lasts: Number(lasts ?? 0) };
}

/** @param {string} text @param {string} why */
function badStep(text, why) {
  return badInput(
    `The step '${text}' of the schedule cannot be read: ${why}.`,
    'Write steps such as freeze:primary@0+2.1 or partition:primary+replica-1@0+6, with commas between them.',
  );
}

/** @param {Schedule} schedule @returns {string[]} one line a step, such as `at 0 s: the primary is frozen, for 2.1 s` */
export function scheduleInWords(schedule) {
  const named = (/** @type {readonly number[]} */ hosts) =>
    hosts.map((host) => (host === 0 ? 'the primary' : `replica ${host}`)).join(' and ');
  return schedule.map(({ kind, hosts, at, lasts }) => {
    const { words, lasts: hasEnd } = RULES[kind];
    return `at ${at} s: ${filled(words, { hosts: named(hosts) })}${hasEnd ? `, for ${lasts} s` : ''}`;
  });
}

/** @param {ScheduleStep} step @returns {string} the same for steps of one kind on the same hosts, whatever their times */
const shapeOf = ({ kind, hosts }) => `${kind}:${hostNames(hosts)}`;

/** @param {Schedule} schedule @param {Schedule} part @returns it has every step of the part, on the same hosts, at whatever times */
export function contains(schedule, part) {
  const left = schedule.map(shapeOf);
  return part.every((step) => {
    const index = left.indexOf(shapeOf(step));
    if (index !== -1) left.splice(index, 1);
    return index !== -1;
  });
}

/**
 * Schedules that are a little simpler, in groups, the greatest simplification first: without a step, with fewer hosts, with a shorter step, with
 * steps closer together.
 * @param {Schedule} schedule
 * @returns {Schedule[][]} each different from the schedule and from each other; no group is empty
 */
export function simpler(schedule) {
  const withStep = (/** @type {number} */ index, /** @type {Partial<ScheduleStep>} */ changed) =>
    normalise(schedule.map((step, i) => (i === index ? { ...step, ...changed } : step)));
  const fewerSteps = schedule.map((_, index) => normalise(schedule.filter((_, i) => i !== index)));
  const fewerHosts = schedule.flatMap(({ hosts }, index) =>
    hosts.length > 1 ? hosts.map((host) => withStep(index, { hosts: hosts.filter((each) => each !== host) })) : [],
  );
  const shorter = schedule.flatMap(({ lasts }, index) =>
    [tenths(lasts / 2), Math.floor(lasts), tenths(lasts * 0.8)]
      .filter((length) => length > 0 && length < lasts)
      .map((length) => withStep(index, { lasts: length })),
  );
  const closer = schedule.flatMap(({ at }, index) => {
    const before = schedule[index - 1]?.at ?? at;
    return at > before ? [withStep(index, { at: tenths((at + before) / 2) })] : [];
  });
  const seen = new Set([scheduleText(schedule), '']);
  return [fewerSteps, fewerHosts, shorter, closer]
    .map((group) =>
      group.filter((each) => {
        const text = scheduleText(each);
        const isNew = !seen.has(text);
        seen.add(text);
        return isNew;
      }),
    )
    .filter((group) => group.length > 0);
}
