/**
 * The configuration sweep: what nobody is to read into its figures.
 */
import { median } from '../measure/statistics.js';
import { BATCHES, LOSING } from './decision.js';
import { faultOf, sawFailover } from './failure-steps.js';
import { milliseconds } from './failure-words.js';
import { plural } from './format.js';

/**
 * @typedef {import('./decision.js').DecisionRow} DecisionRow
 * @typedef {import('./schema.js').Result} Result
 */

/** A shorter round trip between nodes is none over a network worth the name. */
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
      : ` ${busy} of ${plural(figures.length, 'throughput')} ${busy === 1 ? 'was' : 'were'} limited by the machine, whose ${plural(environment.cores, 'core')} all nodes and the load share.`;
  return [
    `What a configuration costs is that of this stack: WAIT waits for a round trip between nodes, \`appendfsync always\` for the disk. Elsewhere the shares of async are others.${shared}`,
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
    `The trials keep the lost primary away for ${low === high ? low : `${low} … ${high}`}. What needs it back, because too few replicas are left without it or because a writer stays with it, is unavailable until it is: in another outage, for as long as that one lasts.`,
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
      `The kill lost nothing with any configuration here${far}, so it tells none of them apart: what the primary had handed to its system was still sent.${near ? ' Over a longer link more is under way when it dies; `--link-latency 5ms` measures that.' : ''}`,
    );
  } else if (link !== null) {
    notes.push(`What a kill loses depends on the link: here a round trip between nodes took ${milliseconds(link)}.`);
  }
  // What a command of somebody else's does to a node is not known.
  const process = 'A kill ends a process, not its machine: what its file system had not yet written survives it. ';
  notes.push(
    `${cluster.backend === 'external' ? '' : process}Power cuts were not measured, so nothing here tells what AOF or WAITAOF save then.`,
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
  const notes = ['`0 of N` says none of N in this failure, on this machine, in so many trials; it does not say never.'];
  const replicas = cluster.nodes.filter(({ kind }) => kind === 'redis').length - 1;
  if (rows.some((row) => row.params.wait > 0 && row.params.wait < replicas && nothing(row)))
    notes.push(
      'Each trial has one failure, and replicas that keep up until then. What only some of them had acknowledged to WAIT is lost when another one is promoted, because they are gone as well or because a Sentinel prefers it; that was not tried.',
    );
  return notes;
}
