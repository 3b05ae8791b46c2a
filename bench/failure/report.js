/**
 * The front page of a failure run, and what details.md begins with.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { wasRestarted } from '../../src/audit/judgement.js';
import { chart, code, heading, list, text } from '../../src/report/blocks.js';
import { count, plural } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds, NOT_MEASURED, TO_THE_END } from '../../src/report/trials/figures.js';
import { ALL_NOTE, openRisk, trialsText } from '../../src/report/trials/losses.js';
import { median } from '../../src/stats/statistics.js';
import { trialRows } from '../experiments/cases.js';
import { placementAdvice, testedPlacement } from '../experiments/placement.js';
import { COORDINATED } from '../experiments/planned-failover.js';
import { explainedScenarios, scenarioTitle, worstRows } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';
import { busyText } from '../pages/busy.js';
import { clientCode, clientStep, pastedName, rollOut, rollOutBlocks, settingsStep } from '../pages/paste.js';
import { coordinatedCommand, failoverCommand, failoverRunbook, PLANNED_FAILOVER } from '../pages/planned-failover.js';
import { chosenMode, failureAnswer, notTried, untestedFaults } from './answer.js';
import { choices } from './choices.js';
import { lossTables } from './loss-table.js';
import { outageTable } from './outage-table.js';
import { failureOverview } from './overview-chart.js';
import { SCENARIOS } from './scenarios.js';
import { libraryTable, modeTable, PLACES_TEXT, riskTable } from './tables.js';

const MINIMUM = 'min-replicas-to-write';
const KILLED = 'primary-killed';
const PLANNED = 'planned-failover';
const POWER_LOST = 'primary-power-lost';
/** A primary that asks for so many replicas refuses writes as soon as one of two is away. */
const FEW_REPLICAS = 2;
const WAITING_CLIENT =
  'It sends a write and its `WAIT` on one connection, reads the count, and moves at `+switch-master`.';
const REFUSES_NOTE =
  'With min-replicas 2 of two replicas the primary refuses the writes of all clients, also of those without WAIT, while a node is away (silent for 10 s), and after a failover until the old primary is back. `CONFIG SET min-replicas-to-write 1` on the primary lets writes without WAIT go on; WAIT 2 still confirms none. Set 2 again when both replicas are in sync.';
/** A machine that was too busy in a larger share of the trials is part of the answer. */
const TOO_OFTEN = 0.1;

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function failurePage(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const [lost] = failureOverview(result);
  return {
    answer: [...failureAnswer(result), ...restartedText(failures), ...busyText(result, { least: TOO_OFTEN })],
    evidence: [
      ...choices(failures, result.stack),
      ...(lost ? [chart(lost)] : []),
      ...lossTables(failures),
      ...outageTable(failures, result.stack),
    ],
    actions: actionsOf(result, failures),
    limits: [...faultText(failures, result), ...limitsOf(result, failures)],
    // The answer and the tables have what decides, and details.md all findings.
    covers: SCENARIOS.map(({ name }) => name),
  };
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} sentences; empty: no supervisor restarted a primary
 */
function restartedText(failures) {
  return failures.flatMap(({ name, timeline = [] }) => {
    const restarted = timeline.filter(wasRestarted).length;
    if (restarted === 0) return [];
    return [
      `${scenarioTitle(name)}: in ${restarted} of ${plural(timeline.length, 'trial')} a supervisor restarted the primary before a replica was promoted. They count.`,
    ];
  });
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Result} result
 * @returns {string[]} for how long the faults of the tables last; empty: their titles say all
 */
function faultText(failures, result) {
  const { healthySeconds } = result.profile;
  if (explainedIn(failures).length === 0) return [];
  return [
    `“What each fault does” is a section of \`details.md\`. Unless it says otherwise, a fault lasts until a replica was promoted and ${healthySeconds === undefined ? 'a while' : milliseconds(healthySeconds * 1000)} more, also in modes that refuse writes until the fault ends. Then the old primary comes back, and clients write until the Sentinels have demoted it. ${testedPlacement(result)}`,
  ];
}

