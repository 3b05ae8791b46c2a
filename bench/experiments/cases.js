/** The cases of failure benchmarks: which modes and writers, and how reports call them. */
/** @import { AuditResult, BenchmarkResult, Case, CaseOptions, CaseParams, CaseResult, CaseVariation, Titles } from '../types.js' */
/** @import { ClientName } from '../../src/clients/types.js' */
/** @import { WriterKind } from '../../src/registry/types.js' */
/** @import { Mode, ModeName } from '../modes.js' */
/** @typedef {Pick<CaseParams, 'replicas' | 'sentinels' | 'placement'>} StackSize of a stack */
/**
 * @typedef {Object} CaseHow what cases have beside their mode
 * @property {CaseVariation} [variation] what they do differently
 * @property {Record<string, string>} [settings] of every Redis node, beside the mode's
 * @property {Record<string, string>} [replicaSettings] of the replicas, instead of the mode's
 * @property {number} [connections] of each of our own writers
 * @property {number} [downAfterMs] of the Sentinels; default: the stack's
 * @property {StackSize} [size] of the stack; default: what the user asks for
 *
 * @typedef {Object} CaseChoice the modes, and who writes
 * @property {readonly ModeName[]} modes of our own writers; as `modesFor` makes them for the stack
 * @property {readonly ModeName[]} [also] further modes, after the others
 * @property {readonly string[]} [writers] default: the two with the native client
 * @property {boolean} [everyMode] the larger profiles add the usual modes; default false
 * @property {readonly ModeName[]} [libraries] modes in which the libraries write; default: none
 * @property {readonly ModeName[]} [examples] modes in which only the clients of examples/ write; default: none
 */
import { auditsOf } from '../../src/audit/of-trials.js';
import { clientTitle, idPart } from '../../src/registry/clients.js';
import { writers, writersOf, writerTitle } from '../../src/registry/writers.js';
import { variationIn, variationName } from '../../src/result/variation.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { isPossible, MODES, modesFor, modesNamed, modeTitle, USUAL_REPLICAS, withNote } from '../modes.js';
import { PLACES } from './groups.js';
import { GRADES, VARIATION_TITLES } from './index.js';
import { lengthTitle } from './lengths.js';
import { COLOCATED } from './placement.js';

const NATIVE = 'native';
/** Writers with the native client, side by side, each with its own keys: the sticky client and the failover-aware one. */
export const OWN_WRITERS = Object.freeze(namesOf(writersOf(NATIVE)));
/** The same clients, each in a group of the network: with the minority, with the majority, and one that reaches both. */
export const PLACED_WRITERS = Object.freeze([
  `sticky@${PLACES.minority}`,
  `failover-aware@${PLACES.majority}`,
  `failover-aware@${PLACES.everywhere}`,
]);
/** All writers with the native client. @type {readonly string[]} */
export const NATIVE_WRITERS = Object.freeze([...OWN_WRITERS, ...PLACED_WRITERS]);
const OF_LIBRARIES = Object.freeze(writers.filter(({ client }) => client !== NATIVE));
/** By library: its Sentinel client with default options, with other options, and the client of examples/. They write side by side. */
const LIBRARIES = Object.freeze([...new Set(OF_LIBRARIES.map(({ client }) => client))]);
/** Those that promise to confirm each write, as the files of examples/ do. */
export const EXAMPLE_WRITERS = Object.freeze(namesOf(OF_LIBRARIES.filter(({ variant }) => variant?.confirms)));

/** Enough connections that one slow answer does not hold up the rest; few enough that a stall shows at once. */
const CONNECTIONS = 10;
/** Writes that an application has under way at once through a library's one connection. */
const LIBRARY_CONCURRENCY = 10;
/** A write every 5 ms, as an application writes. */
const LIBRARY_RATE = 200;

/** A node that is back within this time was never missed: down-after-milliseconds of Redis's own configuration. */
export const LATE_DOWN_AFTER_MS = 30_000;

/** Titles of variations that only published results have. @type {Readonly<Record<string, string>>} */
const OTHER_TITLES = Object.freeze({ 'by-redis-shake': 'by RedisShake' });

/** @param {Titles['case']} title of a case @returns {Titles} whose writers have their own */
export const titledBy = (title) => Object.freeze({ case: title, writer: writerTitle });

/** Where the writer says which client it is. */
export const CASE_TITLES = titledBy(caseTitle);
/** Of benchmarks in which libraries write, too. @type {Titles} */
export const TITLES = Object.freeze({
  ...titledBy(clientCaseTitle),
  fault: (params) => clientCaseTitle(withoutLength(params)),
});

