/**
 * The questions about persistence, answered from the numbers of the persistence benchmark.
 */
import { p99Interval } from './columns.js';
import { duration, plural, rate } from './format.js';
import { architectureAnswer } from './persistence-architecture.js';
import { seedClaims } from './persistence-claims.js';
import { evidenceOf, offOf, PAYLOAD, p99Of, ratiosTo, storagesOf, times } from './persistence-figures.js';
import { dataSetTitle, evidenceText, loadTitle, modeTitle, scaleText, storageTitle } from './persistence-words.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./persistence-figures.js').Storage} Storage
 * @typedef {import('./persistence-figures.js').Ratios} Ratios
 *
 * @typedef {'good' | 'not good' | typeof NOISY | typeof FEW} Verdict
 *
 * @typedef {Object} Answer
 * @property {string} question
 * @property {string} short the answer in a few words, without a full stop
 * @property {Finding[]} main what the answer rests on, each with the cases it was computed from
 * @property {Finding[]} more the rest of it
 */

/** SET latency is good when p99 is at most so many times what it is without persistence … */
const GOOD_RATIO = 2;
/** … and at most so many nanoseconds. */
const GOOD_NS = 10e6;
/** Reads are affected when so much of their throughput is missing, or p99 has grown by so much, in every round. */
const AFFECTED = { throughput: 0.9, p99: 1.25 };

/** What good SET latency means here, once. */
const GOOD = `p99 at most ${GOOD_RATIO}× that without persistence, and at most ${duration(GOOD_NS)}, in the whole interval`;
/** What it means here that reads are affected. */
const READS_AFFECTED = 'a tenth of throughput is missing or p99 has grown by a quarter, in the whole interval';

const NOISY = 'too noisy to tell';
const FEW = 'too few answers to tell';

/** Those that most people choose between. */
const MAIN_MODES = ['everysec', 'always'];

/**
 * @param {BenchmarkResult} benchmark
 * @param {{storages?: readonly Storage[]}} [options]
 * @returns {Finding[]}
 */
