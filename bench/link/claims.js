/**
 * Examines the claims of the article about replication over a slow link.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import { nearFactor, openBecause, rangeText, trueOrOpen, within } from '../../src/report/articles.js';
import { idsOf } from '../../src/report/findings.js';
import { bitRate, bytes, count, duration, interval, percent, plural, rate } from '../../src/report/format.js';
import { bootstrapInterval, sum } from '../../src/stats/statistics.js';
import { NS_A_MS, SECONDS_A_MONTH, SECONDS_AN_HOUR } from '../../src/units.js';
import { examination } from '../claims/index.js';
import { measuredOf as measuredTunnels, toOne } from './compression.js';
import { ARTICLE, atArticlesRate, exactBytes, isMix, measuredOf as measuredDemands, replicatedAs } from './demand.js';
import { lossesOf } from './loss.js';
import { isUnlimited } from './memory.js';
import { gigabytes, isPlain, limitText, linksOf } from './shortfall-figures.js';

/** Traffic counts as the same within this share of the article's: its mix of commands and keys is not known. */
const NEAR = 0.35;
/** Their 23 Mbit/s, and dollars for a gigabyte. */
const TERABYTES_A_MONTH = 7e12;
const GIGABYTE = 1e9;
const PRICES = [0.05, 0.12];
/** The article's check by hand: 10 GB became about 1 GB. */
const TENFOLD = 10;
const SHARE = 0.75;
const GIGABYTES_AN_HOUR = 2e9;
/** Of a core: what counts as no effort. */
const EASILY = 0.5;
/** Cores that still count as negligible, at the article's 23.7 Mbit/s. */
const NEGLIGIBLE_CPU = 0.25;
const BEFORE_COMPRESSION = 23.7e6 / 8;
/** Catching up within this counts as no lag, in milliseconds. */
const NO_LAG_MS = 1000;
/** The stream is plain text if its bytes differ from those of the requests by at most this share. */
const SAME = 0.05;

const MIX = 'another mix of commands and keys';
const TUNNEL = 'another mix and another machine, so another figure decides nothing';
const PIPELINES = 'pipelines of 10 requests';
/** Of zlib, which ssh uses. */
const LEVELS = Object.freeze({ least: 1, most: 9 });
const SHORTFALL =
  'one machine; a relay limits the link; a newer server; the limit of the buffer is scaled down, and ends the connection';
