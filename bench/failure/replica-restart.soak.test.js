/** Replicas that restart or are slow, through the command line: the report, the audit, and what is left. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalsIn, LONG_RUN_MS, leftIn, newFolder, runCli } from '../../src/cli/fixture.js';
import { readResult } from '../../src/result/read.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { ResultSchema } from '../index.js';

const folder = await ownTemporaryFolder();
const skip = await needs('server');

const RUN = ['run', '--backend', 'local', '--out', 'out'];

/** @param {string} tmp */
const runFolder = (tmp) => join(tmp, 'out', 'latest');

test('a run: a report, an audit that can be made again, and nothing left', { skip }, async () => {
  const tmp = newFolder(folder);
  // On a busy machine a replica may start a second late. The usual backlog would be too small for it.
  const settings = ['--link-latency', '1ms', '--set', 'repl-backlog-size=64mb'];
  const run = await runCli([...RUN, 'replica-restart', 'replica-slow', '--client', 'native', ...settings], {
    tmp,
    deadlineMs: LONG_RUN_MS,
  });
  assert.equal(run.status, 0, run.stderr + run.stdout);
  assert.deepEqual(leftIn(tmp), []);
  assert.deepEqual(journalsIn(tmp), []);

  const result = await readResult(runFolder(tmp), ResultSchema);
  const [restart, slow] = result.benchmarks;
  assert.deepEqual([restart.status, slow.status], ['ok', 'ok']);
  const trials = [...(restart.timeline ?? []), ...(slow.timeline ?? [])];
  for (const trial of trials) assert.ok(trial.converged, trial.case);
  // One probe that a busy machine does not answer in time, and what a round trip takes is not known.
  const links = trials.flatMap(({ linkMs }) => linkMs ?? []);
  assert.ok(links.length > 0 && links.every((ms) => ms >= 1), `round trips between nodes take ${links} ms`);
  const audits = [...(restart.audit ?? []), ...(slow.audit ?? [])];
  assert.equal(audits.length, 2 * (restart.cases.length + slow.cases.length), 'both writers of each case');
  for (const { acked, ackedLost, case: id } of audits) {
    assert.ok(acked > 0, id);
    assert.equal(ackedLost, 0, id);
  }
  const resyncs = restart.timeline?.map(({ case: id, events }) => [
    id,
    events.find(({ kind }) => kind.endsWith('resync'))?.kind,
  ]);
  assert.deepEqual(Object.fromEntries(resyncs ?? []), {
    async: 'full-resync',
    min1: 'full-resync',
    wait1: 'full-resync',
    wait2: 'full-resync',
    'wait1-min1-aof': 'full-resync',
    'wait2-min2-aof-always': 'full-resync',
    'wait2-aof': 'full-resync',
    'async-snapshot': 'partial-resync',
  });

  const audit = await runCli(['audit', runFolder(tmp), '--json'], { tmp });
  assert.equal(audit.status, 0, audit.stdout);
  const { writers, agrees, holds } = JSON.parse(audit.stdout);
  assert.deepEqual([writers.length, agrees, holds], [audits.length, true, true]);
});
