/**
 * A comparison across systems, from results of several suites: what each promise costs, what it loses, and how it behaves. It names no
 * winner: the systems do different work, and were measured with different clients.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { Result } from '../../src/result/schema.js'
 */
import { happened } from '../../src/audit/judgement.js';
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { count, serverText } from '../../src/format.js';
import { text } from '../../src/report/blocks.js';
import { costText } from '../../src/report/costs.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { variationName } from '../../src/result/variation.js';
import { IN_PLACE } from '../experiments/primary-power-lost.js';
import { suiteTerms } from '../facts.js';
import { totalOf } from '../pages/fact-table.js';
import { lossOf, worstCell } from '../pages/trials.js';
import { isSemiSync } from './courses.js';
import { WRITER } from './titles.js';

/**
 * @typedef {Object} SystemMode
 * @property {'redis' | 'mariadb'} system
 * @property {string} title
 * @property {string} mode of its cases
 * @property {string} [costMode] whose cost it has; default: its own
 */

/** @type {readonly SystemMode[]} */
const MODES = Object.freeze([
  { system: 'redis', title: 'Redis async', mode: 'async' },
  { system: 'redis', title: 'Redis WAIT 1', mode: 'wait1' },
  { system: 'redis', title: 'Redis WAIT 2', mode: 'wait2' },
  { system: 'redis', title: 'Redis AOF everysec', mode: 'aof' },
  { system: 'redis', title: 'Redis AOF always', mode: 'aof-always' },
  { system: 'mariadb', title: 'MariaDB async', mode: 'async' },
  { system: 'mariadb', title: 'MariaDB semi-sync AFTER_COMMIT', mode: 'after-commit' },
  { system: 'mariadb', title: 'MariaDB semi-sync AFTER_SYNC', mode: 'after-sync' },
  // The timeout decides nothing while replicas answer.
  {
    system: 'mariadb',
    title: 'MariaDB AFTER_SYNC + no fallback',
    mode: 'after-sync-no-fallback',
    costMode: 'after-sync',
  },
]);
/** The benchmarks of a column, by system; the first that was measured counts. */
const KILLED = Object.freeze({ redis: ['primary-killed', 'sweep-killed'], mariadb: ['semi-sync-killed'] });
const FAULTS = Object.freeze({
  killed: KILLED,
  'machine lost': { redis: ['primary-machine-lost', 'sweep-machine-lost'], mariadb: ['semi-sync-machine-lost'] },
  partition: { redis: ['primary-partition', 'sweep-partition'], mariadb: ['semi-sync-partition'] },
  'power lost': { redis: ['primary-power-lost', 'sweep-power-lost'], mariadb: ['semi-sync-power-lost'] },
});
const REPLICAS_FROZEN = Object.freeze({
  redis: ['replicas-paused', 'sweep-both-replicas-paused'],
  mariadb: ['semi-sync-replicas-frozen'],
});
/** With one write at a time; MariaDB over ten connections. */
const COSTS = Object.freeze({ redis: ['sweep-healthy', 'async-vs-wait'], mariadb: ['semi-sync-cost'] });
const MARIADB_CONNECTIONS = 10;

/** @typedef {Record<'redis' | 'mariadb', readonly string[]>} Benchmarks */

/**
 * @param {readonly Result[]} results of any suites; of a benchmark that is in several of them, the last counts
 * @returns {Block[]} empty: none of them measured a failure or a cost of one of the modes
 */
