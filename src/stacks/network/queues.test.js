import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handleOf, treeText } from './queues.js';

const BUCKETS = 256;

/** @param {Partial<import('./queues.js').QueueLane>} lane */
const linesFor = (lane) =>
  treeText('eth0', '1a', [{ from: '10.0.0.1', to: '10.0.0.2', delayMs: 0, jitterMs: 0, ...lane }]).split('\n');

describe('queues of slow links', () => {
  test('one root, and a limit for each connection of the lane', () => {
    const lines = linesFor({ fromPort: 6379, bytesPerSecond: 36_000 });
    assert.equal(lines[0], 'qdisc add dev eth0 root handle 1a: htb');
    assert.equal(lines.filter((line) => line.includes('rate 36000bps ceil 36000bps')).length, BUCKETS);
    assert.ok(!lines.some((line) => line.includes('netem')));
    const match = lines.findLast((line) => line.includes('match ip src'));
    assert.match(String(match), /src 10\.0\.0\.1\/32 match ip dst 10\.0\.0\.2\/32 .* match ip sport 6379 0xffff/);
    assert.match(String(match), /hashkey mask 0x000000ff at 20 link 1:$/, 'by the port of the other end');
  });

  test('of a server there: the port here chooses the queue of a connection', () => {
    const match = linesFor({ toPort: 6379, bytesPerSecond: 1 }).findLast((line) => line.includes('match ip src'));
    assert.match(String(match), /match ip dport 6379 0xffff hashkey mask 0x00ff0000 at 20 link 1:$/);
  });

  test('a delay is that of netem, which keeps the order of packets if it varies', () => {
    const lines = linesFor({ toPort: 6379, delayMs: 2.5, jitterMs: 1 });
    assert.equal(
      lines.filter((line) => line.includes('netem limit 10000 delay 2500us 1000us rate 100gbit')).length,
      BUCKETS,
    );
    assert.ok(linesFor({ toPort: 6379, delayMs: 10 }).some((line) => line.endsWith('netem limit 10000 delay 10000us')));
  });

  test('each lane has queues and a table of its own', () => {
    const lane = { from: '10.0.0.1', to: '10.0.0.2', fromPort: 6379, delayMs: 0, jitterMs: 0, bytesPerSecond: 1 };
    const lines = treeText('eth0', '1a', [lane, { ...lane, to: '10.0.0.3' }]).split('\n');
    const ids = lines.flatMap((line) => /classid (\S+)/.exec(line)?.[1] ?? []);
    assert.equal(new Set(ids).size, 2 * BUCKETS);
    assert.equal(lines.filter((line) => /divisor/.test(line)).length, 2);
  });

  test('the handle is that of one agent, and none that the kernel chooses', () => {
    const handles = ['host-1', 'host-2', 'a', 'b'].map(handleOf);
    assert.equal(new Set(handles).size, handles.length);
    for (const handle of handles)
      assert.ok(Number.parseInt(handle, 16) >= 0x1000 && Number.parseInt(handle, 16) < 0x8000);
  });
});
