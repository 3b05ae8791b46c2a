/**
 * What the configuration sweep cannot show.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { DecisionRow } from './decision.js'
 */

import { plural } from '../../src/report/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { faultOf, sawFailover } from '../../src/report/trials/timeline.js';
import { median } from '../../src/stats/statistics.js';
import { BATCHES, LOSING } from './decision.js';

/** A shorter round trip between nodes is no real network. */
const SHORT_LINK_MS = 1;

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} sentences, with code between backticks
 */
export function limitsOfTheTable(result, rows) {
  return [...costLimits(result, rows), ...awayLimits(result), ...killLimits(result, rows), ...lossLimits(result, rows)];
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function costLimits({ cluster, environment }, rows) {
  const figures = rows.flatMap(({ healthy }) => BATCHES.flatMap((batch) => healthy[batch] ?? []));
  if (figures.length === 0) return [];
  const busy = figures.filter(({ limitedBy }) => limitedBy === 'machine').length;
  const shared =
    busy === 0 || cluster.backend === 'external'
      ? ''
      : ` The machine limited ${busy} of ${plural(figures.length, 'throughput')}: nodes and load share ${plural(environment.cores, 'core')}.`;
  return [
    `Costs are those of this stack: WAIT waits for a round trip between nodes, \`appendfsync always\` for the disk.${shared}`,
  ];
}

/** @param {Result} result */
function awayLimits({ benchmarks }) {
  const lengths = benchmarks
    .filter(({ name }) => Object.values(LOSING).includes(name))
    .flatMap(({ timeline = [] }) => timeline.filter(sawFailover))
    .flatMap((trial) => faultOf(trial) ?? [])
    .map(({ from, to }) => to - from)
    .filter(Number.isFinite);
  if (lengths.length === 0) return [];
  const [low, high] = [Math.min(...lengths), Math.max(...lengths)].map(milliseconds);
  return [
    `The lost primary was away for ${low === high ? low : `${low} to ${high}`}. Modes that need it back (too few replicas left, or a sticky client) were unavailable just as long.`,
  ];
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function killLimits({ benchmarks, cluster }, rows) {
  const kills = rows.flatMap(({ lost }) => lost.kill ?? []);
  if (kills.length === 0) return [];
  const notes = [];
  const links = benchmarks
    .filter(({ name }) => name === LOSING.kill)
    .flatMap(({ timeline = [] }) => timeline.map(({ linkMs }) => linkMs))
    .filter((ms) => ms !== null);
  const link = links.length === 0 ? null : median(links);
  const far = link === null ? '' : ` (a round trip between nodes took ${milliseconds(link)})`;
  if (kills.every(({ lost }) => lost === 0)) {
    const near = link === null || link < SHORT_LINK_MS;
    notes.push(
      `The kill lost nothing with any mode${far}: the kernel still delivered what the process had sent.${near ? ' `--link-latency 5ms` measures a longer link.' : ''}`,
    );
  } else if (link !== null) {
    notes.push(`Losses of a kill depend on the link: here a round trip between nodes took ${milliseconds(link)}.`);
  }
  // The user's own command may do more than kill a process.
  const process = 'A kill ends a process, not its machine, so unsynced files survive. ';
  notes.push(
    `${cluster.backend === 'external' ? '' : process}Power loss was not tested, so AOF and WAITAOF show nothing here.`,
  );
  return notes;
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} rows
 */
function lossLimits({ cluster }, rows) {
  const nothing = (/** @type {DecisionRow} */ { lost }) => Object.values(lost).some((loss) => loss?.lost === 0);
  if (!rows.some(nothing)) return [];
  const notes = [];
  const replicas = cluster.nodes.filter(({ kind }) => kind === 'redis').length - 1;
  if (rows.some((row) => row.params.wait > 0 && row.params.wait < replicas && nothing(row)))
    notes.push(
      'Not tested: two failures at once. A write that only one replica confirmed is lost when that replica fails too.',
    );
  return notes;
}
