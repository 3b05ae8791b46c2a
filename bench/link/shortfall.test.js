import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { shortfallChecks, shortfallFindings } from './shortfall.js';
import { shortfallDetails } from './shortfall-charts.js';
import {
  DEFAULT_LIMIT,
  grows,
  limitAfterSeconds,
  limitText,
  linkTitle,
  promotionText,
  SHORTFALL_COLUMNS,
  timelineOf,
} from './shortfall-figures.js';

/**
 * @import { CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Sample } from './shortfall-figures.js'
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
  test('the timeline of a round: when the replica was disconnected, and that no full resync completed', () => {
    const [{ link }] = short().rounds;
    assert.ok(link);
    assert.deepEqual(timelineOf(link), { disconnectedAfterMs: 4000, finished: 0, seconds: 7 });
    const back = timelineOf({ ...link, samples: samplesOf([0, 'away', 'syncing', 5, 'away', 5]) });
    assert.equal(back.finished, 1);
  });

  test('the limit that is reached first', () => {
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
  test('names the link, and shows lost writes as time too', () => {
    assert.equal(linkTitle(chain()), '75% of demand, replica of a replica');
    assert.equal(linkTitle(large()), '75% of demand, backlog 64mb');
    assert.equal(linkTitle(shortfallCase('far', { linkLatencyMs: 80 }, {})), '80 ms a round trip, no cap');
    assert.equal(promotionText(short()), '2,000 (500 ms of writing)');
    assert.equal(promotionText(enough()), '0');
    assert.equal(grows(short()), true);
    assert.equal(grows(enough()), false);
  });

  test('shows demand, cap, growth, memory, resyncs and WAIT of each link', () => {
    const row = (/** @type {CaseResult} */ result) =>
      Object.fromEntries(SHORTFALL_COLUMNS.map(({ title, cell }) => [title, cell(result)]));
    const { demand, 'capped to': cap, disconnected, 'WAIT timed out': late, ...narrow } = row(short());
    assert.deepEqual([demand, cap, disconnected, late], ['32.0 Mbit/s', '24.0 Mbit/s', '2', '24 of 30']);
    assert.deepEqual([narrow['lag grows by, a second'], narrow['full resyncs'], narrow.partial], ['977 KiB', '2', '0']);
    const wide = row(large());
    assert.deepEqual([wide['sender memory grew by'], wide['missed when back']], ['70 MiB', '12 MiB']);
    assert.equal(row(enough())['WAIT 1 p50'], '2.00 ms');
  });

  test('has text in every cell, with or without figures', () => {
    const bare = caseOf('bare', { linkShare: 1 }, [roundOf()]);
    for (const result of [enough(), short(), large(), chain(), bare])
      for (const { cell } of SHORTFALL_COLUMNS) assert.doesNotMatch(cell(result), /NaN|undefined|Infinity/);
  });
});