export function systemsBlocks(results) {
  const rows = latest(results.map((result) => rowsOf(result, suiteTerms)));
  const fellBack = casesThatFellBack(results);
  /** @type {(mode: SystemMode, benchmarks: Benchmarks, writer?: string) => CaseFigures | undefined} */
  const trials = ({ system, mode }, benchmarks, writer = NATIVE) =>
    benchmarks[system]
      .flatMap((experiment) => where(rows, { experiment, mode, writer }))
      .find(({ params }) => ['', IN_PLACE].includes(variationName(params)));
  /** @type {(title: string, text: (mode: SystemMode) => string) => ColumnSpec} */
  const column = (title, cell) => ({ title, text: cell, align: 'right', kept: true });
  const lost = (/** @type {CaseFigures | undefined} */ row) => (row ? worstCell(lossOf([row])) : NOT_MEASURED);
  const first = { title: 'mode', text: (/** @type {SystemMode} */ { title }) => title };
  const losses = [
    column('cost', (mode) => costText(costOf(rows, mode)?.of.cost)),
    ...Object.entries(FAULTS).map(([fault, benchmarks]) =>
      column(`lost: ${fault}`, (mode) => lost(trials(mode, benchmarks))),
    ),
  ];
  const behaviour = [
    column('outage', (mode) => FORMATS.seconds(figure(trials(mode, KILLED) ?? NOTHING, 'outage'))),
    column('phantoms', (mode) => phantoms(Object.values(FAULTS).flatMap((each) => trials(mode, each, WRITER) ?? []))),
    column('replicas do not answer', (mode) => silence(trials(mode, REPLICAS_FROZEN, WRITER), fellBack)),
    column('lost after that', (mode) => lost(trials(mode, REPLICAS_FROZEN))),
  ];
  const modes = MODES.filter((mode) =>
    [...losses, ...behaviour].some((each) => 'text' in each && each.text(mode) !== NOT_MEASURED),
  );
  if (modes.length === 0) return [];
  const servers = new Set(results.map(({ stack: { server } }) => serverText(server)));
  return [
    text([...servers].join(', ')),
    tableOf([first, ...losses], /** @type {any} */ (modes)),
    text(
      'Lost: acknowledged writes, in the worst trial. Cost: of throughput, against async of the same system; Redis with one connection, MariaDB with ten. The systems ' +
        'do different work: compare modes of one system.',
    ),
    tableOf([first, ...behaviour], /** @type {any} */ (modes)),
    text(
      'Outage: after the kill, median. Phantoms: in all faults, writes without an acknowledgement that the old primary has.',
    ),
  ];
}

const NOTHING = /** @type {CaseFigures} */ (/** @type {unknown} */ ({ of: {} }));

/** @param {readonly CaseFigures[][]} runs @returns {CaseFigures[]} of each benchmark those of the last run that has it */
function latest(runs) {
  const last = new Map(runs.flatMap((rows, i) => rows.map(({ experiment }) => /** @type {const} */ ([experiment, i]))));
  return runs.flatMap((rows, i) => rows.filter(({ experiment }) => last.get(experiment) === i));
}

/** @param {readonly Result[]} results @returns {ReadonlySet<string>} benchmark and case */
function casesThatFellBack(results) {
  return new Set(
    results.flatMap(({ benchmarks }) =>
      benchmarks.flatMap(({ name, timeline = [] }) =>
        timeline.filter((trial) => happened(trial, 'async-fallback')).map((trial) => `${name} ${trial.case}`),
      ),
    ),
  );
}

/** @param {readonly CaseFigures[]} rows @param {SystemMode} mode @returns {CaseFigures | undefined} */
function costOf(rows, { system, mode, costMode = mode }) {
  return COSTS[system]
    .flatMap((experiment) => where(rows, { experiment, mode: costMode }))
    .find(
      ({ params }) =>
        params.pipeline === 1 &&
        params.rate === undefined &&
        params.connections === (system === 'mariadb' ? MARIADB_CONNECTIONS : 1),
    );
}

/** @param {readonly CaseFigures[]} rows @returns {string} where the old primary stayed the primary: the unconfirmed writes that it has */
function phantoms(rows) {
  if (rows.length === 0) return NOT_MEASURED;
  const of = (/** @type {CaseFigures} */ row) =>
    totalOf(row, row.of['former-primary-extra-untold'] ? 'former-primary-extra-untold' : 'unknown-present');
  return count(rows.reduce((all, row) => all + of(row), 0));
}

/** @param {CaseFigures | undefined} row of frozen replicas @param {ReadonlySet<string>} fellBack @returns {string} what the primary did */
function silence(row, fellBack) {
  if (row === undefined) return NOT_MEASURED;
  if (totalOf(row, 'rejected') > 0) return 'refuses writes';
  if (totalOf(row, 'under-acked') > 0) return 'answers with too low a count';
  if (fellBack.has(`${row.experiment} ${row.caseId}`)) return 'falls back to async';
  return isSemiSync(row.params) ? 'waits' : 'goes on';
}
