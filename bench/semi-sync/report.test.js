import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundText, verdictOf } from '../../src/report/articles.js';
import { makeReport, renderSvg } from '../../src/report/document.js';
import { FINDING_CHARACTERS, withFindings } from '../../src/report/findings.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { resourcesOf } from '../../src/report/resource-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { cellsOf } from '../../src/table.js';
import { suites } from '../index.js';
import { claims } from './claims.js';
import cost from './cost.js';
import { lossFindings, outcomesOf } from './figures.js';
import { MODES } from './modes.js';
import { semiSyncPage } from './report.js';
import resources, { articleTable } from './resources.js';
import { replicasFrozen, SCENARIOS } from './scenarios.js';

const SERVER = { name: 'mariadb', version: '10.11.0' };
const OPTIONS = { profile: PROFILES.quick, server: SERVER, storages: [{ label: 'tmp', emulated: false }] };

/** Three cases of the scenario that loses most. */
function frozen() {
  return failureBenchmarkOf('semi-sync-replicas-frozen', [
    { mode: 'async', audits: [auditOf('async', { acked: 6000, ackedLost: 2000 })] },
    {
      mode: 'after-sync',
      audits: [
        auditOf('after-sync', {
          acked: 6000,
          ackedLost: 1500,
          formerPrimary: { id: 'mariadb-1', present: 6000, extra: 1504, extraAcked: 1500, extraUntold: 4 },
        }),
      ],
    },
    {
      mode: 'after-sync-no-fallback',
      audits: [auditOf('after-sync-no-fallback', { acked: 3000, unknown: 10, unavailableMs: 4000 })],
    },
  ]);
}

describe('modes', () => {
  test('each sets every setting that another mode sets, so that it inherits nothing', () => {
    for (const [name, { settings }] of Object.entries(MODES)) {
      const {
        rpl_semi_sync_master_enabled: enabled,
        sync_binlog: sync,
        innodb_flush_log_at_trx_commit: flush,
      } = settings;
      assert.ok(enabled && sync && flush, name);
      const waits = ['rpl_semi_sync_master_timeout', 'rpl_semi_sync_master_wait_point'].map((each) => each in settings);
      assert.deepEqual(waits, [enabled === 'ON', enabled === 'ON'], name);
    }
  });

  test('each that a case names exists', () => {
    const modes = [cost, resources, ...SCENARIOS].flatMap((each) =>
      each.cases(OPTIONS).map(({ params }) => params.mode ?? ''),
    );
    for (const mode of modes) assert.ok(mode in MODES || mode === 'none', mode);
  });
});

describe('findings', () => {
  test('name the losses and the outage', () => {
    assert.deepEqual(
      lossFindings(frozen()).map(({ text }) => text),
      [
        'Replicas frozen, primary killed: async lost 2,000 acknowledged writes (2.00 s), AFTER_SYNC 1,500; AFTER_SYNC + no fallback lost none (1 trial each)',
      ],
    );
    for (const { text } of lossFindings(frozen())) assert.ok(text.length <= FINDING_CHARACTERS, text);
  });

  test('an outage to the end has no length', () => {
    const result = failureBenchmarkOf('semi-sync-machine-lost', [
      { mode: 'async', audits: [auditOf('async', { ackedLost: 4, unavailableMs: null })] },
    ]);
    const [{ text }] = lossFindings(result);
    assert.match(
      text,
      /^Machine lost: async lost 4 acknowledged writes \([^)]*\); outage to the end \(1 trial each\)$/,
    );
  });

  test('phantoms are writes without an acknowledgement that the old primary has', () => {
    assert.deepEqual(
      outcomesOf(frozen()).map(({ phantoms }) => phantoms),
      [0, 4, 0],
    );
  });

  test('name nodes that differ', () => {
    const result = failureBenchmarkOf('semi-sync-restarted', [
      {
        mode: 'async-relaxed',
        audits: [auditOf('async-relaxed', { ackedLost: 40, present: { 'mariadb-1': 9960, 'mariadb-2': 10_000 } })],
      },
    ]);
    assert.match(lossFindings(result)[1].text, /lacks writes that another has: async \+ relaxed flush 40$/);
  });

  test('a case without an acknowledged write has none', () => {
    assert.deepEqual(outcomesOf(failureBenchmarkOf('semi-sync-killed', [{ mode: 'async', audits: [] }])), []);
  });
});

