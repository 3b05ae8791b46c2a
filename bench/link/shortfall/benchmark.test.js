import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from './fixture.js';
import { shortfallFindings } from './link-shortfall.js';
import { shortfallChecks } from './link-shortfall-checks.js';
import { grows, linkTitle, promotionText, SHORTFALL_COLUMNS } from './link-shortfall-columns.js';
import { courseOf, DEFAULT_LIMIT, limitAfterSeconds, limitText } from './link-shortfall-figures.js';
import { renderShortfall } from './link-shortfall-text.js';

/**
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').LinkFigures} LinkFigures
 * @typedef {import('./link-shortfall-figures.js').Sample} Sample
 */

const MIB = 2 ** 20;
const DEMAND = 4_000_000;
const RATE = 4000;
const LIMIT = { hardBytes: 4 * MIB, softBytes: MIB, softSeconds: 2, backlogBytes: MIB };

/**
 * A sample each second.
 *
 * @param {(number | 'away' | 'syncing')[]} lags bytes, or why there are none
 * @returns {Sample[]}
 */
function samplesOf(lags) {
  return lags.map((lag, i) => ({
    afterMs: i * 1000,
    state: typeof lag === 'number' ? 'online' : lag,
    lagBytes: typeof lag === 'number' ? lag : null,
    lagSeconds: typeof lag === 'number' ? i % 2 : null,
    // The sockets hold the first two of them.
    bufferBytes: typeof lag === 'number' ? Math.max(0, lag - 2_000_000) : null,
    senderMemoryBytes: 1_000_000,
  }));
}

/**
 * @param {string} id
 * @param {Partial<CaseResult['params']>} params
 * @param {Partial<LinkFigures>} link
 */
function shortfallCase(id, params, link) {
  return caseOf(id, { rate: RATE, payloadBytes: 1000, replicas: 1, ...params }, [
    roundOf({
      writes: RATE,
      link: {
        writes: RATE,
        streamBytes: DEMAND,
        demandBytesPerSecond: DEMAND,
        by: 'relay of this tool',
        ...(params.linkShare !== undefined && { limitBytesPerSecond: params.linkShare * DEMAND }),
        samples: samplesOf([0, 0, 0]),
        growthBytesPerSecond: 0,
        maxLagBytes: 10_000,
        maxBufferBytes: 20_000,
        memoryGrowthBytes: 10 * MIB,
        outputLimit: LIMIT,
        disconnects: 0,
        fullResyncs: 0,
        partialResyncs: 0,
        refusedPartials: 0,
        missedBytes: null,
        waits: { asked: 30, reached: 30, timeoutMs: 500, latencyNs: { p50: 2e6, p99: 3e6, max: 4e6 } },
        promotion: { acked: RATE, missing: 0 },
        ...link,
      },
    }),
  ]);
}

const enough = () => shortfallCase('share-125', { linkShare: 1.25 }, {});
const short = (/** @type {Partial<LinkFigures>} */ link = {}) =>
  shortfallCase(
    'share-75',
    { linkShare: 0.75 },
    {
      samples: samplesOf([0, 1e6, 2e6, 3e6, 'away', 'syncing', 'away', 'syncing']),
      growthBytesPerSecond: 1_000_000,
      maxLagBytes: 12_000_000,
      disconnects: 2,
      fullResyncs: 2,
      refusedPartials: 1,
      missedBytes: 9 * MIB,
      waits: { asked: 30, reached: 6, timeoutMs: 500, latencyNs: { p50: 5e8, p99: 5e8, max: 5e8 } },
      promotion: { acked: RATE, missing: 2000 },
      ...link,
    },
  );
const large = (/** @type {Partial<LinkFigures>} */ link = {}) =>
  shortfallCase(
    'share-75-backlog',
    { linkShare: 0.75, settings: { 'repl-backlog-size': '64mb' } },
    {
      growthBytesPerSecond: 1_000_000,
      outputLimit: { ...LIMIT, backlogBytes: 64 * MIB },
      disconnects: 2,
      partialResyncs: 2,
      missedBytes: 12 * MIB,
      memoryGrowthBytes: 70 * MIB,
      ...link,
    },
  );
