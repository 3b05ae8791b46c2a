import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, NAMED_FIGURES, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { tablesIn } from '../../test/figures/shown.js';
import suite from './index.js';

/** @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js' */

/** @param {string} name @param {CaseResult[]} cases @returns {BenchmarkResult} */
const benchmarkOf = (name, ...cases) => ({
  name,
  question: 'How much?',
  status: 'ok',
  cases,
  findings: [],
  checks: [],
});

/** @param {BenchmarkResult[]} benchmarks */
function rendered(...benchmarks) {
  const page = renderFrontPage({ ...resultOf(), benchmarks }, [suite], NAMED_FIGURES);
  assert.doesNotMatch(page, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

/** @param {number} wire bytes @param {number | null} catchUpMs */
function throughSsh(wire, catchUpMs) {
  const cpu = { primaryEndCpu: 0.25, replicaEndCpu: 0.1 };
  const link = {
    writes: 30_000,
    streamBytes: 5_000_000,
    demandBytesPerSecond: 1_000_000,
    wire: { toReplicaBytes: wire, toPrimaryBytes: 10, seconds: 5, ...cpu },
    catchUpMs,
    fullResyncs: 0,
  };
  return caseOf('ssh-C-regular', { tunnel: 'ssh-C', pattern: 'regular', pipeline: 10 }, [roundOf({ link })]);
}

test("the page has the article's compression beside ours, with the bill of a month", () => {
  const page = rendered(benchmarkOf('link-compression', throughSsh(500_000, 10)));
  assert.match(
    page,
    /^- `ssh -C` cut 8\.00 Mbit\/s to 800 kbit\/s, the bill of a month from \$80–\$191 to \$0\. The article: 23\.7 Mbit\/s to .*, hundreds of dollars, cut by ten\.$/m,
  );
  const [theirs, ours] = tablesIn(page)[0].rows;
  assert.deepEqual(theirs.slice(0, 4), ['the article: ssh -C', '23.7 Mbit/s', '1.94 Mbit/s', 'ten-fold']);
  assert.deepEqual(ours, ['ssh -C', '8.00 Mbit/s', '800 kbit/s', '10.0×', '25%', '$0']);
});

test('a tunnel that was not back in every round is not called back', () => {
  const roundsOf = (/** @type {(number | null)[]} */ times) =>
    times.map((awayMs) =>
      roundOf({ link: { writes: 9, streamBytes: 9, demandBytesPerSecond: 9, stopped: { awayMs, watchedMs: 15_000 } } }),
    );
  const one = (/** @type {'killed' | 'hung'} */ tunnelFault, /** @type {(number | null)[]} */ times) =>
    caseOf(`autossh-${tunnelFault}`, { supervisor: 'autossh', tunnelFault }, roundsOf(times));
  const page = rendered(benchmarkOf('link-supervisors', one('killed', [900, 1100]), one('hung', [2000, null])));
  assert.deepEqual(tablesIn(page)[0].rows, [['autossh', '900 ms–1.10 s', 'not back']]);
});

test('there is no ratio unless the wire carried the growth of the stream; a run without a case has a page', () => {
  const page = rendered(benchmarkOf('link-compression', throughSsh(500_000, null)));
  assert.doesNotMatch(page, /10\.0×/);
  assert.match(rendered(benchmarkOf('link-demand')), /^Nothing was measured\.$/m);
});