test('checks fail where a mode loses that must not', () => {
  const checksOf = (/** @type {number} */ ackedLost) => {
    const result = failureBenchmarkOf('semi-sync-replicas-frozen', [
      { mode: 'after-sync-no-fallback', audits: [auditOf('after-sync-no-fallback', { ackedLost })] },
    ]);
    return replicasFrozen.checks(result).find(({ name }) => name.startsWith('nothing is lost'));
  };
  assert.equal(checksOf(0)?.ok, true);
  assert.equal(checksOf(3)?.ok, false);
  assert.match(checksOf(3)?.detail ?? '', /^semi-sync AFTER_SYNC \+ no fallback, pool/);
});

test('the claim that a kill loses nothing is judged with healthy replicas, as in the article', () => {
  const claim = claims.find(({ id }) => id === 'replication.killed-loss');
  assert.equal(claim?.benchmark, 'semi-sync-killed');
  assert.ok(claims.every(({ benchmark }) => benchmark !== 'semi-sync-replicas-frozen'));
  const killed = (/** @type {number} */ ackedLost, asyncLost = 8) =>
    claim?.examine(
      failureBenchmarkOf(
        'semi-sync-killed',
        Object.entries({ 'after-sync': ackedLost, async: asyncLost }).map(([mode, lost]) => ({
          mode,
          audits: [1, 2, 3].map((round) => auditOf(mode, { round, ackedLost: lost })),
        })),
      ),
      {},
    ) ?? null;
  assert.equal(verdictOf(killed(0)), 'reproduced');
  assert.equal(verdictOf(killed(5)), 'undecided', 'another database');
  assert.equal(
    killed(5)?.ours,
    'semi-sync AFTER_SYNC: lost 15 of 30,000 (3 trials); async: lost 24 of 30,000 (3 trials)',
  );
  assert.equal(verdictOf(killed(0, 0)), 'undecided', 'nothing shows what semi-sync saved');
  assert.match(killed(0, 0)?.differs ?? '', /async did not lose in every trial/);
  assert.match(
    claim?.differs ?? '',
    /MariaDB instead of MySQL, so another figure decides nothing; .*two healthy replicas/,
  );
});

test('modes of semi-sync are no repetitions of each other: the fewest trials of a mode count', () => {
  const trials = (/** @type {number} */ number) => {
    const result = failureBenchmarkOf(
      'semi-sync-killed',
      ['after-commit', 'after-sync', 'async'].map((mode) => ({
        mode,
        audits: Array.from({ length: number }, (_, i) =>
          auditOf(mode, { round: i + 1, ackedLost: mode === 'async' ? 9 : 0 }),
        ),
      })),
    );
    for (const { params } of result.cases) params.settings = { rpl_semi_sync_master_timeout: '10000' };
    return claims.find(({ id }) => id === 'replication.killed-loss')?.examine(result, {}) ?? null;
  };
  assert.deepEqual([trials(2)?.rounds, verdictOf(trials(2))], [2, 'undecided']);
  assert.equal(verdictOf(trials(3)), 'reproduced');
  assert.match(trials(3)?.ours ?? '', /^semi-sync AFTER_COMMIT: lost 0 .* \(3 trials\); semi-sync AFTER_SYNC: lost 0 /);
  assert.equal(trials(3)?.differs, 'timeout of 10000 and 10000 ms (theirs: 1 s)');
});

test('no phantom in a few trials decides nothing', () => {
  const extra = (/** @type {number} */ extraUntold) => {
    const formerPrimary = { id: 'mariadb-1', present: 10_000, extra: extraUntold, extraAcked: 0, extraUntold };
    const audits = [1, 2, 3].map((round) => auditOf('after-sync', { round, formerPrimary }));
    const result = failureBenchmarkOf('semi-sync-killed', [{ mode: 'after-sync', audits }]);
    return ['phantoms', 'trim'].map(
      (id) => claims.find((claim) => claim.id === `replication.${id}`)?.examine(result, {}) ?? null,
    );
  };
  // What happens when it follows was not tried.
  assert.deepEqual(extra(1).map(verdictOf), ['reproduced', 'undecided']);
  assert.deepEqual(extra(0).map(verdictOf), ['undecided', 'undecided']);
  const [phantoms] = extra(1);
  assert.equal(phantoms?.ours, '3 more rows on the old primary, in 3 of 3 trials');
  assert.equal(phantoms && boundText(phantoms), '3 trials', 'it was seen, so nothing is bound');
});

