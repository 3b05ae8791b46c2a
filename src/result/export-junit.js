/**
 * The checks and failure trials of a run as JUnit XML, which CI servers show as tests.
 *
 * A benchmark is a suite. It has a test for its measuring, for each check, for each case that was not measured (skipped, with the reason),
 * and for each failure trial. A trial fails if an audit found what no fault may cause: a write that was never sent, a wrong value, a key
 * that nobody wrote, or nodes that did not agree again. Lost writes are a result and no failure: `async` loses some. Where a mode
 * promises that nothing is lost, a check of the benchmark says so.
 */
import XMLBuilder from 'fast-xml-builder';
import { sum } from '../stats/statistics.js';
import { cleaned, cleanLine } from '../untrusted.js';

/**
 * @import { AuditResult, TrialResult } from './failure-schema.js'
 * @import { BenchmarkResult, Result } from './schema.js'
 */

/**
 * @typedef {Object} TestCase
 * @property {string} name
 * @property {number} [seconds] that it took; default: not known
 * @property {'failure' | 'error' | 'skipped'} [as] default: passed
 * @property {string} [why] with `as`
 * @property {string} [output] what a reader sees of a test, whether it passed or not
 */

/** What a trial may not show, whatever its fault; as `sentinel-bench audit` says it. */
const CLAIMS = /** @type {const} */ ({
  unsentPresent: 'never sent but present',
  wrongValue: 'with a wrong value',
  surplus: 'keys that were never written',
});
/** Two characters that XML forbids, and that are no control characters. */
const NO_XML = /[\ufffe\uffff]/g;
const REPLACEMENT = '\ufffd';

const builder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  format: true,
});

/** @param {Result} result @returns {string} an XML document in UTF-8 */
export function renderJunit(result) {
  return junitDocument(
    `sentinel-bench ${result.suite}`,
    (Date.parse(result.finishedAt) - Date.parse(result.startedAt)) / 1000,
    result.benchmarks.map((benchmark) => suiteOf(result, benchmark)),
  );
}

/**
 * @param {string} name
 * @param {number} seconds
 * @param {readonly ReturnType<typeof suiteElement>[]} suites
 * @returns {string} an XML document in UTF-8
 */
export function junitDocument(name, seconds, suites) {
  const total = (/** @type {'@tests' | '@failures' | '@errors' | '@skipped'} */ count) =>
    sum(suites.map((suite) => suite[count]));
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': line(name),
      '@tests': total('@tests'),
      '@failures': total('@failures'),
      '@errors': total('@errors'),
      '@skipped': total('@skipped'),
      '@time': seconds,
      testsuite: suites,
    },
  });
}

/** @param {Result} result @param {BenchmarkResult} benchmark */
function suiteOf({ suite, startedAt, profile, seed, stack, tool }, benchmark) {
  const tests = [measuring(benchmark), ...checks(benchmark), ...notMeasured(benchmark), ...trials(benchmark)];
  return suiteElement(`sentinel-bench.${suite}.${benchmark.name}`, tests, startedAt, {
    question: benchmark.question,
    profile: profile.name,
    seed,
    version: tool.version,
    backend: stack.backend,
    server: [stack.server.name, stack.server.version].filter(Boolean).join(' '),
  });
}

/**
 * @param {string} className
 * @param {readonly TestCase[]} tests
 * @param {string} startedAt ISO 8601
 * @param {Readonly<Record<string, string | number>>} properties
 */
export function suiteElement(className, tests, startedAt, properties) {
  const counted = (/** @type {TestCase['as']} */ as) => tests.filter((each) => each.as === as).length;
  return {
    '@name': line(className),
    '@tests': tests.length,
    '@failures': counted('failure'),
    '@errors': counted('error'),
    '@skipped': counted('skipped'),
    '@time': rounded(sum(tests.map(({ seconds = 0 }) => seconds))),
    // XML schemas of JUnit want no fractions and no zone. It is UTC.
    '@timestamp': startedAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length),
    properties: {
      property: Object.entries(properties).map(([name, value]) => ({ '@name': name, '@value': line(String(value)) })),
    },
    testcase: tests.map((each) => testCase(className, each)),
  };
}

