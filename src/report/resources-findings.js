/**
 * The benchmark `resources` in sentences: what replication and reading from replicas cost, and on which node.
 */
import { bytes, duration, percent, rate } from './format.js';
import { acked, caseFor, sentToReplicas, topologiesOf, useOf } from './resources.js';
import { REPLICATION_SEED } from './seeds.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./resources.js').Operation} Operation
 */

/** @type {Record<string, string>} by operation */
const ACTIVITIES = { idle: 'idle', set: 'writing', get: 'reading', ping: 'pinging' };

/** What a claim's “quite a bit” is taken for: so much of throughput. */
const QUITE_A_BIT = 0.1;
/** What a claim's “way less” is taken for: no more than this share of what it was. */
const WAY_LESS = 0.5;
/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function resourceFindings(benchmark) {
  return [
    readingFinding(benchmark),
    writingFinding(benchmark),
    streamFinding(benchmark),
    idleFinding(benchmark),
    ...claims(benchmark),
  ].filter((finding) => finding !== null);
}

/**
 * @param {CaseResult} result
 * @returns {string} such as `reading, from the replicas`
 */
export function activityOf({ params }) {
  return `${ACTIVITIES[params.operation ?? 'set']}${params.readFrom === 'replicas' ? ', from the replicas' : ''}`;
}

/** @param {number | null | undefined} share */
export function cpuText(share) {
  return share == null ? 'not known' : percent(share);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Operation} operation
 * @returns {{title: string, replicas: number, result: CaseResult}[]} of each topology that was measured, the one without replicas
 *   first
 */
function measured({ cases }, operation) {
  return topologiesOf(cases)
    .flatMap((topology) => {
      const result = caseFor(topology, operation);
      return result ? [{ title: topology.title, replicas: topology.replicas ?? 0, result }] : [];
    })
    .sort((a, b) => a.replicas - b.replicas);
}

