/** Judges a deployment: predicts every fault, tries every finding, and says what cannot be told. Pure. */
/**
 * @import { Deployment, PredictedFault, CheckedNode, Prediction, Sentinel, Severity } from './types.js'
 * @import { Acceptance } from './files.js' @import { FindingRule } from './findings/index.js' @import { Values } from '../sentences.js'
 */
import { FINDINGS, itemsOf } from './findings/index.js';
import { downAfterSeconds, faultsOf, primaryOf } from './machines.js';
import { directReplicas, lostSeconds, predictAll } from './predict.js';
import { rendered } from './texts.js';
import { Unknown, whenKnown } from './unknown.js';

/**
 * @typedef {Record<'id' | 'text' | 'fix', string> & {severity: Severity, accepted: Acceptance | null} & Judged} JudgedFinding
 * @typedef {Object} Judged
 * @property {string} price what the fix costs, in ms a write; empty: nothing, or unknown
 * @property {'measured' | 'model' | 'arithmetic'} source how it is known; measured: trials with these settings lost the same
 * @property {string} trials what published trials with these settings lost; empty: there are none
 * @property {string} command that reproduces it on a stack of its own; empty: none
 * @property {readonly string[]} where ids of nodes, Sentinels or machines
 * @property {number} loses s; Infinity: all; 0: nothing, or unknown
 * @typedef {{deployment: Deployment, findings: readonly JudgedFinding[], predictions: readonly Prediction[],
 *   unknowns: readonly {what: readonly string[], why: string, allow: string}[]}} Judgement findings: worst first
 * @typedef {Object} Evidence what published trials say; the engine knows no suite
 * @property {(prediction: Prediction, asks: EvidenceAsks) => {text: string, agree: boolean} | null} trials with these settings, and whether they lost what the
 *   prediction says; null: there are none
 * @property {(key: string, needed: number) => string} price needed: replicas that WAIT has to ask for
 * @property {(prediction: Prediction | {experiment: string}, d: Deployment, wait: number) => string} command on a stack of its own; empty: none shows it
 * @typedef {{wait: number, replicas: number, minReplicas: number | Unknown, maxLag: number | Unknown, file: string | Unknown}} EvidenceAsks
 * @typedef {{wait: number, cache?: boolean, accepted?: readonly Acceptance[], evidence: Evidence, now: Date}} Asks cache: data can be rebuilt
 * @typedef {{deployment: Deployment, asks: Asks, predictions: readonly Prediction[], evidenceAsks: EvidenceAsks}} FindingContext
 */

/** @type {readonly Severity[]} */
export const SEVERITIES = Object.freeze(['critical', 'high', 'medium', 'low', 'inherent']);

/** Less is what any asynchronous system loses. */
const LITTLE_SECONDS = 2;

/** @param {Deployment} deployment placed on its machines @param {Asks} asks @returns {Judgement} */
export function judge(deployment, asks) {
  const predictions = predictAll(deployment, faultsOf(deployment), asks);
  const context = { deployment, asks, predictions, evidenceAsks: evidenceAsks(deployment, asks) };
  const matter = FINDINGS.filter(({ data, waits }) => !(data && asks.cache) && !(waits && asks.wait === 0));
  const tried = matter.map((finding) => tryFinding(finding, context));
  const rankOf = (/** @type {JudgedFinding} */ { severity }) => SEVERITIES.indexOf(severity);
  const findings = tried
    .flatMap(({ found }) => found ?? [])
    .sort((a, b) => rankOf(a) - rankOf(b) || (b.loses === a.loses ? 0 : b.loses - a.loses));
  return { deployment, findings, predictions, unknowns: unknownsOf(tried, predictions, deployment) };
}

/** @type {(finding: FindingRule, context: FindingContext) => {id: string, found?: JudgedFinding, unknown: Unknown[]}} */
function tryFinding(finding, context) {
  const { deployment } = context;
  /** @type {Unknown[]} */
  const unknown = [];
  /** @type {{item: any, values: Values}[]} */
  const hits = [];
  for (const item of itemsOf(finding, deployment, context.predictions)) {
    const why = (finding.needs ?? []).map((path) => valueAt(item, path)).find((value) => value instanceof Unknown);
    const isSilent = typeof item.why === 'string';
    if (why !== undefined && !isSilent) unknown.push(why);
    const values = why === undefined && finding.test(item, deployment, context.predictions, context.asks);
    if (values) hits.push({ item, values });
  }
  return { id: finding.id, unknown, ...(hits.length > 0 && { found: foundOf(finding, hits, context) }) };
}

/** @param {any} item @param {string} path such as `settings.save` */
function valueAt(item, path) {
  const [first, ...rest] = path.split('.');
  const value = item?.[first];
  return rest.length === 0 || value instanceof Unknown ? value : value?.[rest.join('.')];
}