const chain = () =>
  shortfallCase(
    'share-75-chain',
    { linkShare: 0.75, chain: true, replicas: 2 },
    { growthBytesPerSecond: 1_000_000, maxBufferBytes: 4 * MIB, maxLagBytes: 8 * MIB, disconnects: 1 },
  );

/** @param {CaseResult[]} cases */
const benchmarkOf = (cases) => ({
  name: 'link-shortfall',
  question: 'What?',
  status: /** @type {const} */ ('ok'),
  cases,
  findings: [],
  checks: [],
});

/**
 * @param {CaseResult[]} cases
 * @param {RegExp} pattern
 */
function finding(cases, pattern) {
  return shortfallFindings(benchmarkOf(cases)).find(({ text }) => pattern.test(text))?.text;
}

describe('the figures', () => {
  test('the course of a round: when it was cut off, and that no full resync ended', () => {
    const [{ link }] = short().rounds;
    assert.ok(link);
    assert.deepEqual(courseOf(link), { cutAfterMs: 4000, finished: 0, seconds: 7 });
    const back = courseOf({ ...link, samples: samplesOf([0, 'away', 'syncing', 5, 'away', 5]) });
    assert.equal(back.finished, 1);
  });

  test('whichever limit comes first', () => {
    assert.equal(limitAfterSeconds(MIB, DEFAULT_LIMIT), 124);
    assert.equal(limitAfterSeconds(100 * MIB, DEFAULT_LIMIT), 2.56);
    assert.equal(limitAfterSeconds(0, DEFAULT_LIMIT), Number.POSITIVE_INFINITY);
  });

  test('a hard limit below the backlog is raised to it; the soft one is not', () => {
    assert.equal(limitText(LIMIT), '4 MiB, or 1 MiB for 2 s');
    assert.match(limitText({ ...LIMIT, backlogBytes: 64 * MIB }), /^64 MiB \(.*raises.*\), or 1 MiB for 2 s$/);
  });
});

describe('the table', () => {
  test('names the link and tells lost writes as time, too', () => {
    assert.equal(linkTitle(chain()), '75 % of demand, replica of a replica');
    assert.equal(linkTitle(large()), '75 % of demand, backlog 64mb');
    assert.equal(linkTitle(shortfallCase('far', { linkLatencyMs: 80 }, {})), '80 ms a round trip, no cap');
    assert.equal(promotionText(short()), '2,000 (500 ms of writing)');
    assert.equal(promotionText(enough()), '0');
    assert.equal(grows(short()), true);
    assert.equal(grows(enough()), false);
  });

  test('has a text in every cell, with or without figures', () => {
    const bare = caseOf('bare', { linkShare: 1 }, [roundOf()]);
    for (const result of [enough(), short(), large(), chain(), bare])
      for (const { cell } of SHORTFALL_COLUMNS) assert.doesNotMatch(cell(result), /NaN|undefined|Infinity/);
  });
});