/** Keys with a counter in them compress well, random ones hardly. */
const KEYS_DECIDE = 'how regular the keys are decides, and theirs are not known';

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  demandClaim('link.demand', {
    value: (demand) => demand,
    text: bitRate,
  }),
  // Their month is their 23 Mbit/s, so both claims have the same limits.
  demandClaim('link.month', {
    value: (demand) => demand * SECONDS_A_MONTH,
    text: (month) => `${(month / 1e12).toFixed(1)} TB`,
  }),
  examination('link.plain-text', {
    benchmark: 'link-demand',
    differs: 'SET of 8 B only; lengths, not contents; a script streams its effects; a newer server',
    examine(result) {
      const single = result.cases.find(({ params }) => params.grouping === 'single');
      const shares = (single ? linksOf(single) : []).flatMap(({ streamBytes, requestBytes }) =>
        requestBytes ? [streamBytes / requestBytes] : [],
      );
      if (!single || shares.length === 0) return null;
      const found = overRounds(single, shares, {
        claimed: { least: 1 - SAME, most: 1 + SAME },
        text: (value) => `${interval(value, percent)} of the bytes that the clients sent`,
        unit: percent,
      });
      return openBecause(found, 'any encoding of the same length would do, so this decides nothing');
    },
  }),
  examination('link.lua', {
    benchmark: 'link-demand',
    differs: 'a newer server: from Redis 7 on only effects are replicated, so effects decide nothing',
    examine(result) {
      const script = measuredDemands(result.cases).find(({ result: { params } }) => params.grouping === 'script');
      if (!script) return null;
      const { calls, effects, as } = replicatedAs(script);
      return {
        ours: `${count(effects)} SETs and ${count(calls)} calls on the replica, ${exactBytes(script.demand.perWrite)} a write`,
        holds: trueOrOpen(as === 'calls'),
        rounds: script.result.rounds.length,
        evidence: [script.result.id],
      };
    },
  }),
  {
    ...examination('link.throughput', {
      benchmark: 'link-demand',
      differs: `pipelines of 10 on 4 connections (theirs: not stated); ${MIX}; seconds at a fixed rate (theirs: production)`,
      examine(result) {
        const mix = result.cases.find((one) => isMix(one) && one.params.rate === ARTICLE.requests);
        const rates = (mix?.rounds ?? []).map(({ operations, seconds }) => operations / seconds);
        if (!mix || rates.length === 0) return null;
        const cpus = mix.rounds.flatMap(({ nodes }) => nodes.find(({ role }) => role === 'primary')?.cpu ?? []);
        const used = cpus.length === 0 ? null : bootstrapInterval(cpus);
        const cpu = used === null ? '' : `, with ${interval(used, percent)} of a core`;
        const found = overRounds(mix, rates, {
          claimed: { least: 25_000 },
          unit: rate,
          text: (value) => `${interval(value, rate)}${cpu}`,
        });
        return openBecause(
          { ...found, allowed: `${found.allowed} with ${percent(EASILY)} of a core at most` },
          'a newer server on a newer machine, which could hardly fail, so this decides nothing',
        );
      },
    }),
    needsNodes: /** @type {const} */ (true),
  },
  examination('link.shortfall', {
    benchmark: 'link-shortfall',
    differs: `another demand, scaled to theirs; ${SHORTFALL}`,
    examine(result) {
      const limited = result.cases.find((one) => one.params.linkShare === SHARE && isPlain(one));
      const growths = (limited ? linksOf(limited) : []).flatMap(({ growthBytesPerSecond: growth, ...link }) =>
        growth == null ? [] : [{ growth, share: growth / link.demandBytesPerSecond }],
      );
      if (!limited || growths.length === 0) return null;
      const scaled = growths.map(({ share }) => share * ARTICLE.bytesPerSecond * SECONDS_AN_HOUR);
      const own = bootstrapInterval(growths.map(({ growth }) => growth * SECONDS_AN_HOUR));
      const share = bootstrapInterval(growths.map((each) => each.share));
      const found = overRounds(limited, scaled, {
        claimed: near(GIGABYTES_AN_HOUR),
        unit: gigabytes,
        text: (value) =>
          `${interval(share, percent)} of demand stays behind: ${interval(value, gigabytes)} an hour at their demand, ${interval(own, gigabytes)} at ours`,
      });
      return openBecause(found, 'the relay is set to 75%, so the rest is arithmetic and decides nothing');
    },
  }),
  bufferClaim('link.memory', {
    differs: `the sender is a primary (theirs: a replica); how much it keeps is not tested, because the limit decides that; ${SHORTFALL}`,
    isOwn: (one) => one.params.linkShare === SHARE && isPlain(one),
  }),
  examination('link.out-of-memory', {
    benchmark: 'link-memory',
    differs:
      'the sender is a primary; its buffer is unlimited on purpose, as it was before Redis 2.6 (with the default limit the connection ends instead); 100 MiB of address space to spare; the link carries an eighth of demand; one machine; a newer server',
    examine(result) {
      const unlimited = result.cases.find(isUnlimited);
      const rounds = unlimited ? linksOf(unlimited).length : 0;
      if (!unlimited || rounds === 0) return null;
      const gone = linksOf(unlimited).flatMap(({ memory }) => memory?.goneAfterMs ?? []);
      const when = gone.length === 0 ? '' : `, after ${milliseconds(Math.max(...gone))} at most`;
      return {
        ours: `the sender ended in ${gone.length} of ${plural(rounds, 'round')}${when}`,
        holds: gone.length === rounds,
        rounds,
        trials: /** @type {const} */ (true),
        evidence: [unlimited.id],
      };
    },
  }),
  bufferClaim('link.chain', {
    differs: SHORTFALL,
    isOwn: (one) => one.params.linkShare === SHARE && one.params.chain === true,
  }),
  examination('link.promotion', {
    benchmark: 'link-shortfall',
    differs: `how many follows from the share of the link, and from a limit of the buffer that theirs lacked; ${SHORTFALL}`,
    examine(result) {
      const cases = result.cases.filter((one) => (one.params.linkShare ?? 1) < 1 && isPlain(one));
      const trials = cases.flatMap((one) => linksOf(one).flatMap(({ promotion }) => promotion ?? []));
      if (trials.length === 0) return null;
      const missing = sum(trials.map((each) => each.missing));
      const acked = sum(trials.map((each) => each.acked));
      return {
        ours: `${count(missing)} of ${count(acked)} acknowledged writes missing (${plural(trials.length, 'promotion')})`,
        holds: trials.every((each) => each.missing > 0),
        rounds: Math.min(...cases.map((one) => linksOf(one).filter(({ promotion }) => promotion).length)),
        trials: /** @type {const} */ (true),
        evidence: idsOf(cases),
      };
    },
  }),
  ratioClaim('link.compression', (value) => interval(value, toOne)),
  tunnelClaim('link.compression-cpu', {
    value({ wire, streamBytes }) {
      if (!wire || wire.primaryEndCpu === null || streamBytes === 0) return null;
      return wire.primaryEndCpu * (BEFORE_COMPRESSION / (streamBytes / wire.seconds));
    },
    claimed: { most: NEGLIGIBLE_CPU },
    unit: percent,
    text: (value) => `${interval(value, percent)} of a core at the primary’s end`,
  }),
  tunnelClaim('link.compression-lag', {
    openWhy: 'the link is not limited, so a replica catches up without compression as well',
    value: ({ catchUpMs }) => catchUpMs ?? null,
    claimed: { most: NO_LAG_MS },
    unit: milliseconds,
    text: (value) => `caught up in ${interval(value, milliseconds)}`,
  }),
  killedClaim('link.tunnel-breaks', {
    judge: ({ outage: { noticedMs } }, all) => ({
      holds: noticedMs !== null,
      text: (kills) => `the replica lost its link after ${kills} of ${plural(all, 'kill')}`,
    }),
  }),
  killedClaim('link.supervisor', {
    differs: 'a newer server, which resumes; not autossh or Monit, and no tunnel that hangs, so this decides nothing',
    open: true,
    judge: ({ outage: { behindMs } }, all) => ({
      holds: behindMs !== null,
      text: (kills) => `the replica had everything again after ${kills} of ${plural(all, 'kill')}`,
    }),
  }),
  killedClaim('link.resync', {
    differs:
      'a server with partial resync (PSYNC, Redis 2.8 and later); theirs has none, so a partial one decides nothing',
    judge: ({ outage: { resync } }, all) => ({
      holds: resync === 'full' ? true : null,
      text: (kills) => `a full resync after ${kills} of ${plural(all, 'kill')}; the others fit into the backlog`,
    }),
  }),
  bufferClaim('link.output-list', {
    differs: `${SHORTFALL}; Redis 5 and later lack that field, so omem of CLIENT LIST decides nothing`,
    isOwn: (one) => one.params.linkShare === SHARE && isPlain(one),
    open: true,
  }),
  examination('link.compression-file', {
    benchmark: 'link-compression',
    differs: `gzip at level 6 (theirs is not named); ${MIX}, so another ratio decides nothing; 8 MiB of commands (theirs: 10 GB)`,
    examine: (result) =>
      fromFiles(result, (plain, files) => {
        const found = overRounds(
          plain,
          files.map(({ bytes, compressedBytes }) => bytes / compressedBytes),
          { claimed: nearFactor(TENFOLD), unit: toOne, text: (value) => interval(value, toOne) },
        );
        return openBecause(found, KEYS_DECIDE);
      }),
  }),
  examination('link.compression-level', {
    benchmark: 'link-compression',
    differs: `${MIX}; a file of 8 MiB through zlib, which ssh uses, because OpenSSH no longer has levels`,
    examine: (result) => openBecause(fromFiles(result, levels), 'the option of ssh was not tried'),
  }),
  ratioClaim('link.bill', (value) => {
    const bills = PRICES.map((price) => (TERABYTES_A_MONTH / GIGABYTE) * price);
    const [before, after] = [bills, bills.map((bill) => bill / value.median)].map((each) =>
      each.map(dollars).join(' to '),
    );
    return `${interval(value, toOne)}: ${before} a month become ${after}`;
  }),
]);