/** @param {string} className @param {TestCase} test */
function testCase(className, { name, seconds, as, why = '', output }) {
  const message = { '@message': line(why) };
  return {
    '@classname': line(className),
    '@name': line(name),
    ...(seconds !== undefined && { '@time': rounded(seconds) }),
    ...(as === 'skipped' && { skipped: message }),
    ...(as !== undefined && as !== 'skipped' && { [as]: { ...message, '@type': as, '#text': text(why) } }),
    ...(output !== undefined && { 'system-out': text(output) }),
  };
}

/** @param {BenchmarkResult} benchmark @returns {TestCase} */
function measuring({ status, reason, cases, timeline }) {
  // Trials are tests of their own, with their times.
  const seconds = timeline ? undefined : sum(cases.flatMap(({ rounds }) => rounds.map((round) => round.seconds)));
  const name = 'the benchmark is measured';
  if (status === 'ok') return { name, seconds, output: `${cases.length} cases` };
  return { name, seconds, as: status === 'skipped' ? 'skipped' : 'error', why: reason ?? 'no reason is known' };
}

/** @param {BenchmarkResult} benchmark @returns {TestCase[]} */
function checks(benchmark) {
  return benchmark.checks.map(({ name, ok, skipped, detail }) =>
    ok && !skipped
      ? { name, output: detail }
      : { name, as: skipped ? /** @type {const} */ ('skipped') : /** @type {const} */ ('failure'), why: detail },
  );
}

/** @param {BenchmarkResult} benchmark @returns {TestCase[]} */
function notMeasured(benchmark) {
  return (benchmark.notMeasured ?? []).map(({ id, reason }) => ({ name: `case ${id}`, as: 'skipped', why: reason }));
}

/** @param {BenchmarkResult} benchmark @returns {TestCase[]} */
function trials({ cases, timeline = [], audit = [] }) {
  return cases.flatMap((one) =>
    timeline
      .filter((trial) => trial.case === one.id)
      .map((trial, index) =>
        trialTest(
          trial,
          audit.filter((each) => each.case === one.id && each.round === trial.round),
          // The rounds of a failure benchmark are its trials, in the same order.
          one.rounds[index]?.seconds,
        ),
      ),
  );
}

/**
 * @param {TrialResult} trial
 * @param {AuditResult[]} audits one a writer
 * @param {number | undefined} seconds of load
 * @returns {TestCase}
 */
function trialTest({ case: id, round, converged }, audits, seconds) {
  const wrong = audits.flatMap((audit) =>
    Object.entries(CLAIMS).flatMap(([field, what]) => {
      const count = audit[/** @type {keyof typeof CLAIMS} */ (field)];
      return count > 0 ? [`${audit.writer}: ${count} ${what}`] : [];
    }),
  );
  if (converged === null) wrong.push('the nodes did not agree again');
  return {
    name: `trial ${round} of ${id}`,
    seconds,
    ...(wrong.length > 0 && { as: /** @type {const} */ ('failure'), why: wrong.join('; ') }),
    output: audits.map(summaryOf).join('\n'),
  };
}

/** @param {AuditResult} audit */
function summaryOf({ writer, acked, ackedLost, rejected, unknown, unavailableMs }) {
  const outage = unavailableMs === null ? 'unavailable until the end' : `unavailable for ${unavailableMs} ms`;
  return `${writer}: ${acked} acked, ${ackedLost} of them lost, ${rejected} rejected, ${unknown} unknown; ${outage}`;
}

/** @param {number} seconds @returns {number} to the millisecond */
function rounded(seconds) {
  return Number(seconds.toFixed(3));
}

/** @param {string} untrusted @returns {string} for an attribute, in which XML readers turn line ends into spaces */
function line(untrusted) {
  return cleanLine(untrusted).replaceAll(NO_XML, REPLACEMENT);
}

/** @param {string} untrusted */
function text(untrusted) {
  return cleaned(untrusted).replaceAll(NO_XML, REPLACEMENT);
}