describe('the findings', () => {
  test('growth is told for an hour, for the article’s demand, and beside what arithmetic says', () => {
    const text = finding([short()], /fell behind/) ?? '';
    assert.match(text, /24\.0 Mbit\/s of 32\.0 Mbit\/s/);
    assert.match(text, /977 KiB more each second \(demand less cap: 977 KiB\), 3\.6 GB an hour/);
    assert.match(text, /23\.0 Mbit\/s that share is 2\.6 GB an hour.*about 2 GB/);
    assert.equal(finding([enough()], /fell behind/), undefined);
  });

  test('how often it was cut off, and whether a full resync was completed', () => {
    assert.match(
      finding([short()], /cut off/) ?? '',
      /cut off 2 times in 7\.00 s, for the first time after 4\.00 s; 2 full resyncs began, and none was completed/,
    );
    const done = short({ samples: samplesOf([0, 'away', 'syncing', 5]), fullResyncs: 1, disconnects: 1 });
    assert.match(finding([done], /cut off/) ?? '', /cut off once .*1 full resync began, 1 of them completed/);
    const none = short({ disconnects: 0, fullResyncs: 0, samples: samplesOf([0, 1, 2]) });
    assert.match(finding([none], /cut off/) ?? '', /was not cut off within 2\.00 s/);
  });

  test('a larger backlog is told by what was measured with it', () => {
    const text = finding([short(), large()], /backlog of 1 MiB/) ?? '';
    assert.match(
      text,
      /9 MiB behind.*with 64 MiB it was measured: cut off 2 times, no full resync, 2 partial resyncs of up to 12 MiB/,
    );
    assert.match(text, /grew by 70 MiB instead of 10 MiB\. It puts the full resync off .* 64 MiB behind after 67\.1 s/);
    assert.match(finding([short(), large({ fullResyncs: 1 })], /backlog of 1 MiB/) ?? '', /it still had 1 full resync/);
    assert.equal(finding([short()], /backlog of 1 MiB/), undefined);
    const spared = short({ fullResyncs: 0, refusedPartials: 0, partialResyncs: 1, missedBytes: MIB / 2 });
    assert.match(finding([spared, large()], /backlog of 1 MiB/) ?? '', /no partial resync was refused there; with/);
  });

  test('a buffer that was empty while the replica was behind, and a lag in seconds that never showed it', () => {
    assert.match(finding([short()], /shows a shortfall late/) ?? '', /up to 1\.91 MiB behind/);
    assert.match(finding([short()], /min-replicas-max-lag/) ?? '', /up to 3\.00 s of writing behind.*never above 1 s/);
    assert.equal(finding([enough()], /min-replicas-max-lag/), undefined);
    const answersLate = samplesOf([0, 1e6]).map((sample) => ({ ...sample, lagSeconds: 12 }));
    const late = finding([short({ samples: answersLate, maxLagBytes: 80_000_000 })], /never above 12 s/) ?? '';
    assert.match(late, /an answer that names an old offset/);
    assert.doesNotMatch(late, /refused/, 'a lag that the default would have seen');
  });

  test('WAIT, the chain and the promotion', () => {
    const cases = [enough(), short(), chain()];
    assert.match(finding(cases, /^WAIT 1/) ?? '', /125 % of demand: p50 2\.00 ms; 75 % of demand: 24 of 30 timed out$/);
    assert.match(
      finding(cases, /^In the chain/) ?? '',
      /grew to 4 MiB .*8 MiB behind \(cut off once\).*30 times of 30/,
    );
    assert.match(finding(cases, /promotion/) ?? '', /125 % of demand: 0; 75 % of demand: 2,000 \(500 ms/);
  });
});

describe('the checks', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) =>
    shortfallChecks(benchmarkOf(cases))
      .filter(({ ok }) => !ok)
      .map(({ detail }) => detail);

  test('hold where all is as it has to be', () => {
    assert.deepEqual(failed([enough(), short(), large(), chain()]), []);
  });

  test('fail where a link that carries enough cuts off or lags, and where a shortfall does not show', () => {
    const cutOff = shortfallCase('share-125', { linkShare: 1.25 }, { disconnects: 1 });
    assert.match(failed([cutOff, short()])[0], /cut off or resynced 1 times/);
    const lags = shortfallCase('latency-80ms', { linkLatencyMs: 80 }, { maxLagBytes: 5_000_000 });
    assert.match(failed([lags, short()])[0], /behind by up to 4\.77 MiB/);
    assert.match(
      failed([enough(), short({ growthBytesPerSecond: 200_000 })])[0],
      /by 195 KiB a second instead of 977 KiB/,
    );
    assert.match(failed([enough(), short({ growthBytesPerSecond: null })])[0], /not known/);
  });

  test('fail where the demand was another one, or nobody was promoted', () => {
    assert.match(failed([enough(), short({ demandBytesPerSecond: 3_000_000 })])[0], /75 % of what/);
    assert.match(failed([enough(), short({ promotion: undefined })])[0], /0 of 1 rounds/);
    assert.equal(failed([]).length, 4);
  });
});

describe('the charts', () => {
  test('show lag, buffer and whether the replica was connected', () => {
    const text = renderShortfall(benchmarkOf([enough(), short()]));
    assert.match(
      text,
      /75 % of demand \(1\.00 s a character\)\n {2}lag {5}·▃▆█····\n {2}buffer {2}···█····\n {2}replica ----×~×~/,
    );
    assert.match(text, /4 MiB, or 1 MiB for 2 s\. Redis’s own is 256 MiB/);
  });

  test('are left out where nothing was sampled', () => {
    assert.equal(renderShortfall(benchmarkOf([])), '');
    assert.equal(renderShortfall(benchmarkOf([short({ samples: undefined })])), '');
  });
});
