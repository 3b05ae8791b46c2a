/** Why no replica was promoted: what the Sentinels said, which replicas they may not choose, and what the nodes refused to them. */
/** @import { EventKind } from '../../result/events.js' */
/** @import { TrialEvent } from '../../result/failure-schema.js' */
/** @import { Stack } from '../types.js' */
/** @typedef {{id: string, role?: string, priority?: string, refusals: {what: string, secondsAgo: number}[]}} NodeAnswer by ACL LOG */
import { eventTitle } from '../../result/events.js';
import { askNode, dataNodes } from '../ask.js';

/** @type {readonly EventKind[]} */
const SAID = ['no-replica-chosen', 'nobody-elected', 'promotion-timeout'];

/**
 * What Sentinels send to nodes; see `sentinelSendSlaveOf` and
 * https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/#redis-access-control-list-authentication
 */
const SENT =
  /^(multi|exec|slaveof|replicaof|config\|rewrite|client\|(kill|setname)|info|ping|publish|subscribe|role|script\|kill)$/;

/** @param {Stack} stack @param {{events: readonly TrialEvent[], seconds: number}} trial @returns sentences */
export async function whyNoFailover(stack, { events, seconds }) {
  const answers = await Promise.all(dataNodes(stack).map(({ id }) => ask(stack, id).catch(() => [])));
  return explainNoFailover(events, answers.flat(), seconds);
}

/** @param {readonly TrialEvent[]} events @param {readonly NodeAnswer[]} answers @param {number} seconds older refusals do not count */
export function explainNoFailover(events, answers, seconds) {
  const aborted = SAID.flatMap((kind) => {
    const by = [...new Set(events.filter((event) => event.kind === kind).map((event) => event.by))];
    return by.length === 0 ? [] : [`${by.join(', ')} said ${eventTitle({ by: by[0], kind })}.`];
  });
  const barred = answers.filter(({ role, priority }) => role === 'slave' && priority === '0').map(({ id }) => id);
  const refused = answers.flatMap(({ id, refusals }) => {
    const recent = refusals.filter(({ what, secondsAgo }) => SENT.test(what) && secondsAgo <= seconds);
    const commands = [...new Set(recent.map(({ what }) => what))];
    return commands.length === 0 ? [] : [`The ACL of ${id} refused what Sentinels send: ${commands.join(', ')}.`];
  });
  return [
    ...aborted,
    ...(barred.length > 0 ? [`No Sentinel may promote ${barred.join(', ')}: replica-priority 0.`] : []),
    ...refused,
  ];
}

/** @param {Stack} stack @param {string} id @returns {Promise<NodeAnswer>} */
function ask(stack, id) {
  return askNode(stack, id, async (control) => {
    const { role, slave_priority: priority } = await control.info('replication');
    // Servers before Redis 6 have no ACL, and a user may not see its log.
    const log = await control.call('ACL', 'LOG').catch(() => []);
    return { id, role, priority, refusals: refusalsOf(log) };
  });
}

/** @param {unknown} log of ACL LOG, entries as lists of names and values */
function refusalsOf(log) {
  if (!Array.isArray(log)) return [];
  return log.filter(Array.isArray).flatMap((/** @type {unknown[]} */ entry) => {
    const value = (/** @type {string} */ name) => String(entry[entry.indexOf(name) + 1]);
    if (value('reason') !== 'command') return [];
    return [{ what: value('object'), secondsAgo: Number(value('age-seconds')) }];
  });
}
