import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWorkloadLine, startWorkload } from './workload.js';

const RUN = { process: 'a.worker-1', role: 'worker', op: 'run', value: 'a-1', begin: 5, end: 9, outcome: 'ok' };

test('a line is an operation, a notice, `ready`, or a problem that names the field', () => {
  assert.deepEqual(readWorkloadLine(JSON.stringify(RUN)), RUN);
  assert.deepEqual(readWorkloadLine(JSON.stringify({ ...RUN, end: null })), { ...RUN, end: null });
  const alive = readWorkloadLine('{"process":"a","op":"alive"}');
  assert.ok('at' in alive && alive.at > 0);
  /** @type {[string, RegExp][]} */
  const bad = [
    ['worker ready', /not JSON/],
    ['null', /invalid field/],
    [JSON.stringify({ ...RUN, outcome: 'done' }), /outcome/],
    [JSON.stringify({ ...RUN, end: 4 }), /ended before it began/],
    ['{"process":"a","op":"dance"}', /op/],
    ['{"op":"ready","library":"x"}', /version/],
  ];
  for (const [text, problem] of bad) {
    const line = readWorkloadLine(text);
    assert.ok('problem' in line);
    assert.match(line.problem, problem);
  }
});

test('a driver that dies keeps what it reported, and its death is a line', async () => {
  const ready = '{"op":"ready","library":"x","version":"1","language":"sh","visibilityMs":null}';
  const script = `read task; echo '${ready}'; read start; echo '${JSON.stringify(RUN)}'; exit 7`;
  const driver = startWorkload({ run: ['sh', '-c', script], name: 'x' }, '{}');
  assert.equal((await driver.ready).library, 'x');
  driver.start();
  assert.equal((await driver.ended).status, 7);
  const [run, exited] = driver.lines;
  assert.deepEqual([run, exited.op, 'value' in exited && exited.value], [RUN, 'exited', 'status 7']);
  assert.equal(await driver.drain(1), false);
});