test('the front page begins with the mode and its price, then with the silent fallback', () => {
  const killed = failureBenchmarkOf('semi-sync-killed', [{ mode: 'async', audits: [auditOf('async')] }]);
  const { answer, limits = [] } = semiSyncPage({ ...failureResultOf([killed, frozen()]), suite: 'semi-sync' });
  assert.match(
    answer[0],
    /^Use semi-sync AFTER_SYNC with a timeout of 1 h, here .* lost none in 1 fault: replicas frozen, primary killed \(1 trial each: a screening, no proof\)\.$/,
  );
  assert.match(
    answer[1],
    /^After its timeout .*with 1 s, and async \(tried in 1 of them\), lost writes in: replicas frozen, primary killed\.$/,
  );
  assert.match(answer[2], /^Its price: while no replica confirms, every commit hangs/);
  assert.match(
    answer[4],
    /^Not tried with it: primary killed\. It cannot help if a replica is promoted that lacks the write\. Not covered: a replica confirms before/,
  );
  assert.match(answer[5], /^Replicas frozen, primary killed: async lost 2,000/);
  assert.equal(answer.length, 6, 'the table has the other failures');
  assert.match(limits[0], /95%/);
  assert.match(limits[1], /a kill cannot show what async replication loses with a machine/);
});

test('the mode to use names every row that it was not tried in, and no row of another flush', () => {
  const behind = failureBenchmarkOf('semi-sync-replica-frozen', [
    { mode: 'after-sync', audits: [auditOf('after-sync')] },
    { mode: 'after-sync', variant: 'behind', audits: [auditOf('after-sync-behind', { ackedLost: 7 })] },
  ]);
  const relaxed = failureBenchmarkOf('semi-sync-restarted', [
    { mode: 'async-relaxed', audits: [auditOf('async-relaxed')] },
  ]);
  const page = semiSyncPage({ ...failureResultOf([relaxed, frozen(), behind]), suite: 'semi-sync' });
  assert.match(
    page.answer[4],
    /^Not tried with it: one replica frozen, primary killed; one replica frozen, primary killed, frozen replica promoted\. /,
  );
});

test('with one trial each the page says that the sizes of losses are not compared, with more it does not', () => {
  const frozenIn = (/** @type {number[]} */ rounds) => {
    const modes = ['async', 'after-sync'];
    return failureBenchmarkOf(
      'semi-sync-replicas-frozen',
      modes.map((mode) => ({ mode, audits: rounds.map((round) => auditOf(mode, { round, ackedLost: 1000 })) })),
    );
  };
  const sentences = (/** @type {number[]} */ ...rounds) =>
    semiSyncPage({ ...failureResultOf([frozenIn(rounds)]), suite: 'semi-sync' }).answer.join(' ');
  assert.match(sentences(1), /async lost 1,000 .*AFTER_SYNC 1,000.*\(1 trial each, so sizes do not compare modes\)/);
  assert.match(sentences(1, 2), /\(2 trials each\)/);
});

