/** Reads what a running deployment has, and changes its settings node by node. It stops at the first node that is not well. */
import { messageOf } from '../errors.js';
import { formatAddress } from '../stacks/address.js';
import { askNode, dataNodes, nodeOf } from '../stacks/ask.js';
import { refusedCommand, remedyForConfig } from '../stacks/redis/external/refusal.js';
import { whyNotReady } from '../stacks/redis/readiness.js';
import { waitFor } from '../wait.js';
import { SENTENCES } from './sentences.js';

/**
 * @import { Address, Control, NodeInfo, Stack } from '../stacks/types.js' @import { Snapshot } from '../stacks/redis/observe.js'
 * @import { NodePlan, NodeAnswers, Plan } from './plan.js'
 */

/** A busy machine's node answers within this. */
const ASK_MS = 10_000;
/** After its file was written, a replica that was held up catches up. */
const WELL_MS = 60_000;

/**
 * @param {Stack} stack @param {readonly string[]} named ids or addresses of nodes that the user leaves out
 * @returns {Promise<string[]>} their ids
 * @throws {UserError} exit status 2: no such node, or it is the primary; 3: a node is away and was not named
 */
export async function nodesToLeaveOut(stack, named) {
  const leftOut = stack.about.leftOut ?? [];
  const known = [...leftOut, ...stack.nodes];
  const without = named.map((text) => {
    const node = known.find(({ id, address }) => text === id || text === formatAddress(address));
    if (node) return node.id;
    throw SENTENCES.problem('no-such-node', { name: text, known: known.map(describe).join(', ') });
  });
  const missed = leftOut.filter(({ id }) => !without.includes(id));
  if (missed.length > 0) {
    const away = missed.map((each) => `${describe(each)} is left out (${each.why})`).join(', and ');
    throw SENTENCES.problem('nodes-left-out', { nodes: away, first: missed[0].id });
  }
  const primary = await stack.database.primary();
  if (without.includes(primary.id)) throw SENTENCES.problem('primary-left-out', { primary: describe(primary) });
  return without;
}

/** @param {{id: string, address: Address}} node */
const describe = ({ id, address }) => `${id} (${formatAddress(address)})`;

/**
 * @param {Stack} stack @param {readonly string[]} names of settings @param {{without: readonly string[]}} how ids of nodes that are not asked
 * @throws {UserError} the deployment is not well, or a node refuses CONFIG
 */
export async function readNodes(stack, names, { without }) {
  const snapshot = await observeAllBut(stack, without);
  const doubts = whyNotReady(snapshot, { clientsWrite: true });
  if (doubts.length > 0) throw SENTENCES.problem('not-well', { doubt: doubts[0] });
  const nodes = dataNodes(stack).filter(({ id }) => !without.includes(id));
  return Promise.all(
    nodes.map((node) =>
      readNode(stack, node, names, node.id === snapshot.primary).catch((error) => {
        throw stack.database.isReplyError(error) ? refusedCommand(node, error) : error;
      }),
    ),
  );
}

/** @param {Stack} stack @param {readonly string[]} without @returns {Promise<Snapshot>} */
async function observeAllBut(stack, without) {
  const snapshot = await stack.database.observe();
  const isIn = (/** @type {{id: string}} */ { id }) => !without.includes(id);
  return { ...snapshot, redis: snapshot.redis.filter(isIn), sentinels: snapshot.sentinels.filter(isIn) };
}

/** @param {Stack} stack @param {NodeInfo} node @param {readonly string[]} names @param {boolean} isPrimary */
function readNode(stack, node, names, isPrimary) {
  const { settings } = stack.database;
  const { id, address } = node;
  const ask = async (/** @type {Control} */ control) => {
    const info = await control.info('server', 'persistence', 'memory');
    return {
      ...{ id, address, isPrimary, settings: await settings.read(stack, node, control, [...names]) },
      hasFile: (info.config_file ?? '') !== '',
      savedWell: info.rdb_last_bgsave_status === 'ok' && info.aof_last_bgrewrite_status === 'ok',
      memoryBytes: Number(info.used_memory) || 0,
    };
  };
  return askNode(stack, id, ask, { timeoutMs: ASK_MS });
}

/**
 * @param {Stack} stack @param {Plan} plan without refusals
 * @param {{keep: boolean, without: readonly string[], tell: (line: string) => void, signal: AbortSignal}} how keep: CONFIG REWRITE after the
 *   changes of each node, also of one without changes: an earlier one may have failed. signal: ends it before the next node
 * @throws {UserError} a node refused, or is not well afterwards: nodes that were not reached are as they were
 */
export async function applyPlan(stack, plan, { keep, without, tell, signal }) {
  for (const each of plan.nodes) {
    signal.throwIfAborted();
    const writes = keep && each.node.hasFile;
    if (each.changes.length === 0 && !writes) {
      tell(`${each.node.id} has these settings already.`);
      continue;
    }
    await changeNode(stack, each, writes).catch((error) => {
      throw stopped(each, messageOf(error), stack.database.isReplyError(error) ? remedyForConfig(error) : undefined);
    });
    const doubts = await untilWell(stack, without);
    if (doubts.length > 0) throw stopped(each, `afterwards ${doubts[0]}`);
    tell(`${each.node.id} has them${writes ? ', also in its configuration file' : ''}.`);
  }
}

/** @param {Stack} stack @param {NodePlan} plan @param {boolean} keep */
async function changeNode(stack, { node: { id }, changes }, keep) {
  const { settings } = stack.database;
  const node = nodeOf({ nodes: dataNodes(stack) }, id);
  const wanted = Object.fromEntries(changes.map(({ name, value }) => [name, value]));
  await askNode(
    stack,
    id,
    async (control) => {
      for (const { name, value } of changes) await settings.write(stack, node, control, name, value);
      const now = changes.length === 0 ? {} : await settings.read(stack, node, control, Object.keys(wanted));
      const wrong = changes.find(({ name, value }) => now[name] !== value);
      if (wrong) throw new Error(`${wrong.name} is ${now[wrong.name]} after it was set to ${wrong.value}`);
      if (!keep) return;
      await settings.persist(control).catch((error) => {
        throw new Error(SENTENCES.text('not-kept', { why: messageOf(error) }), { cause: error });
      });
    },
    { timeoutMs: settings.timeoutMs(wanted) },
  );
}

/** @param {Stack} stack @param {readonly string[]} without @returns {Promise<string[]>} why the deployment is not well; empty: it is */
async function untilWell(stack, without) {
  /** @type {string[]} */
  let doubts = [];
  const isWell = async () => {
    doubts = whyNotReady(await observeAllBut(stack, without), { clientsWrite: true });
    return doubts.length === 0;
  };
  await waitFor(isWell, { deadlineMs: WELL_MS });
  return doubts;
}

/** @param {NodePlan} plan @param {string} why @param {string} [first] what to do before it is run again */
function stopped({ node }, why, first = 'Repair it.') {
  return SENTENCES.problem('stopped', { node: describe(node), why, first });
}