/** @type {(finding: FindingRule, hits: {item: any, values: Values}[], context: FindingContext) => JudgedFinding} of predictions the worst one */
function foundOf(finding, hits, { deployment, asks, evidenceAsks: own }) {
  const isPrediction = finding.of === 'predictions';
  const lossOf = (/** @type {{item: any}} */ { item }) => (isPrediction ? lostSeconds(item) : 0);
  const [worst] = [...hits].sort(
    (a, b) => lossOf(b) - lossOf(a) || (a.item.fault?.machines.length ?? 0) - (b.item.fault?.machines.length ?? 0),
  );
  const { fault, chosen = '' } = worst.item;
  const where = isPrediction ? namesOf(fault) : hits.map(({ item }) => item.id ?? '').filter(Boolean);
  /** @type {Values} */
  const values = {
    ...valuesOf(deployment),
    where: where.join(', '),
    ...(isPrediction && { fault: where.join(' and '), seconds: fault.seconds, chosen: chosen ?? '' }),
    ...worst.values,
  };
  const { evidence } = asks;
  const trials = isPrediction ? evidence.trials(worst.item, own) : null;
  const shownBy = isPrediction ? worst.item : finding.experiment && { experiment: finding.experiment };
  const byLoss = lossOf(worst) > LITTLE_SECONDS ? 'high' : 'low';
  return {
    id: finding.id,
    severity: finding.severity === 'by-loss' ? byLoss : finding.severity,
    text: rendered(finding.text, values),
    fix: rendered(finding.fix, values),
    price: finding.price ? evidence.price(finding.price, Number(values.needed ?? values.replicas)) : '',
    source: trials?.agree ? 'measured' : (finding.source ?? 'model'),
    trials: trials?.text ?? '',
    command: shownBy ? evidence.command(shownBy, deployment, asks.wait) : '',
    where,
    loses: lossOf(worst),
    accepted: acceptedIn(asks, finding.id),
  };
}

/** @param {PredictedFault} fault */
const namesOf = ({ machines, node }) => (node === undefined ? [...machines] : [node]);

/** @param {Deployment} d @returns {Values} */
function valuesOf(d) {
  const primary = primaryOf(d);
  return {
    name: d.masterName,
    downAfter: downAfterSeconds(d),
    keys: primary?.keys ?? 0,
    replicas: primary ? directReplicas(d, primary).length : 0,
  };
}

/** @param {Deployment} d @param {Asks} asks @returns {EvidenceAsks} */
function evidenceAsks(d, { wait }) {
  const primary = primaryOf(d);
  const none = new Unknown('the primary was not read');
  if (!primary) return { wait, replicas: 0, minReplicas: none, maxLag: none, file: none };
  const { settings, aof, minReplicas } = primary;
  const file = aof ? settings.appendfsync : whenKnown(settings.save, (save) => (save === '' ? 'none' : 'snapshots'));
  const maxLag = whenKnown(settings['min-replicas-max-lag'], Number);
  return { wait, replicas: directReplicas(d, primary).length, minReplicas, maxLag, file };
}

const DAY_MS = 24 * 3600 * 1000;

/** @param {Asks} asks @param {string} id */
function acceptedIn({ accepted = [], now }, id) {
  const isOver = (/** @type {string} */ until) => Date.parse(until) + DAY_MS <= now.getTime();
  return accepted.find((each) => each.id === id && !(each.until && isOver(each.until))) ?? null;
}

/**
 * One for each reason, the one that hides most first.
 * @param {readonly {id: string, unknown: Unknown[]}[]} tried @param {readonly Prediction[]} predictions @param {Deployment} deployment
 */
function unknownsOf(tried, predictions, { nodes, sentinels }) {
  const all = [
    ...predictions.flatMap(({ fault, loss }) =>
      loss.kind === 'unknown' ? [{ id: `${fault.kind}-loses`, why: loss.why }] : [],
    ),
    ...tried.flatMap(({ id, unknown }) => unknown.map((why) => ({ id, why }))),
    ...[...nodes, ...sentinels]
      .filter(({ why, heard }) => why !== null && heard)
      .map(({ id, why }) => ({ id, why: new Unknown(`no answer from ${id} here (${why}), and Sentinels get one`) })),
  ];
  const reasons = new Map(all.map(({ why: { why, allow } }) => [why, allow]));
  return Array.from(reasons, ([why, allow]) => {
    const hidden = all.filter((each) => each.why.why === why).map(({ id }) => id);
    return { what: [...new Set(hidden)], why, allow };
  }).sort((a, b) => b.what.length - a.what.length);
}
