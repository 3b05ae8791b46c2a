/**
 * The benchmark `link-demand` in sentences.
 */
import { bitRate, bytes, count, percent } from './format.js';
import { demandAt, demandOf, exactBytes, isMix, keptRate, sentAs, WRITE_SHARE } from './link-demand.js';
import { LINK_SEED } from './seeds.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {{result: CaseResult, demand: import('./link-demand.js').Demand}} Measured
 */

/** The article's: what its link had to carry, and what for. */
const SEED = Object.freeze({ bytesPerSecond: 23e6 / 8, requests: 30_000 });
/** Less than this is what a PING of Redis's own adds. */
const EQUAL_BYTES = 0.05;
/** So little is a handshake's or a PING's. */
const EQUAL_SHARE = 0.001;
const GROUP_TITLES = { batch: 'a pipeline', multi: 'MULTI', script: 'a script', function: 'a function' };
const CALLS = { script: ['eval', 'evalsha'], function: ['fcall'] };

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function demandFindings({ cases }) {
  const all = cases.flatMap((result) => {
    const demand = demandOf(result);
    return demand ? [{ result, demand }] : [];
  });
  return [
    ...sizeFinding(all),
    ...groupFinding(all),
    ...effectsFindings(all),
    ...patternFinding(all),
    ...mixFindings(all),
    ...wireFinding(all),
  ];
}

/** @param {readonly Measured[]} all */
const evidenceOf = (all) => all.map(({ result }) => result.id);

/**
 * @param {readonly Measured[]} all
 * @param {import('./schema.js').CaseParams['grouping']} grouping
 * @param {string} pattern
 */
function ofGroup(all, grouping, pattern = 'regular') {
  return all.filter(({ result: { params } }) => params.grouping === grouping && params.pattern === pattern);
}

/**
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function sizeFinding(all) {
  const own = ofGroup(all, 'single');
  if (own.length === 0) return [];
  const told = own.map(({ result: { params }, demand }) => {
    const rest = demand.perWrite - params.payloadBytes;
    return `${exactBytes(demand.perWrite)} for a value of ${bytes(params.payloadBytes)} (${percent(rest / demand.perWrite)} of them key and protocol)`;
  });
  return [{ text: `A SET takes of the replication stream ${told.join(', ')}`, evidence: evidenceOf(own) }];
}

/**
 * @param {readonly Measured[]} all
 * @returns {{single: Measured, grouped: Measured[]} | null} the same writes in each way
 */
function sameWrites(all) {
  const grouped = all.filter(({ result: { params } }) => params.grouping !== undefined && params.grouping !== 'single');
  const [first] = grouped;
  const single = ofGroup(all, 'single').find(
    ({ result }) => first && result.params.payloadBytes === first.result.params.payloadBytes,
  );
  return single ? { single, grouped } : null;
}

/**
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function groupFinding(all) {
  const same = sameWrites(all);
  if (!same) return [];
  const { single, grouped } = same;
  const base = single.demand.perWrite;
  const told = grouped.map(({ result: { params }, demand }) => {
    const more = demand.perWrite - base;
    const change = Math.abs(more) < EQUAL_BYTES ? 'the same' : `${signed(more)} (${signedShare(more / base)})`;
    return `in ${titleOf(params.grouping)} ${change}`;
  });
  const { pipeline } = grouped[0].result.params;
  return [
    {
      text: `Beside ${exactBytes(base)} for a SET sent by itself, one of ${pipeline} sent together takes ${told.join(', ')}`,
      evidence: evidenceOf([single, ...grouped]),
    },
  ];
}

/**
 * What the article hoped for, held against what the replica executed.
 *
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function effectsFindings(all) {
  const [multi] = ofGroup(all, 'multi');
  return /** @type {const} */ (['script', 'function']).flatMap((grouping) => {
    const [own] = ofGroup(all, grouping);
    if (!own || !multi) return [];
    const { executed, writes, perWrite, requestPerWrite } = own.demand;
    const calls = CALLS[grouping].reduce((sum, name) => sum + (executed[name] ?? 0), 0);
    const effects = executed.set ?? 0;
    const saves = perWrite < multi.demand.perWrite - EQUAL_BYTES;
    const byEffects = effects === writes && calls === 0;
    const noun = grouping === 'script' ? 'Scripts' : 'Functions';
    const hope = `the hope that only the call has to be sent to the replica (“${LINK_SEED}”) ${saves ? 'holds' : 'does not hold'} here`;
    const evidence = [
      `for ${count(writes)} writes the replica executed ${count(effects)} SETs and ${count(calls)} calls`,
      `${exactBytes(perWrite)} of the stream a write (${exactBytes(multi.demand.perWrite)} in MULTI)`,
      ...(requestPerWrite === null ? [] : [`the calls themselves were ${exactBytes(requestPerWrite)} a write`]),
    ];
    const verdict = `${noun} are replicated ${byEffects ? 'as what they did' : calls > 0 ? 'as calls' : 'in another way'}; ${hope}: ${evidence.join(', ')}`;
    return [{ text: verdict, evidence: evidenceOf([own, multi]) }];
  });
}