export function persistenceFindings(benchmark, { storages } = {}) {
  const answers = persistenceAnswers(benchmark, storages).map(({ question, short, main }) => ({
    text: `${question} ${[short, ...main.map(({ text }) => text)].join('. ')}`,
    evidence: [...new Set(main.flatMap(({ evidence }) => evidence))],
  }));
  const scale = scaleText(benchmark.cases);
  const loaded = benchmark.cases.filter(({ params }) => params.preloadKeys !== undefined);
  return [
    ...answers,
    ...(scale === '' ? [] : [{ text: scale, evidence: loaded.map(({ id }) => id) }]),
    ...seedClaims(benchmark, storages),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} [known] what is known of the storage that the cases name
 * @returns {Answer[]}
 */
export function persistenceAnswers(benchmark, known) {
  const [local, ...further] = storagesOf(benchmark, known);
  if (!local) return [];
  return [
    setAnswer(benchmark, local, `Can AOF on local storage ${storageTitle(local)} give good SET latency (${GOOD})?`),
    ...(further.length === 0
      ? [notMeasured('Can AOF on slow storage give good SET latency?', 'Not measured: no other storage was given')]
      : further.map((storage) =>
          setAnswer(benchmark, storage, `Can AOF on ${storageTitle(storage)} give good SET latency?`),
        )),
    readAnswer(benchmark, [local, ...further]),
    architectureAnswer(benchmark, local),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {string} question
 * @returns {Answer}
 */
function setAnswer(benchmark, storage, question) {
  const compared = benchmark.cases.flatMap((result) => {
    const { operation, payloadBytes, replicas, storage: label, settings } = result.params;
    if (operation !== 'set' || payloadBytes !== PAYLOAD || replicas !== 0 || label !== storage.label) return [];
    const ratios = settings?.appendonly === 'yes' ? ratiosTo(result, offOf(benchmark, result)) : null;
    return ratios ? [{ result, verdict: verdictOn(result, ratios), finding: compare(result, ratios) }] : [];
  });
  if (compared.length === 0) return notMeasured(question);
  const of = (/** @type {Verdict} */ verdict) => compared.filter((each) => each.verdict === verdict);
  const good = of('good');
  const cases = compared.length;
  const others = /** @type {const} */ (['not good', NOISY, FEW]).flatMap((verdict) => {
    const times = of(verdict).length;
    return times === 0 ? [] : `${verdict} in ${times}`;
  });
  /** @param {CaseResult} result */
  const isMain = ({ params: { level, preloadKeys } }) => MAIN_MODES.includes(level ?? '') && preloadKeys === undefined;
  return {
    question,
    short:
      of('not good').length === cases
        ? `No, good in none of the measured cases (${cases})`
        : good.length === cases
          ? `Yes, good in ${cases === 1 ? 'the one measured case' : `all of ${cases} measured cases`}`
          : `Good in ${good.length} of ${plural(cases, 'measured case')}${
              good.length === 0 ? '' : `: ${good.map(({ result }) => caseTitle(result)).join('; ')}`
            }; ${others.join(', ')}`,
    main: compared.filter(({ result }) => isMain(result)).map(({ finding }) => finding),
    more: compared.filter(({ result }) => !isMain(result)).map(({ finding }) => finding),
  };
}

/**
 * @param {string} question
 * @param {string} [short]
 * @returns {Answer}
 */
function notMeasured(question, short = 'Not measured') {
  return { question, short, main: [], more: [] };
}

/**
 * What only some of the rounds show is neither good nor bad.
 *
 * @param {CaseResult} result
 * @param {Ratios} ratios
 * @returns {Verdict}
 */
function verdictOn({ summary }, { p99 }) {
  // Half of the answers tell enough when even they come too late.
  if (p99 === null) return summary.latencyNs.p50 > GOOD_NS ? 'not good' : FEW;
  const own = p99Interval(summary);
  if (p99.low > GOOD_RATIO || own.low > GOOD_NS) return 'not good';
  return p99.high <= GOOD_RATIO && own.high <= GOOD_NS ? 'good' : NOISY;
}

/**
 * @param {CaseResult} result
 * @returns {string} such as `AOF everysec with 2,000 keys`
 */
function caseTitle({ params }) {
  return `${modeTitle(params)}${params.preloadKeys === undefined ? '' : ` with ${dataSetTitle(params)}`}`;
}

/**
 * @param {CaseResult} result
 * @param {Ratios} ratios
 * @returns {Finding}
 */
function compare(result, { off, throughput, p99 }) {
  const { summary } = result;
  const [own, base] = [p99Of(result), p99Of(off)];
  const evidence = evidenceText(evidenceOf(result));
  const told = [
    `throughput ${times(throughput)} that of none (${rate(summary.throughput.median)} against ${rate(off.summary.throughput.median)})`,
    p99 && own !== null && base !== null
      ? `p99 ${times(p99)} (${duration(own)} against ${duration(base)})`
      : 'too few answers for a p99',
    `worst ${duration(summary.latencyNs.max)}`,
    ...(evidence === '' ? [] : [evidence]),
    ...(off.summary.limitedBy === 'client' ? ['the client, not Redis, limited the figure of none'] : []),
  ];
  return { text: `${caseTitle(result)}: ${told.join(', ')}`, evidence: [off.id, result.id] };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} storages
 * @returns {Answer}
 */
function readAnswer(benchmark, storages) {
  const compared = benchmark.cases.flatMap((result) => {
    const { operation, payloadBytes, replicas } = result.params;
    if (operation !== 'get' || payloadBytes !== PAYLOAD || replicas !== 0) return [];
    const ratios = ratiosTo(result, offOf(benchmark, result));
    const storage = storages.find(({ label }) => label === result.params.storage);
    return ratios && storage ? [{ result, ratios, storage, effect: effectOn(ratios) }] : [];
  });
  const question = `Is GET affected (${READS_AFFECTED})?`;
  if (compared.length === 0) return notMeasured(question);
  const told = /** @type {const} */ (['affected', 'not affected', NOISY]).flatMap((effect) => {
    const times = compared.filter((each) => each.effect === effect).length;
    return times === 0 ? [] : `${effect} in ${times}`;
  });
  const findings = compared.map(({ result, ratios, storage, effect }) => {
    const { text, evidence } = compare(result, ratios);
    const where = `${loadTitle(result.params)} on ${storageTitle(storage)}`;
    return { effect, text: `${where}, ${text}${writersText(result, ratios)}: ${effect}`, evidence };
  });
  return {
    question,
    short: `Of ${plural(compared.length, 'measured case')}: ${told.join(', ')}`,
    main: findings.filter(({ effect }) => effect === 'affected').map(plain),
    more: findings.filter(({ effect }) => effect !== 'affected').map(plain),
  };
}

/** @param {Finding} finding */
function plain({ text, evidence }) {
  return { text, evidence };
}

/**
 * @param {Ratios} ratios
 * @returns {'affected' | 'not affected' | typeof NOISY}
 */
function effectOn({ throughput, p99 }) {
  if (throughput.high < AFFECTED.throughput || (p99 && p99.low > AFFECTED.p99)) return 'affected';
  return throughput.low >= AFFECTED.throughput && p99 && p99.high <= AFFECTED.p99 ? 'not affected' : NOISY;
}

/**
 * Slower writers leave more of the primary to those who read, so their rate belongs with the reads'.
 *
 * @param {CaseResult} result
 * @param {Ratios} ratios
 */
function writersText(result, { off }) {
  const [own, base] = [result, off].map(({ rounds }) => {
    const told = rounds.flatMap(({ background }) => (background && background.seconds > 0 ? background : []));
    const seconds = told.reduce((sum, each) => sum + each.seconds, 0);
    return seconds === 0 ? null : told.reduce((sum, each) => sum + each.operations, 0) / seconds;
  });
  return own === null || base === null ? '' : `, the writers beside it wrote ${rate(own)} against ${rate(base)}`;
}