/** @param {CaseParams} params @returns {string} such as `WAIT 1`, `async (by runbook)` */
export function caseTitle(params) {
  const variation = variationTitle(params);
  return variation === '' ? modeTitle(params) : withNote(modeTitle(params), variation);
}

/** @param {CaseParams} params */
function clientCaseTitle(params) {
  return params.client === NATIVE ? caseTitle(params) : `${caseTitle(params)}, ${clientTitle(params.client)}`;
}

/**
 * @template {CaseVariation} P
 * @param {P} params
 * @returns {P} without the length of the fault, and without a setting of which the worst counts as it does of lengths
 */
export function withoutLength(params) {
  const graded = params.setting !== undefined && GRADES.has(params.setting);
  return { ...params, length: undefined, ...(graded && { setting: undefined }) };
}

/**
 * @param {CaseVariation} params of a case
 * @returns {string} what it does differently, such as `by runbook`; empty: nothing. Sentinels apart from the nodes are usual
 */
export function variationTitle(params) {
  const whole = titleOf(variationName(params));
  if (whole !== undefined) return whole;
  const { placement, ...others } = variationIn(params);
  const parts = [...(placement === COLOCATED ? [placement] : []), ...Object.values(others)];
  return parts.map((name) => titleOf(name) ?? name).join(', ');
}

/** @param {string} name of a variation */
function titleOf(name) {
  return VARIATION_TITLES[name] ?? OTHER_TITLES[name] ?? lengthTitle(name);
}

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @returns {AuditResult[]} of the writers with the native client */
export function ownAudits(benchmark, one) {
  return auditsOf(benchmark, one).filter(({ writer }) => NATIVE_WRITERS.includes(writer));
}

/** @param {readonly WriterKind[]} kinds */
function namesOf(kinds) {
  return kinds.map(({ name }) => name);
}

/** @param {Pick<CaseOptions, 'profile' | 'client' | 'server' | 'replicas'>} options @param {CaseChoice & CaseHow} wanted @returns {Case[]} */
export function failureCases(
  { profile, client, server, replicas = USUAL_REPLICAS },
  { modes, also = [], everyMode = false, libraries = [], examples = [], writers: native = OWN_WRITERS, ...asked },
) {
  const names = [...modes, ...(everyMode && profile.name !== 'quick' ? modesNamed(['every']) : []), ...also];
  // Cases with a number of replicas of their own name the modes for it.
  const named =
    asked.size?.replicas === undefined
      ? modesFor(names, { server, replicas })
      : names.filter((name) => isPossible(name, server)).map((name) => ({ name, mode: MODES[name] }));
  const how = { ...asked, size: { ...(replicas !== USUAL_REPLICAS && { replicas }), ...asked.size } };
  const own = named.map(({ name, mode }) =>
    caseOf(name, mode, { ...how, writers: [...native], client: NATIVE, rate: profile.writesPerSecond }),
  );
  const theirs = LIBRARIES.flatMap((library) => {
    const all = namesOf(writersOf(library));
    const caseWith = (/** @type {string[]} */ written) => (/** @type {ModeName} */ name) =>
      caseOf(name, MODES[name], { ...how, writers: written, client: library, rate: LIBRARY_RATE });
    const copied = all.filter((name) => EXAMPLE_WRITERS.includes(name));
    return [...libraries.map(caseWith(all)), ...examples.map(caseWith(copied))];
  });
  return [...own, ...theirs].filter(({ params }) => client === undefined || params.client === client);
}

/** @param {string} name @param {Mode} mode @param {CaseHow & {writers: string[], client: ClientName, rate: number}} how @returns {Case} */
function caseOf(name, mode, { variation = {}, client, writers, rate, downAfterMs, size, ...how }) {
  const isNative = client === NATIVE;
  const { settings, replicaSettings = mode.replicaSettings, connections = CONNECTIONS } = how;
  return {
    id: [name, variationName(variation), isNative ? '' : idPart(client)].filter(Boolean).join('-'),
    params: {
      ...DEFAULT_PARAMS,
      client,
      wait: mode.wait,
      ...(mode.waitLocal !== undefined && { waitLocal: mode.waitLocal }),
      ...(mode.waitTimeoutMs !== undefined && { waitTimeoutMs: mode.waitTimeoutMs }),
      // An application awaits its write before it sends the WAIT.
      waitMode: isNative ? 'pipelined' : 'sequential',
      connections: isNative ? connections : LIBRARY_CONCURRENCY,
      rate,
      mode: name,
      ...variationIn(variation),
      writers,
      settings: { ...mode.settings, ...settings },
      ...(downAfterMs !== undefined && { downAfterMs }),
      ...size,
      ...(replicaSettings && { replicaSettings: { ...replicaSettings } }),
    },
  };
}