/**
 * @param {number} value theirs
 * @returns {Range} values that count as the same
 */
function near(value) {
  return { least: (1 - NEAR) * value, most: (1 + NEAR) * value };
}

/** @param {number} ms */
function milliseconds(ms) {
  return duration(ms * NS_A_MS);
}

/**
 * @param {ClaimId} id
 * @param {{value: (demand: number) => number, text: (value: number) => string}} what value: of a demand in bytes a second
 */
function demandClaim(id, { value, text }) {
  return examination(id, {
    benchmark: 'link-demand',
    differs: `stream without headers; ${MIX}, so another demand decides nothing`,
    examine(result) {
      const mix = atArticlesRate(measuredDemands(result.cases))?.measured?.result;
      if (!mix) return null;
      const values = linksOf(mix).map(({ demandBytesPerSecond }) => value(demandBytesPerSecond));
      const found = overRounds(mix, values, {
        claimed: near(value(ARTICLE.bytesPerSecond)),
        unit: text,
        text: (each) => interval(each, text),
      });
      return { ...found, holds: trueOrOpen(found.holds) };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{differs: string, isOwn: (one: CaseResult) => boolean, open?: true}} what open: it decides nothing
 */
function bufferClaim(id, { differs, isOwn, open }) {
  return examination(id, {
    benchmark: 'link-shortfall',
    differs,
    examine(result) {
      const buffered = result.cases.find(isOwn);
      const buffers = (buffered ? linksOf(buffered) : []).flatMap(({ maxBufferBytes, outputLimit }) =>
        maxBufferBytes != null && outputLimit ? [maxBufferBytes / outputLimit.softBytes] : [],
      );
      if (!buffered || buffers.length === 0) return null;
      const most = Math.max(...linksOf(buffered).map(({ maxBufferBytes }) => maxBufferBytes ?? 0));
      const [limit] = linksOf(buffered).flatMap(({ outputLimit }) => outputLimit ?? []);
      // Beyond the soft limit the sender has kept what a healthy replica never leaves.
      const found = overRounds(buffered, buffers, {
        claimed: { least: 1 },
        unit: (share) => bytes(share * limit.softBytes),
        text: () => `up to ${bytes(most)} in its output buffer, whose limit is ${limitText(limit)}`,
      });
      return { ...found, holds: open ? null : found.holds };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{value: (link: ReturnType<typeof linksOf>[number]) => number | null, claimed: Range, unit: (value: number) => string,
 *   text: (value: IntervalValue) => string, openWhy?: string}} what openWhy: it decides nothing
 */
function tunnelClaim(id, { value, openWhy, ...shown }) {
  return examination(id, {
    benchmark: 'link-compression',
    differs: `${TUNNEL}; ${PIPELINES}`,
    examine(result) {
      const [tunnel] = regularTunnels(result);
      const values = (tunnel ? linksOf(tunnel) : []).flatMap((link) => value(link) ?? []);
      if (!tunnel || values.length === 0) return null;
      const found = overRounds(tunnel, values, shown);
      return openWhy ? openBecause(found, openWhy) : { ...found, holds: trueOrOpen(found.holds) };
    },
  });
}

/**
 * A tenfold compression. Longer pipelines compress better, and the article names no length, so all that were measured are shown.
 *
 * @param {ClaimId} id
 * @param {(value: IntervalValue) => string} text of the shortest pipelines
 */
function ratioClaim(id, text) {
  return examination(id, {
    benchmark: 'link-compression',
    differs: TUNNEL,
    examine(result) {
      const found = regularTunnels(result).flatMap((tunnel) => {
        const ratios = linksOf(tunnel).flatMap(({ wire, streamBytes }) =>
          wire && wire.toReplicaBytes > 0 ? [streamBytes / wire.toReplicaBytes] : [],
        );
        return ratios.length === 0
          ? []
          : [{ ...overRounds(tunnel, ratios, { claimed: nearFactor(TENFOLD), unit: toOne, text }), tunnel }];
      });
      if (found.length === 0) return null;
      return {
        ours: found.map(({ ours, tunnel }) => `${ours} (pipelines of ${count(tunnel.params.pipeline)})`).join('; '),
        holds: null,
        differs: KEYS_DECIDE,
        rounds: Math.min(...found.map(({ rounds }) => rounds)),
        allowed: found[0].allowed,
        evidence: idsOf(found.map(({ tunnel }) => tunnel)),
      };
    },
  });
}

/**
 * @param {BenchmarkResult} result
 * @returns {CaseResult[]} ssh -C with regular keys, the shortest pipelines first, if the wire carried exactly the stream
 */
function regularTunnels({ cases }) {
  return measuredTunnels(cases)
    .filter(
      ({ result: { params }, figures }) => params.tunnel === 'ssh-C' && params.pattern === 'regular' && figures.whole,
    )
    .map(({ result }) => result)
    .toSorted((a, b) => a.params.pipeline - b.params.pipeline);
}

/** @param {number} value @returns {string} such as `$350` */
const dollars = (value) => `$${count(Math.round(value))}`;

/** @typedef {NonNullable<ReturnType<typeof linksOf>[number]['file']>} CommandFile */

/**
 * @param {BenchmarkResult} result
 * @param {(plain: CaseResult, files: CommandFile[]) => Examined | null} examine files: one a round, at least one
 * @returns {Examined | null}
 */
function fromFiles({ cases }, examine) {
  const plain = cases.find(({ params }) => (params.tunnel ?? 'none') === 'none' && params.pattern === 'regular');
  if (!plain || plain.rounds.length === 0) return null;
  const files = linksOf(plain).flatMap(({ file }) => file ?? []);
  const found = files.length === 0 ? null : examine(plain, files);
  return (
    found ?? {
      ours: 'not measured: earlier runs did not; `sentinel-bench run link-compression --profile standard`',
      holds: null,
      missing: /** @type {const} */ (true),
      rounds: plain.rounds.length,
      evidence: [plain.id],
    }
  );
}

/**
 * @param {CaseResult} plain
 * @param {readonly CommandFile[]} files
 * @returns {Examined | null} a higher level needs fewer bytes and more CPU; null: not measured
 */
function levels(plain, files) {
  const at = (/** @type {number} */ wanted) =>
    files.flatMap(({ bytes: size, levels = [] }) =>
      levels
        .filter(({ level }) => level === wanted)
        .map(({ compressedBytes, cpuMs }) => ({ ratio: size / compressedBytes, cpuMs })),
    );
  const [low, high] = [LEVELS.least, LEVELS.most].map(at);
  if (low.length === 0 || high.length === 0) return null;
  const [ratios, cpus] = /** @type {const} */ (['ratio', 'cpuMs']).map((name) =>
    [low, high].map((rounds) => bootstrapInterval(rounds.map((round) => round[name]))),
  );
  const rises = [ratios, cpus].map(([from, to]) => (to.low > from.high ? true : to.high < from.low ? false : null));
  const mebibytes = bytes(files[0].bytes);
  return {
    ours: `level ${LEVELS.least} to ${LEVELS.most}: ${interval(ratios[0], toOne)} to ${interval(ratios[1], toOne)}, ${interval(cpus[0], milliseconds)} to ${interval(cpus[1], milliseconds)} of CPU for ${mebibytes}`,
    holds: rises.includes(false) ? false : rises.includes(null) ? null : true,
    rounds: Math.min(low.length, high.length),
    allowed: 'more compression for more CPU',
    evidence: [plain.id],
  };
}

/**
 * @param {ClaimId} id
 * @param {{judge: (loss: ReturnType<typeof lossesOf>[number], all: number) => {holds: boolean | null, text: (held: number) => string},
 *   differs?: string, open?: boolean}} what open: that it held decides nothing
 */
function killedClaim(id, { judge, differs, open = false }) {
  return examination(id, {
    benchmark: 'link-loss',
    differs: ['the tunnel is killed; the supervisor of this tool restarts it; one machine', differs]
      .filter(Boolean)
      .join('; '),
    examine(result) {
      const losses = lossesOf(result.cases).filter(({ result: { params } }) => params.tunnel === 'ssh-C');
      if (losses.length === 0) return null;
      const judged = losses.map((loss) => judge(loss, losses.length));
      const evidence = [...new Set(idsOf(losses.map((loss) => loss.result)))];
      const holding = judged.filter(({ holds }) => holds === true).length;
      return {
        ours: judged[0].text(holding),
        holds: judged.some(({ holds }) => holds === false) ? false : holding === judged.length && !open ? true : null,
        // Cases differ in the supervisor's delay and the backlog, so their kills are no repetitions of one trial.
        rounds: Math.min(...evidence.map((id) => losses.filter((loss) => loss.result.id === id).length)),
        trials: /** @type {const} */ (true),
        evidence,
        differs: killsText(losses.length, evidence.length),
      };
    },
  });
}

/**
 * @param {number} kills
 * @param {number} cases
 */
function killsText(kills, cases) {
  if (cases === 1) return '';
  return `${kills === cases ? 'one kill in each of' : `${plural(kills, 'kill')} in`} ${cases} cases, by delay and backlog`;
}

/**
 * @param {CaseResult} result
 * @param {readonly number[]} values one a round, at least one
 * @param {{claimed: Range, unit: (value: number) => string, text: (value: IntervalValue) => string}} what unit: of the claimed range
 * @returns {Examined}
 */
function overRounds(result, values, { claimed, unit, text }) {
  const value = bootstrapInterval(values);
  return {
    ours: text(value),
    holds: within(value, claimed),
    rounds: values.length,
    allowed: rangeText(claimed, unit),
    evidence: [result.id],
  };
}
