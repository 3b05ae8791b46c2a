/**
 * What the benchmark `link-compression` found, and what must be so for its figures to mean what they say.
 */
import { outcomesOf } from './columns.js';
import { bitRate, count, duration, percent, plural, rate } from './format.js';
import { compressionOf, cpuShare, SEED, tunnelName } from './link-compression.js';
import { LINK_SEED } from './seeds.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./schema.js').Check} Check
 * @typedef {import('./link-compression.js').Compression} Compression
 * @typedef {{result: CaseResult, figures: Compression}} Measured
 */

/** What the article’s one-minute check promised. */
const TENFOLD = 10;
/** The meter of a plain path counts what the stream is made of, give or take what was under way and the replica’s heartbeat. */
const METER = 0.01;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function compressionFindings({ cases }) {
  const measured = measuredOf(cases);
  const fewest = Math.min(...measured.map(({ result }) => result.params.pipeline));
  const main = measured.filter(({ result }) => result.params.pipeline === fewest);
  const whole = measured.filter(({ figures }) => figures.whole);
  const comparable = main.filter(({ figures }) => figures.whole);
  const regular = comparable.filter(({ result }) => result.params.pattern === 'regular');
  const random = comparable.filter(({ result }) => result.params.pattern === 'random');
  return [
    saved(regular, 'Regular keys'),
    tenfold(regular, whole),
    saved(random, 'Random keys and values'),
    ...[cost, levels, waits].map((tell) => tell(regular.filter(({ figures }) => figures.kept))),
    rateNotKept(measured),
    notWhole(measured),
    carriers(main),
  ].flatMap((finding) => finding ?? []);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Measured[]}
 */
function measuredOf(cases) {
  return cases.flatMap((result) => {
    const figures = compressionOf(result);
    return figures ? [{ result, figures }] : [];
  });
}

/** @param {readonly Measured[]} measured @param {string} tunnel */
function find(measured, tunnel) {
  return measured.find(({ result }) => result.params.tunnel === tunnel);
}