describe('the report of a whole run', () => {
  /** Every case of the quick profile: all trials lost something, which is the longest page. */
  const failures = SCENARIOS.map((scenario) =>
    failureBenchmarkOf(
      scenario.name,
      scenario.cases(OPTIONS).map(({ params: { mode = '', variant } }, i) => ({
        mode,
        variant,
        audits: [auditOf(variant === undefined ? mode : `${mode}-${variant}`, { ackedLost: 10 + i })],
      })),
    ),
  );
  const costs = {
    ...resourcesOf(),
    name: cost.name,
    cases: cost.cases(OPTIONS).map(({ id, params }) => caseOf(id, params, [roundOf(), roundOf({ seed: 2 })])),
  };
  const result = {
    ...failureResultOf([costs, { ...resourcesOf(), name: resources.name }, ...failures]),
    suite: 'semi-sync',
  };
  const { markdown } = makeReport(withFindings(result, suites), suites);

  test('keeps its budget, and its tables six columns', () => {
    const lines = markdown.trimEnd().split('\n');
    // With the five steps of a failover, which nobody should have to look for, and blocks that find out where they are.
    assert.ok(lines.length <= 135, `${lines.length} lines`);
    assert.ok(Buffer.byteLength(markdown) <= 20 * 1024);
    for (const line of lines.filter((each) => each.startsWith('|'))) assert.ok(line.split('|').length - 2 <= 6, line);
  });

  test('draws the cost of the modes that have several numbers of connections', () => {
    const [chart] = cost.charts?.(costs, result) ?? [];
    const names = chart?.option.series.map((/** @type {{name: string}} */ { name }) => name);
    assert.deepEqual(
      new Set(names),
      new Set(['async', 'semi-sync AFTER_COMMIT', 'semi-sync AFTER_SYNC', 'no replica']),
    );
    // More lines than the places that a chart has beside each other cannot be drawn.
    if (chart) assert.match(renderSvg(chart, 'light'), /^<svg/);
  });

  test('has a row for each failure and a column for each mode, the largest losses first', () => {
    const kept = failureBenchmarkOf('semi-sync-killed', [{ mode: 'async', audits: [auditOf('async')] }]);
    const flush = failureBenchmarkOf('semi-sync-restarted', [
      { mode: 'after-sync-relaxed', audits: [auditOf('after-sync-relaxed', { ackedLost: 40 })] },
    ]);
    const { evidence } = semiSyncPage({ ...failureResultOf([kept, flush, frozen()]), suite: 'semi-sync' });
    const losses = evidence.find(({ kind }) => kind === 'table');
    assert.ok(losses?.kind === 'table');
    assert.deepEqual(
      losses.columns.map(({ title }) => title),
      ['lost in', 'AFTER_SYNC + no fallback', 'AFTER_SYNC', 'AFTER_COMMIT', 'async', 'longest outage'],
    );
    assert.deepEqual(cellsOf(losses), [
      ['replicas frozen, primary killed', '0', '1,500 (1.50 s)', '–', '2,000 (2.00 s)', '4.00 s'],
      ['restarted in place, relaxed flush', '–', '40 (40.0 ms)', '–', '–', '1.20 s'],
    ]);
    const words = evidence
      .flatMap((each) => (each.kind === 'list' ? each.items : []))
      .map((each) => JSON.stringify(each));
    assert.match(words.join(), /no mode that was tried lost a write in: primary killed \(async; outage 1\.20 s\)"/);
  });

  test('costs have a rate, and a p99 with its interval', () => {
    const { evidence } = semiSyncPage(result);
    const table = evidence.find(({ kind }) => kind === 'table');
    assert.ok(table?.kind === 'table');
    const async = cellsOf(table).find(([mode]) => mode === 'async') ?? [];
    assert.match(async[4], /^\S+ [mµ]s( \(.+–.+\))?$/);
    assert.match(async[5], /\/s$/);
  });

  test('the cost has a sentence about distance: a commit waits for a round trip more', () => {
    const found = /AFTER_SYNC makes, by arithmetic, at most ([\d.]+ k?)\/s instead of ([\d.]+ k?)\/s\./.exec(markdown);
    assert.ok(found);
    const [slow, fast] = found.slice(1).map((text) => Number.parseFloat(text) * (text.endsWith('k') ? 1000 : 1));
    assert.ok(Math.abs(1000 / slow - (1000 / fast + 1)) < 0.02, `${slow} ${fast}`);
  });

  test('the steps of a failover are on the page, after the blocks that they name', () => {
    assert.match(markdown, /Planned switch-over, and after a failure:\n\n1\. Close the old primary/);
    assert.ok(markdown.indexOf('-- Block B') < markdown.indexOf('1. Close the old primary'));
  });
});

test('no mode protects from a mistake in a failover, and the page says what it lost', () => {
  const behind = (/** @type {string} */ mode) => ({
    id: `${mode}-behind`,
    mode,
    variant: 'behind',
    audits: [auditOf(`${mode}-behind`, { ackedLost: 7 })],
  });
  const kept = { mode: 'after-sync-no-fallback', audits: [auditOf('after-sync-no-fallback')] };
  const pageOf = (/** @type {Parameters<typeof failureBenchmarkOf>[1]} */ ...cases) =>
    semiSyncPage({ ...failureResultOf([failureBenchmarkOf('semi-sync-replica-frozen', cases)]), suite: 'semi-sync' });
  const shorter = { mode: 'after-sync', audits: [auditOf('after-sync', { ackedLost: 5 })] };
  assert.deepEqual(pageOf(kept, behind('after-sync-no-fallback')).answer, [], 'nothing shows that it helps');
  const { answer } = pageOf(kept, shorter, behind('after-sync-no-fallback'));
  assert.match(
    answer[0],
    /^Use semi-sync AFTER_SYNC .* lost none in 1 fault: one replica frozen, primary killed \(1 trial each/,
  );
  assert.match(
    answer[4],
    /lacks the write: one replica frozen, primary killed, frozen replica promoted \(lost 7 \(7\.00 ms\)\)\./,
  );
  const lossy = { mode: 'after-sync-no-fallback', audits: [auditOf('after-sync-no-fallback', { ackedLost: 1 })] };
  assert.doesNotMatch(pageOf(lossy).answer.join(), /^Use semi-sync/, 'a loss without a mistake');
});

describe('resources', () => {
  /** The figures of the same benchmark of Redis. */
  const result = { ...resourcesOf(), name: resources.name };

  test('each row of the article is next to our figures', () => {
    const table = articleTable(result).find(({ kind }) => kind === 'table');
    assert.ok(table?.kind === 'table');
    assert.equal(table.rows.length, 7);
    const [title, rate, cpu, , , , ours, ownCpu] = table.rows[3];
    assert.deepEqual(
      [title, rate, cpu, ours, ownCpu],
      ['1 replica, async: writing', '320 /s', '112% / 57%', '3.20 k/s', '80% / 30%'],
    );
    assert.deepEqual(articleTable({ ...result, cases: [] }), []);
  });

  test('findings and checks compare the stacks', () => {
    const [reading, writing] = resources.findings(result, {}).map(({ text }) => text);
    assert.match(reading, /^Reads sent to a replica: primary 2\.0% of a core instead of 90%, replica .*; reads /);
    assert.match(writing, /^Writing: no replica 4\.00 k\/s; 1 replica, async 3\.20 k\/s/);
    assert.deepEqual(
      resources.checks(result).map(({ ok }) => ok),
      [true, true],
    );
    const missed = structuredClone(result);
    for (const { rounds } of missed.cases) rounds[0].reads = { answered: 5, misses: 1, failed: 0 };
    assert.equal(resources.checks(missed)[0].ok, false);
  });

  test('the claims about resources are examined, not by a stand-in', () => {
    const resourceClaims = claims.filter(({ benchmark }) => benchmark === resources.name);
    const oursOf = (/** @type {typeof result} */ from) =>
      Object.fromEntries(resourceClaims.map((claim) => [claim.id, claim.examine(from, {})?.ours]));
    assert.equal(oursOf(result)['replication.read-relief'], 'CPU of the primary from 90% to 2.0%');
    assert.equal(resourceClaims.length, 14);
    assert.ok(resourceClaims.every(({ standIn }) => !standIn));
    assert.deepEqual(new Set(Object.values(oursOf({ ...result, cases: [] }))), new Set([undefined]));
  });

  test('asynchronous replication is compared with one replica, as in the article', () => {
    const [claim, ...others] = claims.filter(({ id }) => id === 'replication.async-cost');
    assert.deepEqual([claim.benchmark, others.length], [resources.name, 0]);
    assert.match(claim.examine(result, {})?.evidence.join() ?? '', /set-0.*set-1/);
  });

  test('a sample without what its nodes used says what measures it, instead of the figure of another database', () => {
    const blank = structuredClone(result);
    for (const { rounds } of blank.cases) for (const round of rounds) round.nodes = [];
    const needing = claims.filter(({ benchmark, needsNodes }) => benchmark === resources.name && needsNodes);
    assert.equal(needing.length, 7);
    // The figures of the test have no case with semi-sync.
    for (const claim of needing.filter(({ id }) => !id.includes('semi-sync'))) {
      const examined = claim.examine(blank, {});
      assert.equal(verdictOf(examined), 'not measured', claim.id);
      assert.match(
        examined?.ours ?? '',
        /^not measured: .*`sentinel-bench run semi-sync-resources --profile standard`$/,
      );
    }
  });

  test('a machine that is too small decides nothing', () => {
    const small = structuredClone(result);
    for (const one of small.cases) one.summary.limitedBy = 'machine';
    const claim = claims.find(({ id }) => id === 'replication.read-throughput');
    assert.equal(claim?.examine(small, {})?.holds, null);
    assert.match(claim?.examine(small, {})?.differs ?? '', /limited by the machine/);
  });

  test('of files in memory nothing reaches a disk, so that is not measured', () => {
    const written = structuredClone(result);
    for (const { rounds } of written.cases) for (const node of rounds[0].nodes) node.blockOutBytes = 0;
    const claim = claims.find(({ id }) => id === 'replication.replica-disk');
    assert.match(claim?.examine(written, {})?.ours ?? '', /^not measured: the files of this run were in memory/);
    assert.equal(verdictOf(claim?.examine(written, {}) ?? null), 'not measured');
    const latency = claims.find(({ id }) => id === 'replication.async-p50');
    for (const { params } of written.cases) params.mode = 'async';
    assert.match(latency?.examine(written, {})?.differs ?? '', /^files in memory/);
  });

  test('what a replica writes to its disk is compared with the primary', () => {
    const written = structuredClone(result);
    for (const { rounds } of written.cases)
      for (const node of rounds[0].nodes) node.blockOutBytes = node.role === 'primary' ? 4000 : 3800;
    const claim = claims.find(({ id }) => id === 'replication.replica-disk');
    const examined = claim?.examine(written, {});
    assert.deepEqual([examined?.holds, examined?.ours], [true, 'the replica writes 95% of what the primary writes']);
  });
});
