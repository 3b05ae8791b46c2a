/**
 * Measures the audit on this machine. `node perf/audit.js [keys] [bytes] [writes]` starts a Redis server, reads and compares that many
 * keys, and judges a ledger of that many writes.
 */

import { FACTS, fill } from '../src/audit/fixture.js';
import { createLedger, enterAnswer, enterSent } from '../src/audit/ledger.js';
import { timelineOf, windowsOf } from '../src/audit/timeline.js';
import { Found } from '../src/audit/value.js';
import { auditOf } from '../src/audit/verdict.js';
import { startNode } from '../src/clients/conformance/nodes.js';
import { Outcome } from '../src/clients/types.js';
import { bytes, count, rate } from '../src/format.js';
import { readNode } from '../src/stacks/redis/reader.js';

const ROUNDS = 5;
const WRITES_PER_SECOND = 50_000;
const [keys = 500_000, payloadBytes = 64, writes = 10_000_000] = process.argv.slice(2).map(Number);

/** @param {string} line */
const print = (line) => void process.stdout.write(`${line}\n`);

await readingSpeed();
judgingSpeed();

async function readingSpeed() {
  const node = await startNode();
  try {
    const wanted = { keyPrefix: 'sentinel-bench:speed:', count: keys, payloadBytes };
    await fill(node, wanted);
    print(`reading ${count(keys)} keys of ${bytes(payloadBytes)}, and the key space:`);
    for (let round = 1; round <= ROUNDS; round++) {
      const begin = performance.now();
      const { found, surplus } = await readNode(node.address, wanted);
      const seconds = (performance.now() - begin) / 1000;
      if (surplus !== 0 || found.some((what) => what !== Found.right)) throw new Error('not every key was right');
      print(`  ${seconds.toFixed(2)} s, ${rate(keys / seconds)}`);
    }
  } finally {
    await node.close();
  }
}

function judgingSpeed() {
  const ledger = createLedger(writes);
  for (let number = 0; number < writes; number++) {
    enterSent(ledger, number, 1);
    const afterMs = (number * 1000) / WRITES_PER_SECOND + (number % 7);
    enterAnswer(ledger, number, { outcome: Outcome.acked, afterMs, waitCount: -1 });
  }
  const found = new Uint8Array(writes).fill(Found.right);
  const ids = ['redis-1', 'redis-2', 'redis-3'];
  const readings = new Map(ids.map((id) => [id, { found, surplus: 0, primary: id === ids[0] }]));
  const facts = { ...FACTS, writes, rate: WRITES_PER_SECOND, faultFromMs: 1000 };
  const events = [{ at: 1000, by: 'harness', kind: /** @type {const} */ ('fault-begun') }];
  const isLost = (/** @type {number} */ number) => found[number] !== Found.right;
  const writer = { name: 'sticky', ledger, writes, rate: WRITES_PER_SECOND, isLost };
  print(`judging ${count(writes)} writes:`);
  timed('verdict', () => auditOf({ ...facts, ledger, readings, primaryId: ids[0] }));
  timed('timeline', () => timelineOf({ writers: [writer], endMs: (writes * 1000) / WRITES_PER_SECOND }));
  timed('windows', () => windowsOf({ events, ledgers: [ledger], nodes: ids, primaryId: ids[0] }));
  print(`  most memory ${bytes(process.resourceUsage().maxRSS * 1024)}`);
}

/**
 * @param {string} what
 * @param {() => unknown} work
 */
function timed(what, work) {
  const begin = performance.now();
  work();
  print(`  ${what} ${((performance.now() - begin) / 1000).toFixed(2)} s`);
}