describe('the findings', () => {
  test('growth is given an hour, with the time until Redis’s default limit', () => {
    assert.equal(
      finding([short()], /falls behind/),
      'A replica falls behind by 3.6 GB an hour at 75% of demand (default buffer limit after 2.1 min)',
    );
    assert.equal(finding([enough()], /falls behind/), undefined);
  });

  test('how often it was disconnected, and whether a full resync completed', () => {
    assert.match(
      finding([short()], /disconnected/) ?? '',
      /disconnected 2 times in 7\.00 s, first after 4\.00 s; 0 of 2 full resyncs completed \(buffer limit 4 MiB/,
    );
    const done = short({ samples: samplesOf([0, 'away', 'syncing', 5]), fullResyncs: 1, disconnects: 1 });
    assert.match(finding([done], /disconnected/) ?? '', /disconnected once .*1 of 1 full resync completed/);
    const none = short({ disconnects: 0, fullResyncs: 0, samples: samplesOf([0, 1, 2]) });
    assert.match(finding([none], /disconnected/) ?? '', /was not disconnected within 2\.00 s/);
  });

  test('a larger backlog: resyncs, and how long it lasts', () => {
    assert.match(
      finding([short(), large()], /a backlog of/) ?? '',
      /a backlog of 64 MiB: 0 full resyncs, 2 partial; of 1 MiB: 2 full resyncs, 0 partial; it lasts 67\.1 s$/,
    );
    assert.match(
      finding([short(), large({ fullResyncs: 1 })], /a backlog of/) ?? '',
      /64 MiB: 1 full resync, 2 partial/,
    );
    assert.equal(finding([short()], /a backlog of/), undefined);
  });

  test('an empty buffer while the replica was behind, and a lag in INFO that never showed it', () => {
    assert.match(finding([short()], /still empty/) ?? '', /1\.91 MiB behind/);
    assert.match(
      finding([short()], /min-replicas-max-lag/) ?? '',
      /never exceeded 1 s while a connected replica was 3\.00 s of writing behind, so .* refused nothing/,
    );
    assert.equal(finding([enough()], /min-replicas-max-lag/), undefined);
    const answersLate = samplesOf([0, 1e6]).map((sample) => ({ ...sample, lagSeconds: 12 }));
    const late = finding([short({ samples: answersLate, maxLagBytes: 80_000_000 })], /never exceeded 12 s/) ?? '';
    assert.match(late, /of writing behind$/);
    assert.doesNotMatch(late, /refused/, 'a lag that the default would have seen');
  });

  test('the chain, and the promotion, whose losses come first', () => {
    const cases = [enough(), short(), chain()];
    assert.match(finding(cases, /^In a chain/) ?? '', /8 MiB behind and the middle one buffered 4 MiB; .*30 of 30/);
    assert.match(
      shortfallFindings(benchmarkOf(cases))[0].text,
      /loses acknowledged writes: at 75% of demand 2,000 \(500 ms of writing\); at .* 0 \(one round\)/,
    );
  });

  test('a finding fits on two lines', () => {
    for (const { text } of shortfallFindings(benchmarkOf([enough(), short(), large(), chain()])))
      assert.ok(text.length <= 160, `${text.length}: ${text}`);
  });
});

describe('the checks', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) =>
    shortfallChecks(benchmarkOf(cases))
      .filter(({ ok }) => !ok)
      .map(({ detail }) => detail);

  test('hold when the figures agree', () => {
    assert.deepEqual(failed([enough(), short(), large(), chain()]), []);
  });

  test('fail when a sufficient link disconnects or lags, and when a shortfall does not show', () => {
    const lost = shortfallCase('share-125', { linkShare: 1.25 }, { disconnects: 1 });
    assert.match(failed([lost, short()])[0], /disconnected or resynced 1 times/);
    const lags = shortfallCase('latency-80ms', { linkLatencyMs: 80 }, { maxLagBytes: 5_000_000 });
    assert.match(failed([lags, short()])[0], /behind by up to 4\.77 MiB/);
    assert.match(
      failed([enough(), short({ growthBytesPerSecond: 200_000 })])[0],
      /by 195 KiB a second instead of 977 KiB/,
    );
    assert.match(failed([enough(), short({ growthBytesPerSecond: null })])[0], /not known/);
  });

  test('fail when the demand was different, or no replica was promoted', () => {
    assert.match(failed([enough(), short({ demandBytesPerSecond: 3_000_000 })])[0], /75% of the demand/);
    assert.match(failed([enough(), short({ promotion: undefined })])[0], /0 of 1 rounds/);
    assert.equal(failed([]).length, 4);
  });
});

describe('the details', () => {
  test('show lag, buffer and whether the replica was connected', () => {
    const text = JSON.stringify(shortfallDetails(benchmarkOf([enough(), short()]))).replaceAll('\\n', '\n');
    assert.match(
      text,
      /75% of demand \(1\.00 s a character\)\n {2}lag {5}·▃▆█····\n {2}buffer {2}···█····\n {2}replica ----×~×~/,
    );
    assert.match(text, /4 MiB, or 1 MiB for 2 s\. Redis’s default is 256 MiB/);
  });

  test('are left out without samples', () => {
    assert.deepEqual(shortfallDetails(benchmarkOf([])), []);
    assert.deepEqual(shortfallDetails(benchmarkOf([short({ samples: undefined })])), []);
  });
});