/** @param {readonly {result: CaseResult}[]} measured */
const evidenceOf = (measured) => measured.map(({ result }) => result.id);

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function readingFinding(benchmark) {
  const own = measured(benchmark, 'get');
  if (own.length < 2) return null;
  const told = own.map(({ replicas, result }) => {
    const at = rate(result.summary.throughput.median);
    const primary = cpuText(useOf(result, 'primary')?.cpu);
    const limit = limitText(result);
    if (replicas === 0) return `with no replicas, ${at} take ${primary} of a CPU of the primary${limit}`;
    const theirs = cpuText(useOf(result, 'replica')?.cpu);
    const whom = replicas === 1 ? 'the replica' : `${replicas} replicas`;
    const where = replicas === 1 ? 'of the replica' : 'of the replicas together';
    return `sent to ${whom}, ${at} take ${primary} of the primary and ${theirs} ${where}${limit}`;
  });
  return { text: `Reading: ${told.join('; ')}${oneRound(own)}`, evidence: evidenceOf(own) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function writingFinding(benchmark) {
  const own = measured(benchmark, 'set');
  const base = own[0]?.result.summary.throughput.median;
  if (own.length < 2 || !base) return null;
  const told = own.map(({ title, result }, i) => {
    const { throughput } = result.summary;
    const share = i === 0 ? '' : ` (${percent(throughput.median / base)} of that)`;
    const cpu = cpuPerWrite(result);
    const cost = cpu === null ? '' : `, ${duration(cpu)} of the primary’s CPU a write`;
    return `${title}: ${rate(throughput.median)}${share}${cost}${limitText(result)}`;
  });
  return { text: `Writing with ${told.join('; ')}${oneRound(own)}`, evidence: evidenceOf(own) };
}

/** @param {CaseResult} result */
function limitText({ summary: { limitedBy } }) {
  return limitedBy === 'nothing' ? '' : `, limited by the ${limitedBy}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null} null: no replica, or a server that does not count it
 */
function streamFinding(benchmark) {
  const own = measured(benchmark, 'set').filter(({ replicas }) => replicas > 0);
  const told = own.flatMap(({ title, replicas, result }) => {
    const sent = sentToReplicas(result);
    const writes = acked(result);
    return sent === null || writes === 0 ? [] : `${bytes(Math.round(sent / writes / replicas))} with ${title}`;
  });
  if (told.length === 0) return null;
  const value = bytes(own[0].result.params.payloadBytes);
  return {
    text: `For each acknowledged write of ${value} the primary sent every replica ${told.join('; ')}`,
    evidence: evidenceOf(own),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function idleFinding(benchmark) {
  const own = measured(benchmark, 'idle');
  if (own.length === 0) return null;
  const told = own.map(({ title, replicas, result }) => {
    const nodes = [`primary ${cpuText(useOf(result, 'primary')?.cpu)}`];
    if (replicas > 0) nodes.push(`replicas ${cpuText(useOf(result, 'replica')?.cpu)}`);
    const sentinels = useOf(result, 'sentinel');
    if (sentinels) nodes.push(`Sentinels ${cpuText(sentinels.cpu)}`);
    return `${title}: ${nodes.join(', ')}`;
  });
  return {
    text: `Idle, CPU of one core, nodes of a kind together: ${told.join('; ')}`,
    evidence: evidenceOf(own),
  };
}

/**
 * What the article found of MySQL, held against Redis.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
function claims(benchmark) {
  const findings = [];
  const say = (/** @type {string} */ claim, /** @type {boolean} */ holds) =>
    `The claim that ${claim} (“${REPLICATION_SEED}”, of MySQL) ${holds ? 'holds' : 'does not hold'} here`;

  const [alone, replicated] = pairOf(measured(benchmark, 'set'));
  const before = alone?.summary.throughput.median;
  if (before && replicated) {
    const lost = 1 - replicated.summary.throughput.median / before;
    const what =
      lost >= 0 ? `one replica takes ${percent(lost)} of throughput` : `throughput is ${percent(-lost)} higher`;
    findings.push({
      text:
        `${say('async replication with one replica affects writing quite a bit', lost >= QUITE_A_BIT)}: ` +
        `${what}${sharedCores(alone, replicated)}; there it took 21 %. Quite a bit: at least ${percent(QUITE_A_BIT)}`,
      evidence: [alone.id, replicated.id],
    });
  }

  const [reading, routed] = pairOf(measured(benchmark, 'get'));
  const [own, spared] = [reading, routed].map((one) => one && useOf(one, 'primary')?.cpu);
  if (reading && routed && own && spared != null) {
    const ratio = routed.summary.throughput.median / reading.summary.throughput.median;
    findings.push({
      text:
        `${say('reads sent to a replica leave the main instance with way less load', spared <= WAY_LESS * own)}: its CPU goes ` +
        `from ${percent(own)} to ${percent(spared)}, at ${percent(ratio)} of the throughput; there it went from 509 % to 17 %, ` +
        `at 91 %. Way less: at most ${percent(WAY_LESS)} of it`,
      evidence: [reading.id, routed.id],
    });
  }
  return findings;
}

/**
 * @param {ReturnType<typeof measured>} own
 * @returns {(CaseResult | undefined)[]} without replicas, and with one
 */
function pairOf(own) {
  return [0, 1].map((wanted) => own.find(({ replicas }) => replicas === wanted)?.result);
}

/**
 * A replica that takes CPU from the primary and the load is a cost that machines of their own would not have.
 *
 * @param {CaseResult[]} results
 */
function sharedCores(...results) {
  const machine = results.some(({ summary }) => summary.limitedBy === 'machine');
  return machine ? ', on cores that all nodes and the load share and that were busy' : '';
}

/** @param {readonly {result: CaseResult}[]} own */
function oneRound(own) {
  const [first] = own;
  const { rounds } = first.result;
  const length = `${Number(rounds[0]?.seconds.toPrecision(2) ?? 0)} s`;
  const each =
    rounds.length === 1 ? `one round of ${length} each, so no interval` : `${rounds.length} rounds of ${length}`;
  return ` (${each}; one stack after the other)`;
}

/**
 * @param {CaseResult} result
 * @returns {number | null} nanoseconds of the primary's CPU for each acknowledged write
 */
function cpuPerWrite(result) {
  const cpu = useOf(result, 'primary')?.cpu;
  const throughput = result.summary.throughput.median;
  return cpu == null || throughput === 0 ? null : (cpu / throughput) * 1e9;
}
