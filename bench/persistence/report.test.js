import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderBlocks } from '../../src/report/blocks.js';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { WITH_DISTANCE } from '../pages/published-costs.js';
import { persisted, persistenceOf, persistenceResult, storageInfos, WITH_AOF } from './fixture.js';
import persistenceSuite from './index.js';
import { persistenceDetails, persistenceFindings } from './report.js';

/** @import { ModeName } from './modes.js' */

/** @import { BenchmarkResult, CaseResult, Result, StorageInfo } from '../../src/result/schema.js' */

const SLOW = { storage: 'slow' };
const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage' | 'storageNotMeasured'> & {environment?: {cores: number}}} [run]
 * @returns {string} Markdown
 */
const details = (benchmark, run = {}) => renderBlocks(persistenceDetails(benchmark, run), NAMED_FIGURES);

/** @param {CaseResult[]} cases */
const findings = (cases) =>
  persistenceFindings(persistenceOf(cases), { storages: storageInfos() }).map(({ text }) => text);

describe('findings', () => {
  test('AOF on each storage, p99 as service time, GET, the split', () => {
    const sentences = findings(persistenceResult().cases);
    assert.equal(
      sentences[0],
      'AOF on `tmp` costs 80% of throughput with everysec and 87% with always (SETs of 176 KiB, 20 connections, range of 3 rounds)',
    );
    assert.match(sentences[2], /^AOF on `slow` \(emulated\) costs 97% .*with everysec/);
    assert.match(
      sentences[1],
      /^p99 service time of SET on `tmp` rises from 2\.\d+ ms.* to 33\.\d ms.* with AOF everysec and /,
    );
    assert.equal(sentences[4], 'Persistence slows GET in 0 of 2 cases');
    assert.match(
      sentences[3],
      /^Against AOF on the replica only, AOF everysec on both nodes costs 75%.* of SET throughput/,
    );
    assert.match(
      sentences[5],
      /^SET of 176 KiB with AOF on `tmp` has a p99 more than 2× that without persistence or above 10\.0 ms in 3 of 3 cases$/,
    );
    assert.match(sentences[7], /^The replica of the split with AOF falls behind: it was sent \d/);
  });

  test('are short, and name their cases', () => {
    const benchmark = persistenceResult();
    for (const { text, evidence } of persistenceFindings(benchmark, { storages: storageInfos() })) {
      assert.ok(text.length <= 160, `${text.length}: ${text}`);
      assert.ok(evidence.length > 0);
      for (const id of evidence)
        assert.ok(
          benchmark.cases.some((one) => one.id === id),
          id,
        );
    }
  });

  test('the article’s split: RDB on both nodes', () => {
    const pair = { replicas: 1 };
    const sentences = findings([
      persisted('off', pair, { writes: 1500, medianNs: 2.4e6, replica: {} }),
      persisted('everysec', pair, { writes: 300, medianNs: 28e6, counters: WITH_AOF, replica: WITH_AOF }),
      persisted('split-rdb', pair, { writes: 1200, medianNs: 3e6, replica: {} }),
    ]);
    assert.match(
      sentences[0],
      /^Against RDB on both nodes \(primary: save 3600 1\), AOF everysec on both nodes costs 75%.* of SET throughput/,
    );
    assert.match(sentences[1], /^The replica of the split with RDB keeps up for these rounds/);
  });

  test('a cost with a wide interval shows its bounds only', () => {
    const always = persisted('always', {}, { writes: 2000, medianNs: 2e6, counters: WITH_AOF });
    always.rounds[0].throughput = 300;
    assert.equal(
      findings([off, always])[0],
      'AOF on `tmp` costs 33 to 90% of throughput with always (SETs of 176 KiB, 20 connections, range of 3 rounds)',
    );
  });

  test('RDB on each storage where it was measured', () => {
    const snapshot = persisted('snapshot', {}, { writes: 2700, medianNs: 1.3e6 });
    const rdb = persisted('rdb', {}, { writes: 2850, medianNs: 1.3e6 });
    const [bgsave, thresholds] = findings([off, snapshot, rdb]).filter((text) => text.startsWith('RDB'));
    assert.match(
      bgsave,
      /^RDB with BGSAVE running costs 10%.* of throughput on `tmp` \(SETs of 176 KiB, 20 connections, range of 3 rounds\)$/,
    );
    assert.match(thresholds, /^RDB with frequent saves costs 5\.0%.* of throughput on `tmp` \(SETs of 176 KiB, /);
  });

  test('storage is called emulated, or memory', () => {
    const slow = [
      persisted('off', SLOW, { writes: 3000, medianNs: 1e6 }),
      persisted('always', SLOW, { writes: 300, medianNs: 1e6 }),
    ];
    const always = persisted('always', {}, { writes: 300, medianNs: 1e6 });
    const of = (/** @type {Parameters<typeof persistenceFindings>[1]} */ options) =>
      persistenceFindings(persistenceOf([off, always, ...slow]), options).map(({ text }) => text);
    assert.match(of({})[1], /^AOF on `slow` \(perhaps emulated\) costs/);
    const memory = { label: 'tmp', emulated: false, filesystem: 'tmpfs' };
    assert.match(of({ storages: [memory] })[0], /^AOF on `tmp` \(tmpfs: memory, no disk\) costs/);
  });

  test('without measurements there is no finding', () => {
    assert.deepEqual(persistenceFindings(persistenceOf([])), []);
    assert.deepEqual(findings([off]), []);
  });
});

describe('the front page', () => {
  /** @param {(result: Result) => void} [change] */
  function page(change = () => {}) {
    const benchmark = persistenceResult();
    benchmark.findings = persistenceFindings(benchmark, { storages: storageInfos() });
    const result = { ...resultOf(), suite: 'persistence', storage: storageInfos(), benchmarks: [benchmark] };
    change(result);
    return renderFrontPage(result, [persistenceSuite], NAMED_FIGURES);
  }

  test('fits its budget, and says no sentence twice', () => {
    const text = page();
    assert.ok(text.split('\n').length + 3 * 2 <= 100);
    assert.ok(text.includes(WITH_DISTANCE));
    const sentences = text.match(/^- .+$/gm)?.map((line) => line.replace(/\.$/, '')) ?? [];
    assert.equal(new Set(sentences).size, sentences.length);
  });

  test('the deciding table: storage, mode, throughput, cost, p99 as service time', () => {
    const text = page().replaceAll(/ +/g, ' ');
    assert.match(text, /^\| storage \| persistence \| SETs answered \| cost \| p99 \(closed loop\) \| mean \|$/m);
    assert.match(text, /^\| `tmp` \| AOF everysec \| 600 \/s \(582–618\) \| 80% \| 3\d\.\d ms/m);
    assert.match(text, /^\| `slow` \(emulated\) \| AOF everysec \| 90\.0 \/s .* \| 97% /m);
    assert.match(text, /^- p99 service time of SET .*\. It understates what users see: .*closed loop/m);
  });

  test('a volume on this machine is no real network', () => {
    const gluster = (/** @type {Result} */ result) => {
      for (const storage of result.storage ?? []) {
        if (storage.label === 'slow') Object.assign(storage, { emulated: false, filesystem: 'fuse.glusterfs' });
      }
    };
    assert.match(page(gluster), /^- The GlusterFS volume runs on this machine: three bricks on one disk/m);
    assert.doesNotMatch(page(), /GlusterFS/);
  });

  test('a scaled-down data set and storage that was not measured are limits', () => {
    const text = page((result) => {
      result.storageNotMeasured = 'nbdkit is not installed; install it.';
      result.benchmarks[0].cases.push(persisted('off', { preloadKeys: 2000 }, { writes: 3000, medianNs: 1e6 }));
    });
    assert.match(
      text,
      /^- The preloaded data set has 2,000 keys \(343 MiB\) instead of the 375,795 keys \(63 GiB\) in the article that `details\.md` checks; with more keys forks take longer\.$/m,
    );
    assert.match(text, /Further storage was not measured: nbdkit is not installed; install it\./);
    const large = page((result) => {
      result.benchmarks[0].cases.push(persisted('off', { preloadKeys: 375_795 }, { writes: 3000, medianNs: 1e6 }));
    });
    assert.doesNotMatch(large, /in the article that/);
  });
});

describe('details', () => {
  test('storage, a table for each kind of load, architectures', () => {
    const text = details(persistenceResult(), { storage: storageInfos() });
    assert.deepEqual(text.match(/^### .+$/gm), ['### Storage', '### SET', '### GET', '### Architectures']);
    assert.match(text, /^\| slow +\| emulated: .+\| ext4 /m);
    assert.match(text, /^\| tmp +\| primary alone +\| AOF everysec +\|.+0\.20×.+not good.+aof-write 103 ms/m);
    assert.match(text, /^\| tmp +\| primary and replica +\| split: replica AOF everysec/m);
    assert.match(text, /a round takes 1\.1 s/);
    assert.match(text, /In parentheses: the range of 3 rounds/);
  });

  test('architectures: the fastest first, with what the replica was sent', () => {
    const text = details(persistenceResult());
    const architectures = text.slice(text.indexOf('### Architectures')).replaceAll(/ +/g, ' ');
    assert.deepEqual(
      architectures.match(/^\| (primary[^|]+\| [^|]+?) \|/gm)?.map((row) => row.slice(2, -2)),
      [
        'primary and replica | split: replica AOF everysec, RDB (save 60 1)',
        'primary alone | AOF everysec',
        'primary and replica | AOF everysec, on every node',
      ],
    );
    assert.doesNotMatch(architectures, /undecided/);
  });

  test('architectures: overlapping intervals leave the order undecided', () => {
    const pair = { replicas: 1 };
    const cases = [
      off,
      persisted('everysec', {}, { writes: 1190, medianNs: 3e6, counters: WITH_AOF }),
      persisted('off', pair, { writes: 1500, medianNs: 2.4e6, replica: {} }),
      persisted('split', pair, { writes: 1200, medianNs: 3e6, replica: WITH_AOF }),
    ];
    assert.match(details(persistenceOf(cases)), /The order of the first two is undecided: their intervals overlap/);
  });

  test('values shared by all rows become a sentence, and empty columns are left out', () => {
    const text = details(persistenceResult(), { storage: storageInfos() });
    const get = text.slice(text.indexOf('### GET'), text.indexOf('### Architectures'));
    assert.match(get, /In every row nodes: primary alone, data set: small, payload: 180,000 B\./);
    assert.doesNotMatch(
      get.split('\n').find((line) => line.startsWith('| storage')) ?? '',
      /fork|longest event|payload/,
    );
  });

  test('a preloaded data set has its size; unknown and missing storage is named', () => {
    const cases = [persisted('off', { preloadKeys: 2000 }, { writes: 100, medianNs: 1e6 })];
    const text = details(persistenceOf(cases), { storageNotMeasured: 'nbdkit is not installed; install it.' });
    assert.match(text, /data set: 2,000 keys/);
    assert.match(text, /^The preloaded data set has 2,000 keys/m);
    assert.doesNotMatch(text, /A fork marked “before”/);
    assert.match(text, /Further storage was not measured: nbdkit is not installed/);
    assert.match(text, /This result does not describe the storage/);
  });

  test('a fork before the timed rounds is marked, and the mark explained', () => {
    const counters = { latestForkUs: 15_900 };
    const text = details(persistenceOf([persisted('snapshot', {}, { writes: 100, medianNs: 1e6, counters })]));
    assert.match(text, /\| 15\.9 ms, before \|/);
    assert.match(text, /A fork marked “before” came before/);
  });

  test('a machine that other programs kept busy is reported, unless the case itself does so', () => {
    const busy = (/** @type {ModeName} */ mode, storage = 'tmp') => {
      const process = {
        cpu: 0.3,
        memoryBytes: 1,
        bytesRead: 1,
        bytesWritten: 1,
        blockInBytes: 0,
        blockOutBytes: 0,
        pids: 9,
      };
      const round = { machineCpu: 0.95, load: { cpu: 0.3, eventLoopUtilization: 0.4, process } };
      const result = persisted(mode, { storage }, { writes: 100, medianNs: 1e6, round });
      return details(persistenceOf([result]), { storage: storageInfos(), environment: { cores: 2 } });
    };
    assert.match(busy('off'), /^\*\*.* 55% of the machine’s cores/);
    for (const text of [busy('snapshot'), busy('rdb'), busy('off', 'slow')]) assert.match(text, /^### Storage/);
  });

  test('thresholds that no round reaches are a note', () => {
    const noted = (/** @type {ModeName} */ mode) =>
      details(persistenceOf([persisted(mode, { replicas: 1 }, { writes: 100, medianNs: 1e6, replica: {} })]));
    assert.match(noted('split'), /too short for the thresholds of the replica’s snapshots/);
    assert.doesNotMatch(noted('split-rdb'), /too short for the thresholds/);
  });

  test('without measurements nothing is shown', () => assert.equal(details(persistenceOf([])), ''));
});