/**
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function patternFinding(all) {
  const [random] = ofGroup(all, 'single', 'random');
  const regular = ofGroup(all, 'single').find(
    ({ result }) => result.params.payloadBytes === random?.result.params.payloadBytes,
  );
  if (!random || !regular) return [];
  const more = random.demand.perWrite - regular.demand.perWrite;
  const told =
    Math.abs(more) < EQUAL_BYTES
      ? `takes the same ${exactBytes(random.demand.perWrite)} whether it is of random letters or of a regular pattern: replication itself compresses nothing`
      : `takes ${exactBytes(random.demand.perWrite)} of random letters and ${exactBytes(regular.demand.perWrite)} of a regular pattern`;
  return [
    {
      text: `A SET with a key and a value of the same lengths ${told}`,
      evidence: evidenceOf([regular, random]),
    },
  ];
}

/**
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function mixFindings(all) {
  const own = all.filter(({ result }) => isMix(result));
  const findings = own.map(({ result, demand }) => {
    const { rate: asked, writeShare = WRITE_SHARE } = result.params;
    const kept = keptRate(result, demand);
    const reached = kept
      ? ''
      : `; ${count(asked ?? 0)} were asked for and not reached here${result.summary.limitedBy === 'nothing' ? '' : `, limited by the ${result.summary.limitedBy}`}`;
    return {
      text: `${count(Math.round(demand.requests))} requests a second, ${percent(writeShare)} of which write counters and short texts, take ${bitRate(demand.demand)} of the stream to each replica, ${exactBytes(demand.perWrite)} a write${reached}`,
      evidence: [result.id],
    };
  });
  const [first] = own;
  if (!first) return findings;
  const { perWrite, wirePerWrite } = first.demand;
  const measured = own.find(({ result, demand }) => result.params.rate === SEED.requests && keptRate(result, demand));
  const here = measured ? measured.demand.demand : demandAt(perWrite, SEED.requests);
  const theirs = SEED.bytesPerSecond / SEED.requests / WRITE_SHARE;
  const headers =
    countsOf(own) === 'packets' && wirePerWrite !== null
      ? `, and ${bitRate(demandAt(wirePerWrite, SEED.requests))} with the headers of packets between containers`
      : '';
  findings.push({
    text:
      `At ${count(SEED.requests)} requests/s the mix takes ${bitRate(here)} (${measured ? 'measured' : 'computed from the bytes of a write'})${headers}. The stream is ` +
      `${percent(here / SEED.bytesPerSecond)} of the ${bitRate(SEED.bytesPerSecond)} of “${LINK_SEED}”, whose figure is of a network interface: ` +
      `there it came to ${exactBytes(theirs)} a write, headers and whatever else it carried included`,
    evidence: evidenceOf(own),
  });
  return findings;
}

/**
 * @param {readonly Measured[]} all
 * @returns {Finding[]}
 */
function wireFinding(all) {
  const known = all.flatMap(({ result, demand: { wirePerWrite, perWrite } }) =>
    wirePerWrite === null ? [] : [{ result, more: wirePerWrite / perWrite - 1 }],
  );
  const counts = countsOf(all);
  if (known.length < all.length || counts === null) return [];
  const [least, ...others] = known.sort((one, other) => one.more - other.more);
  const most = others.at(-1) ?? least;
  const told = (/** @type {typeof least} */ { result, more }) =>
    `${more > 0 ? `${percent(more)} more` : 'as many bytes'} (${sentAs(result)}, ${bytes(result.params.payloadBytes)})`;
  const what =
    counts === 'packets'
      ? 'packets with their headers, as they leave a container; a network between machines has smaller packets, and so more headers'
      : 'payload of TCP, without the headers of TCP, IP and Ethernet';
  const range =
    most.more < EQUAL_SHARE
      ? 'went as many bytes as the stream has'
      : `went, held against the stream, from ${told(least)} to ${told(most)}`;
  return [{ text: `On the wire to the replica (${what}) ${range}`, evidence: evidenceOf(all) }];
}

/**
 * @param {readonly Measured[]} all
 * @returns {'stream' | 'packets' | null} what the bytes on the wire are; null: they were not counted
 */
function countsOf(all) {
  return all[0]?.result.rounds[0]?.link?.wire?.counts ?? null;
}

/** @param {import('./schema.js').CaseParams['grouping']} grouping */
function titleOf(grouping) {
  return GROUP_TITLES[/** @type {keyof typeof GROUP_TITLES} */ (grouping)];
}

/** @param {number} value */
function signed(value) {
  return `${value < 0 ? '−' : '+'}${exactBytes(Math.abs(value))}`;
}

/** @param {number} share */
function signedShare(share) {
  return `${share < 0 ? '' : '+'}${percent(share)}`;
}
