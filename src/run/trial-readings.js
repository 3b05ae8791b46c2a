/**
 * @import { NodeReading } from '../audit/value.js'
 * @import { TrialPlan, TrialSample, WriterPlan } from '../load/trial-thread.js'
 * @import { Stack } from '../stacks/types.js'
 */
import { openLedger, State } from '../audit/ledger.js';
import { dataNodes, nodeOf } from '../stacks/ask.js';
import { waitFor } from '../wait.js';

/** Nodes that differ in a write without an answer are read again for so long. */
const LATE_WRITES_MS = 10_000;
const READ_AGAIN_MS = 1000;

/**
 * @param {Stack} stack @param {string} id of a node that answers @param {readonly WriterPlan[]} writers
 * @param {(index: number) => number} countOf number of writes that were due, by the writer's index @param {AbortSignal} [signal]
 */
export async function readAll(stack, id, writers, countOf, signal) {
  const node = { ...nodeOf(stack, id).address, credentials: stack.access.credentials };
  const readings = new Map();
  for (const [index, { name, shape }] of writers.entries()) {
    const { keyPrefix, payloadBytes } = shape;
    readings.set(name, await stack.database.read(node, { keyPrefix, payloadBytes, count: countOf(index), signal }));
  }
  return readings;
}

/**
 * A write without an answer may arrive late: the kernel sends again what a partition held up, even for a connection that was closed. A node
 * that was read before its arrival lacks it, and one that was read after has it. So nodes are read again while they differ in such a write.
 * @param {{stack: Stack, signal: AbortSignal}} trial @param {TrialPlan} plan @param {TrialSample} sample
 */
export async function readUntilNoneIsLate(trial, plan, sample) {
  /** @type {Awaited<ReturnType<typeof readEveryNode>>} */
  let readings = new Map();
  const noneIsLate = async () => {
    readings = await readEveryNode(trial, plan, sample);
    return plan.writers.every(({ name, ledger }) => {
      const [first, ...others] = readings.get(name)?.values() ?? [];
      const { states } = openLedger(ledger);
      const differs = (/** @type {NodeReading} */ { found }) =>
        found.some((each, number) => states[number] === State.unknown && each !== first.found[number]);
      return !others.some(differs);
    });
  };
  await waitFor(noneIsLate, { deadlineMs: LATE_WRITES_MS, pollMs: READ_AGAIN_MS, signal: trial.signal });
  return readings;
}

/**
 * @param {{stack: Stack, signal: AbortSignal}} trial @param {TrialPlan} plan @param {TrialSample} sample
 * @returns {Promise<Map<string, Map<string, NodeReading>>>} writer → node → what it holds
 */
async function readEveryNode({ stack, signal }, { writers }, sample) {
  /** @type {Map<string, Map<string, NodeReading>>} */
  const readings = new Map(writers.map(({ name }) => [name, new Map()]));
  for (const { id } of dataNodes(stack)) {
    const ofNode = await readAll(stack, id, writers, (index) => sample.writers[index].writes, signal);
    for (const [name, reading] of ofNode) readings.get(name)?.set(id, reading);
  }
  return readings;
}