/** @param {readonly BenchmarkResult[]} failures */
function explainedIn(failures) {
  return explainedScenarios([...new Set(worstRows(failures).map(({ fault }) => fault.title))]);
}

/**
 * @param {Result} result
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Block[]}
 */
function actionsOf(result, failures) {
  const planned = failures.filter(({ name }) => name === PLANNED).flatMap((benchmark) => trialRows(benchmark));
  const name = pastedName(result.stack.masterName);
  /** Never advise a way that lost a write in any mode. @param {string} wanted */
  const lossless = (wanted) => {
    const trials = planned.filter(({ one }) => one.params.way === wanted);
    if (trials.length === 0 || trials.some(({ loss }) => loss.lost > 0)) return [];
    const [{ one }] = trials;
    return [
      {
        modes: trials.length === 1 ? modeTitle(one.params) : `each of ${trials.length} modes`,
        acked: trials.reduce((sum, { loss }) => sum + loss.acked, 0),
        trials: trialsText(trials.map(({ loss }) => loss)),
      },
    ];
  };
  const chosen = chosenMode(failures)?.mode;
  /** @param {string} wanted @returns {string} after a space; empty: the chosen mode went through it */
  const untried = (wanted) =>
    chosen === undefined || planned.some(({ one }) => one.params.way === wanted && modeTitle(one.params) === chosen)
      ? ''
      : `, not tried with ${chosen}`;
  return [
    ...modeBlocks(failures, name),
    ...placementAdvice(result).map(text),
    ...lossless('by-hand').flatMap(({ modes, acked, trials }) => {
      const lost = `${PLANNED_FAILOVER} With ${modes} it lost 0 of ${count(acked)} acknowledged writes (${trials})${untried('by-hand')}`;
      // Beside a mode to set up it is no step of the set-up, and nobody should paste it with the others.
      return chosen === undefined
        ? [text(`${lost}:`), code(failoverRunbook(name), 'sh')]
        : [
            text(
              `${lost}. In a clone of this repository, with passwords in \`REDISCLI_AUTH\` and \`SENTINEL_AUTH\`: \`${failoverCommand(name)}\``,
            ),
          ];
    }),
    ...lossless(COORDINATED).flatMap(({ modes, acked, trials }) => [
      text(
        `Planned failover in one command, which lost 0 of ${count(acked)} acknowledged writes with ${modes} (${trials}):`,
      ),
      code(coordinatedCommand(name), 'sh'),
    ]),
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {string} name of the primary
 * @returns {Block[]} settings and code of the chosen mode; empty: none was chosen
 */
function modeBlocks(failures, name) {
  const choice = chosenMode(failures);
  if (!choice) return [];
  const { mode, modeRows } = choice;
  const [{ one }] = modeRows;
  const { settings } = one.params;
  return [
    text([clientStep(one.params), ...(one.params.wait > 0 ? [WAITING_CLIENT] : [])].join(' ')),
    code(clientCode(one.params, name), 'js'),
    ...rollOutBlocks(
      rollOut(mode, settings, name),
      settingsStep(settings?.[MINIMUM], Number(settings?.[MINIMUM]) >= FEW_REPLICAS ? REFUSES_NOTE : ''),
    ),
  ];
}

/**
 * @param {Result} result
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]}
 */
function limitsOf(result, failures) {
  const { stack } = result;
  const losses = failures.flatMap((benchmark) => trialRows(benchmark)).map(({ loss }) => loss);
  const killed = failures.filter(({ name }) => name === KILLED).flatMap((each) => trialRows(each));
  const powerLost = failures.some(({ name }) => name === POWER_LOST);
  /** @type {string[]} */
  const limits = [];
  // With a chosen mode the answer says so.
  if (losses.length > 0 && !chosenMode(failures))
    limits.push(`${openRisk(losses)} Not tested: ${untestedFaults(failures).join(', ')}.`);
  const missing = notTried(failures);
  const without =
    missing && missing.faults.length > 0 ? `${missing.mode} was not tried in: ${missing.faults.join('; ')}. ` : '';
  if (losses.length > 0)
    limits.push(
      chosenMode(failures)
        ? `${without}Losses grow with the write rate, and costs with distance (first table).`
        : `${without}Losses grow with the write rate.`,
    );
  if (powerLost)
    limits.push(
      'The disk that lost power is emulated. The kernel still sent what the primary’s process had given it, so a promoted replica lost less than it may elsewhere. ' +
        'In a power loss RDB loses all since its last snapshot, and AOF without fsync all since the kernel last flushed by itself: longer loads lose more.',
    );
  limits.push(...unusualText(failures));
  limits.push(...busyText(result, { most: TOO_OFTEN }));
  if (stack.path === 'loopback' && killed.length > 0 && killed.every(({ loss }) => loss.lost === 0))
    limits.push(
      'With the tool’s own client the kill lost nothing in any mode, because loopback delivers what a dead process had sent. On a network async may lose writes; `--link-latency 5ms` shows more.',
    );
  return limits;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} conditions of faults that differ from those of the other faults
 */
function unusualText(failures) {
  const cases = failures.flatMap(({ name, cases: results }) => results.map(({ params }) => ({ name, params })));
  const delays = cases.flatMap(({ params }) => params.downAfterMs ?? []);
  const often = (/** @type {number} */ ms) => delays.filter((each) => each === ms).length;
  const [usual, ...others] = [...new Set(delays)].toSorted((a, b) => often(b) - often(a));
  const unusual = others.map((ms) => {
    const names = cases
      .filter(({ params }) => params.downAfterMs === ms)
      .map(({ name, params }) => scenarioTitle(name, params));
    const why = ms > usual ? ' (there the primary must be back before a failover)' : '';
    return `${milliseconds(ms)} in ${[...new Set(names)].join('; ')}${why}`;
  });
  return [
    ...(unusual.length > 0
      ? [
          `Down-after was ${milliseconds(usual)}; a longer one makes outages longer by the difference. It was ${unusual.join(', and ')}.`,
        ]
      : []),
  ];
}

/**
 * @param {Result} result
 * @returns {Block[]} the other charts and the complete tables
 */
export function failureDetails(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const [, ...charts] = failureOverview(result);
  const modes = modeTable(failures);
  const groups = modeTable(failures, { placed: true });
  const libraries = libraryTable(failures);
  const risks = riskTable(failures);
  const faults = explainedIn(failures);
  const tables = [
    ...(risks.rows.length > 0 ? [heading(2, 'Losses and outages over the trials'), risks, text(RISK_NOTE)] : []),
    ...(modes.rows.length > 0
      ? [
          heading(2, 'All losses and outages'),
          modes,
          ...missing(result, modes),
          list(modeNotes(failures, result.profile.trials ?? null)),
        ]
      : []),
    ...(groups.rows.length > 0
      ? [
          heading(3, 'Partitions of groups, by where the client is'),
          groups,
          text(`${PLACES_TEXT}.${separatedBy(failures)}`),
        ]
      : []),
    ...(libraries.rows.length > 0
      ? [heading(3, 'Sentinel clients of the libraries'), libraries, list(LIBRARY_NOTES)]
      : []),
  ];
  return [
    ...(charts.length > 0 ? [heading(2, 'Risks, outages and stale reads')] : []),
    ...charts.map(chart),
    ...(faults.length > 0 ? [heading(2, 'What each fault does'), list(faults)] : []),
    ...tables,
  ];
}

/** @param {readonly BenchmarkResult[]} failures */
function separatedBy(failures) {
  const by = new Set(failures.flatMap(({ timeline = [] }) => timeline.flatMap(({ network }) => network ?? [])));
  return by.size === 0 ? '' : ` Packets between groups were dropped by ${[...by].join(' and ')}.`;
}

const RISK_NOTE =
  'risk of a loss: exact 95% interval (Clopper–Pearson) of the probability that such a failure loses an acknowledged write; after ≤, ' +
  'its upper bound when no trial lost one. Medians are over all trials, those without a loss included. Clients that lost nothing are in the next table only.';

/**
 * @param {Result} result
 * @param {TableBlock} whole
 * @returns {Block[]} names scenarios that are not in the table, so that they do not look like scenarios without a loss
 */
function missing({ benchmarks }, { rows }) {
  const without = benchmarks.filter(
    ({ name, status }) => status !== 'ok' && rows.every(({ benchmark }) => benchmark.name !== name),
  );
  if (without.length === 0) return [];
  return [text(`Not measured: ${without.map(({ name, status }) => `${scenarioTitle(name)} (${status})`).join(', ')}.`)];
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {number | null} trialsAsked trials a case; null: unknown
 */
function modeNotes(benchmarks, trialsAsked) {
  const trials = Math.max(
    0,
    ...benchmarks.flatMap(({ timeline = [] }) => timeline.map(({ round }) => round)),
    trialsAsked ?? 0,
  );
  const sums = trials > 1 ? `, sum of ${trials} trials and the range of a trial` : '';
  const middle = trials > 1 ? ', median of the trials' : '';
  return [
    'sticky, failover-aware: two writers side by side, each with its own keys. The sticky one keeps its connections until an error and then asks the Sentinels for the primary; the failover-aware one also moves at `+switch-master`.',
    `lost: acknowledged writes (OK, with the WAIT count that was asked for) that are not on the primary after healing, and their share${sums}. ${ALL_NOTE}.`,
    `unavailable: longest time without an acknowledgement after the fault began${middle}. At least the time between two writes. “${TO_THE_END}”: no acknowledgement until the writers stopped.`,
    `split brain: longest time for which the former primary accepted writes after the new primary accepted its first${trials > 1 ? ', of all trials' : ''}.`,
    'refused: writes answered with an error that says they were not applied, and their share of the attempted writes.',
    `${NOT_MEASURED} : not measured.`,
    ...linkNotes(benchmarks),
  ];
}

/** @param {readonly BenchmarkResult[]} benchmarks */
function linkNotes(benchmarks) {
  const latencies = new Set(benchmarks.flatMap(({ cases }) => cases.map(({ params }) => params.linkLatencyMs ?? 0)));
  const measured = benchmarks
    .flatMap(({ timeline = [] }) => timeline.map(({ linkMs }) => linkMs))
    .filter((ms) => ms !== null);
  if (measured.length === 0) return [];
  const round = `A round trip between nodes took ${milliseconds(median(measured))} before the faults (median of ${plural(measured.length, 'trial')})`;
  const [only] = latencies;
  if (latencies.size > 1) return [`link: added to each round trip between nodes. ${round}.`];
  return only > 0
    ? [`${round}, of which ${milliseconds(only)} were added.`]
    : [`${round}; no latency was added (\`--link-latency 5ms\` adds some).`];
}

const LIBRARY_NOTES = Object.freeze([
  'node-redis, ioredis: default options, with the queues, redirections and repeated writes of the library. detector: with `failoverDetector: true`. example: the client in `examples/`. The clients of a library write side by side.',
  'false acks: writes acknowledged by a WAIT on another connection than the write’s; that count says nothing about the write.',
  'applied twice: the library sent the write again although it had been applied.',
  'unknown: no answer before the client was closed. unsent: due, but too many writes were under way.',
  'stale reads: reads on a replica right after an acknowledgement that did not show the write, of all answered; all clients of the library together.',
]);
