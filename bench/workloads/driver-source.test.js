import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { holdsInTime } from '../../src/stacks/fixture.js';
import { hasEnded, startTimeOf } from '../../src/stacks/hosts/processes.js';
import { driverSources } from './driver-source.js';
import { queue } from './queue.js';

const SETTING = {
  workloads: ['queue'],
  prefix: 'test:',
  trial: { nodes: [], sentinels: [], masterName: 'mymaster', credentials: {} },
  from: {},
  wait: { waitReplicas: 0, waitTimeoutMs: 0 },
};

test('a driver that is killed leaves no worker, and what it reported is counted', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sentinel-bench-killed-driver-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pidFile = path.join(folder, 'worker');
  const ready = { op: 'ready', library: 'x', version: '1', language: 'sh', visibilityMs: null };
  const line = (/** @type {object} */ more) => ({
    process: 'a',
    role: 'worker',
    begin: 1,
    end: 2,
    outcome: 'ok',
    ...more,
  });
  const reported = [
    line({ op: 'add', role: 'producer', value: 'a-1' }),
    line({ op: 'add', role: 'producer', value: 'a-2' }),
    line({ op: 'run', value: 'a-1', begin: 3, end: 4 }),
  ];
  const echo = (/** @type {object} */ each) => `echo '${JSON.stringify(each)}'`;
  const script = [
    'read task',
    echo(ready),
    'read start',
    'sleep 1000 &',
    'echo $! > "$0"',
    ...reported.map(echo),
    'read stop',
    'kill -9 $$',
  ];
  const entry = {
    name: 'x',
    title: 'x',
    workload: 'queue',
    run: ['sh', '-c', script.join('\n'), pidFile],
    variants: { defaults: 'x' },
  };
  mkdirSync(path.join(folder, 'sh'));
  writeFileSync(
    path.join(folder, 'sh', 'driver.json'),
    JSON.stringify({ language: 'sh', drivers: [], workloads: [entry] }),
  );
  process.env.SENTINEL_BENCH_DRIVERS = folder;
  t.after(() => delete process.env.SENTINEL_BENCH_DRIVERS);

  const [source] = driverSources();
  const running = await source.start(/** @type {any} */ (SETTING));
  await running.begin();
  const worker = Number(readFileSync(pidFile, 'utf8'));
  const startTime = startTimeOf(worker);
  assert.notEqual(startTime, null);
  const stopped = await running.stop();
  const { queue: history } = await running.drain();
  await running.close();
  assert.deepEqual(stopped.queue.slice(0, reported.length), history.slice(0, reported.length));
  const { acknowledged, neverRun, runTwice, workersExited } = queue.check(history);
  // Nobody knows whether the second job would have run.
  assert.deepEqual([acknowledged, neverRun, runTwice, workersExited], [2, undefined, 0, 1]);
  assert.ok(await holdsInTime(() => hasEnded(worker, startTime)), 'the worker is still there');
});