/** @param {number} ratio */
function toOne(ratio) {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)} to 1`;
}

/** @param {readonly Measured[]} own */
function evidence(own) {
  return own.map(({ result }) => result.id);
}

/**
 * @param {readonly Measured[]} own of one pattern
 * @param {string} what
 * @returns {Finding | null}
 */
function saved(own, what) {
  const tunnels = own.filter(({ result }) => result.params.tunnel !== 'none');
  if (tunnels.length === 0) return null;
  const parts = tunnels.map(
    ({ result, figures: { stream, wire, ratio, requests, kept } }) =>
      `${tunnelName(result)} ${bitRate(stream)} → ${bitRate(wire)} (${toOne(ratio)}${kept ? '' : `, at ${rate(requests)} requests only`})`,
  );
  return { text: `${what}, stream → wire: ${parts.join('; ')}.`, evidence: evidence(tunnels) };
}

/**
 * @param {readonly Measured[]} regular
 * @param {readonly Measured[]} all
 * @returns {Finding | null}
 */
function tenfold(regular, all) {
  const asSeed = find(regular, 'ssh-C');
  if (!asSeed) return null;
  const { ratio } = asSeed.figures;
  const larger = all.filter(
    ({ result: { params } }) =>
      params.tunnel === 'ssh-C' && params.pattern === 'regular' && params.pipeline > asSeed.result.params.pipeline,
  );
  const best = Math.max(ratio, ...larger.map(({ figures }) => figures.ratio));
  const reached =
    ratio >= TENFOLD
      ? 'tenfold was reached'
      : best >= TENFOLD
        ? 'tenfold was reached only where more leaves together'
        : 'tenfold was not reached';
  const here = [asSeed, ...larger].map(
    ({ result, figures }) => `${toOne(figures.ratio)} in pipelines of ${result.params.pipeline}`,
  );
  const sentences = [
    `“${LINK_SEED}” saw ${bitRate(SEED.before)} → ${bitRate(SEED.after)} (${toOne(SEED.before / SEED.after)}) with ssh -C, and a bit less than 1 GB of 10 GB in a check by hand`,
    `Here it was ${here.join(', and ')}: ${reached}`,
    ...(ratio < TENFOLD ? whyLess(find(regular, 'ssh'), ratio, larger) : []),
  ];
  return { text: `${sentences.join('. ')}.`, evidence: evidence([asSeed, ...larger]) };
}

/**
 * How many packets there were is not known, and so not what each of them cost.
 *
 * @param {Measured | undefined} plain ssh without compression
 * @param {number} ratio of ssh -C
 * @param {readonly Measured[]} larger the same in longer pipelines
 * @returns {string[]}
 */
function whyLess(plain, ratio, larger) {
  const parts = ['ssh compresses whatever has arrived, and sends it at once in a packet of its own'];
  const added = plain ? plain.figures.wire / plain.figures.stream - 1 : 0;
  if (plain && added > 0) {
    const headers = plain.figures.counts === 'packets' ? 'headers (those of TCP and IP, too)' : 'headers';
    parts.push(
      `uncompressed, the wire carried ${percent(added)} more than the stream: ${headers}, padding and checksums, which no compression shrinks`,
    );
  }
  const longer = larger.find(({ figures }) => figures.ratio > ratio);
  if (longer) {
    parts.push(
      `where more leaves together (pipelines of ${longer.result.params.pipeline}) it was ${(longer.figures.ratio / ratio).toFixed(2)} times that`,
    );
  }
  return [parts.join('; ')];
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null}
 */
function cost(regular) {
  const known = regular.filter(
    ({ figures: { primaryEndCpu, replicaEndCpu } }) => primaryEndCpu !== null && replicaEndCpu !== null,
  );
  if (known.length === 0) return null;
  const parts = known.map(
    ({ result, figures }) =>
      `${tunnelName(result)} ${cpuShare(figures.primaryEndCpu)} and ${cpuShare(figures.replicaEndCpu)}`,
  );
  const { stream, requests } = known[0].figures;
  return {
    text: `CPU of the tunnel at the primary’s and the replica’s end, of one core, at ${rate(requests)} requests (${bitRate(stream)} of stream): ${parts.join('; ')}.`,
    evidence: evidence(known),
  };
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null}
 */
function levels(regular) {
  const zstd = regular.filter(({ result }) => result.params.tunnel?.startsWith('zstd-'));
  const [low, high] = [zstd[0], zstd.at(-1)];
  if (!low || !high || low === high) return null;
  const [from, to] = [low.figures, high.figures];
  const cpu =
    from.primaryEndCpu === null || to.primaryEndCpu === null
      ? ''
      : `, and CPU at the primary’s end from ${cpuShare(from.primaryEndCpu)} to ${cpuShare(to.primaryEndCpu)}`;
  return {
    text: `From ${tunnelName(low.result)} to ${tunnelName(high.result)} the ratio went from ${toOne(from.ratio)} to ${toOne(to.ratio)}${cpu}.`,
    evidence: evidence([low, high]),
  };
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null}
 */
function waits(regular) {
  if (regular.length === 0) return null;
  const parts = regular.map(({ result, figures: { waitP50, waitMax, waits: asked, waitsReached } }) => {
    const short = asked > waitsReached ? `, ${count(asked - waitsReached)} of ${count(asked)} without the replica` : '';
    return `${tunnelName(result)} ${duration(waitP50)} (${duration(waitMax)}${short})`;
  });
  // Payload is counted where the wire is loopback.
  const onLoopback = regular.some(
    ({ result, figures }) => figures.counts === 'stream' && result.params.tunnel?.startsWith('ssh'),
  );
  const caution = onLoopback ? ' On loopback ssh waits for longer than in a network; see how it was measured.' : '';
  return {
    text: `SET and WAIT 1 beside the traffic, median (longest): ${parts.join('; ')}.${caution}`,
    evidence: evidence(regular),
  };
}

/**
 * @param {readonly Measured[]} measured
 * @returns {Finding | null}
 */
function rateNotKept(measured) {
  const slow = measured.filter(({ figures }) => !figures.kept);
  if (slow.length === 0) return null;
  const parts = slow.map(({ result, figures }) => `${result.id} (${rate(figures.requests)})`);
  return {
    text: `${plural(slow.length, 'case')} did not get the requests out that were asked for: ${parts.join(', ')}. What a tunnel uses, and what WAIT takes, is compared without them.`,
    evidence: evidence(slow),
  };
}

/**
 * @param {readonly Measured[]} measured
 * @returns {Finding | null}
 */
function notWhole(measured) {
  const own = measured.filter(({ figures }) => !figures.whole);
  if (own.length === 0) return null;
  const ids = own.map(({ result }) => result.id).join(', ');
  return {
    text: `In ${plural(own.length, 'case')} (${ids}) the replica did not get everything, or was sent the whole data set in between: what the wire carried is not what the stream grew by, and no ratio is told.`,
    evidence: evidence(own),
  };
}

/**
 * @param {readonly Measured[]} main
 * @returns {Finding | null}
 */
function carriers(main) {
  /** @type {Map<string, string>} */
  const by = new Map();
  for (const { result, figures } of main) {
    if (figures.by !== undefined) by.set(tunnelName(result), figures.by);
  }
  if (by.size === 0) return null;
  const parts = [...by].map(([name, carrier]) => (carrier.startsWith(name) ? carrier : `${name}: ${carrier}`));
  const packets = main.some(({ figures }) => figures.counts === 'packets');
  const counted = packets ? 'packets with their headers' : 'the payload of TCP, without the headers of packets';
  return { text: `What carried the stream: ${parts.join('; ')}. The wire is ${counted}.`, evidence: evidence(main) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function compressionChecks({ cases }) {
  const measured = measuredOf(cases);
  const errors = cases.flatMap((result) => {
    const { rejected, unknown } = outcomesOf(result);
    const kinds = new Set(result.rounds.flatMap((round) => Object.keys(round.errors)));
    return rejected + unknown + kinds.size === 0 ? [] : [`${result.id}: ${[...kinds].join(', ') || 'no answer'}`];
  });
  const behind = measured.flatMap(({ result, figures }) => (figures.whole ? [] : [result.id]));
  const plain = measured.filter(({ result }) => result.params.tunnel === 'none');
  const wrong = plain.flatMap(({ result }) =>
    result.rounds.flatMap(({ link }) => {
      if (!link?.wire) return [];
      const share = link.wire.toReplicaBytes / link.streamBytes;
      const most = link.wire.counts === 'stream' ? 1 + METER : Number.POSITIVE_INFINITY;
      return share >= 1 - METER && share <= most ? [] : [`${result.id}: ${percent(share)} of it`];
    }),
  );
  const backwards = ['ssh-C', 'zstd-1', 'zstd-5', 'zstd-9'].flatMap((tunnel) => {
    const own = measured.filter(({ result, figures }) => result.params.tunnel === tunnel && figures.whole);
    const least = Math.min(
      ...own.flatMap(({ result, figures }) => (result.params.pattern === 'regular' ? figures.ratio : [])),
    );
    const most = Math.max(
      ...own.flatMap(({ result, figures }) => (result.params.pattern === 'random' ? figures.ratio : [])),
    );
    return Number.isFinite(least) && Number.isFinite(most) && least <= most ? [tunnel] : [];
  });
  return [
    checkOf('every request was answered, without an error', cases.length, errors),
    checkOf('the replica had everything after each round, without a full resync', measured.length, behind),
    checkOf('without a tunnel the wire carried the stream, and next to nothing else', plain.length, wrong),
    checkOf('regular keys compressed better than random ones', measured.length, backwards),
  ].flatMap((check) => check ?? []);
}

/**
 * @param {string} name
 * @param {number} looked at how many cases
 * @param {readonly string[]} wrong
 * @returns {Check | null} null: nothing of the kind was measured
 */
function checkOf(name, looked, wrong) {
  if (looked === 0) return null;
  return { name, ok: wrong.length === 0, detail: wrong.length === 0 ? plural(looked, 'case') : wrong.join('; ') };
}
