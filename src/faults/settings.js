/**
 * @typedef {Object} Wanted
 * @property {Record<string, string>} [all] of every node but the Sentinels
 * @property {Record<string, string>} [sentinels] of every Sentinel: down-after-milliseconds, failover-timeout, parallel-syncs, quorum
 * @property {Record<string, Record<string, string>>} [nodes] of single nodes by id; they take precedence
 * @typedef {{node: NodeInfo, wanted: Record<string, string>, step: UndoStep}} SettingChange wanted: only settings that differ; step: that
 *   undoes it
 * @import { Control, NodeInfo, Stack } from '../stacks/types.js'
 * @import { Site, Undo, UndoStep } from './types.js'
 */
import { messageOf, UserError } from '../errors.js';
import { serverText } from '../format.js';
import { askNode, nodeOf } from '../stacks/ask.js';
import { undoEach } from './journal.js';
import { SENTENCES } from './sentences.js';

/**
 * Resolves when all nodes have the settings; each value is read back from its node. @param {Site} site @param {Wanted} wanted
 * @returns {Promise<Undo>} puts the former values back and reads them back. It rejects if a node does not run then; the entry stays in the
 *   journal, because the file of the node may hold a changed value
 * @throws {UserError} a node does not answer, does not know a setting or refuses a value; the former values are back then, or the journal
 *   keeps what is left to undo
 */
export async function applySettings({ stack, journal }, { all = {}, sentinels = {}, nodes = {} }) {
  for (const id of Object.keys(nodes)) nodeOf(stack, id);
  const plan = stack.nodes
    .map((node) => ({ node, wanted: { ...(node.kind === 'sentinel' ? sentinels : all), ...nodes[node.id] } }))
    .filter(({ wanted }) => Object.keys(wanted).length > 0);
  // Everything is read before anything is changed: most problems show here.
  const changes = (await Promise.all(plan.map(({ node, wanted }) => compare(stack, node, wanted)))).flat();

  const entries = /** @type {{step: UndoStep, undo: Undo}[]} */ ([]);
  const undoAll = () => undoEach(entries.toReversed());
  try {
    for (const { step } of changes) entries.push({ step, undo: await journal.note(step) });
    const outcomes = await Promise.allSettled(changes.map((change) => carryOut(stack, change)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  } catch (error) {
    await undoAll();
    throw error;
  }
  return undoAll;
}

/**
 * @param {Site['stack']} stack @param {NodeInfo} node @param {Record<string, string>} wanted
 * @returns {Promise<SettingChange[]>} empty: the node has all values already
 */
async function compare(stack, node, wanted) {
  const { id } = node;
  const { settings } = stack.database;
  const names = Object.keys(wanted);
  const barred = names.find((name) => settings.barred.includes(name.toLowerCase()));
  if (barred) throw SENTENCES.problem('barred', { name: barred, id });
  return asking(stack, node, 'report its settings', async (control) => {
    const now = await settings.read(stack, node, control, names);
    const unknown = names.find((name) => now[name] === undefined);
    if (unknown !== undefined) {
      throw SENTENCES.problem('unknown-setting', { id, server: serverText(stack.about.server), name: unknown });
    }
    const differing = names.filter((name) => meansSame(wanted[name], String(now[name])) !== true);
    if (differing.length === 0) return [];
    const former = Object.fromEntries(differing.map((name) => [name, String(now[name])]));
    const step = await settings.undoStep(stack, node, control, former);
    return [{ node, wanted: Object.fromEntries(differing.map((name) => [name, wanted[name]])), step }];
  });
}

/** @param {Site['stack']} stack @param {SettingChange} change */
async function carryOut(stack, { node, wanted }) {
  const { settings, isReplyError } = stack.database;
  await asking(
    stack,
    node,
    'take settings',
    async (control) => {
      for (const [name, value] of Object.entries(wanted)) {
        await settings.write(stack, node, control, name, value).catch((error) => {
          const why = error.message.replace(/\.$/, '');
          const values = { id: node.id, name, value: JSON.stringify(value), why };
          throw SENTENCES.problem(isReplyError(error) ? 'refuses' : 'did-not-take', values, { cause: error });
        });
      }
      const now = await settings.read(stack, node, control, Object.keys(wanted));
      for (const [name, value] of Object.entries(wanted)) {
        // The node may spell a list in its own way; then only its OK confirms the value.
        if (meansSame(value, String(now[name])) !== false) continue;
        throw SENTENCES.problem('reports-another', { id: node.id, name, value, now: now[name] });
      }
    },
    settings.timeoutMs(wanted),
  );
}

/**
 * @template T @param {Site['stack']} stack @param {NodeInfo} node @param {string} what the node was asked to do
 * @param {(control: Control) => Promise<T>} question @param {number} [timeoutMs]
 */
async function asking(stack, { id }, what, question, timeoutMs = stack.database.settings.timeoutMs({})) {
  try {
    return await askNode(stack, id, question, { timeoutMs });
  } catch (error) {
    if (error instanceof UserError) throw error;
    const values = { id, what, why: messageOf(error) };
    throw SENTENCES.problem(stack.database.isReplyError(error) ? 'may-not' : 'did-not', values, { cause: error });
  }
}

/** @type {Record<string, number>} */
const UNITS = { '': 1, b: 1, k: 1e3, kb: 2 ** 10, m: 1e6, mb: 2 ** 20, g: 1e9, gb: 2 ** 30 };

/**
 * @param {string} wanted as the user writes it @param {string} reported by the node
 * @returns null: unknown, because nodes spell some values in their own way (the classes of buffer limits, the letters of keyspace events)
 */
export function meansSame(wanted, reported) {
  const [ours, theirs] = [wordsOf(wanted), wordsOf(reported)];
  if (ours.length === theirs.length && ours.every((word, index) => word === theirs[index])) return true;
  if (ours.length === 0 || theirs.length === 0) return false;
  const plain = [...ours, ...theirs].every((word) => /^(-?\d+|yes|no)$/.test(word));
  return plain && ours.length === theirs.length ? false : null;
}

/** @param {string} value @returns sizes in bytes, other words in lower case */
function wordsOf(value) {
  const words = value.trim().split(/\s+/);
  return (value.trim() === '' ? [] : words).map((word) => {
    const [, digits, unit] = /^(-?\d+)([a-z]{0,2})$/i.exec(word) ?? [];
    const factor = UNITS[unit?.toLowerCase()];
    return factor === undefined ? word.toLowerCase() : String(Number(digits) * factor);
  });
}

/** Since this version a server refuses DEBUG unless it was started with leave to use it. */
const REFUSES_SINCE = 7;

/** Of a node of our own: the length of a blocking command is exact. @param {Stack['about']['server']} server @returns {Record<string, string>} */
export function settingsForBlocking({ name, version }) {
  if (name !== 'valkey' && !(Number.parseInt(version ?? '', 10) >= REFUSES_SINCE)) return {};
  return { 'enable-debug-command': 'yes' };
}
