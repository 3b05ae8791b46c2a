/** Which commands give a running deployment other settings, in which order, and which undo them. Pure: it asks no server. */
import { plural } from '../format.js';
import { PASSWORD_VARIABLE } from '../untrusted.js';
import { SENTENCES } from './sentences.js';

/**
 * @import { Address } from '../stacks/types.js'
 * @typedef {Object} NodeAnswers what a Redis node said before anything is changed
 * @property {string} id @property {Address} address @property {boolean} isPrimary
 * @property {Readonly<Partial<Record<string, string>>>} settings in force now, of those that are wanted; without those that it does not know
 * @property {boolean} hasFile it was started with a configuration file, which CONFIG REWRITE writes
 * @property {boolean} savedWell its last snapshot, and the last rewrite of its append-only file, succeeded
 * @property {number} memoryBytes of its data
 * @typedef {{name: string, value: string, former: string}} Change
 * @typedef {{node: NodeAnswers, changes: Change[]}} NodePlan changes: in this order; empty: the node has all settings already
 * @typedef {{refusals: string[], notes: string[], nodes: NodePlan[]}} Plan refusals: why nothing may be changed; notes: what to know before, a
 *   sentence each; nodes: replicas first, the primary last
 */

const WHOLE = /^(?:0|[1-9]\d{0,8})$/;
const YES_OR_NO = /^(?:yes|no)$/;

/** The settings that decide what a failure takes, and their values. @type {Readonly<Record<string, RegExp>>} */
const SETTINGS = Object.freeze({
  appendonly: YES_OR_NO,
  appendfsync: /^(?:always|everysec|no)$/,
  'no-appendfsync-on-rewrite': YES_OR_NO,
  'min-replicas-to-write': WHOLE,
  'min-replicas-max-lag': WHOLE,
  save: /^(?:\d{1,9} \d{1,9}(?: \d{1,9} \d{1,9})*)?$/,
});

export const SETTING_NAMES = Object.keys(SETTINGS);

const APPEND_ONLY = 'appendonly';
const MINIMUM = 'min-replicas-to-write';
/** A file that is not complete must not be needed yet, and a primary refuses writes from the moment it asks for replicas. */
const LAST = [APPEND_ONLY, MINIMUM];

/** @param {string} text such as `appendfsync=always` @returns {[name: string, value: string]} @throws {UserError} exit status 2 */
export function parseSetting(text) {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (!Object.hasOwn(SETTINGS, name))
    throw SENTENCES.problem('no-such-setting', { text, known: SETTING_NAMES.join(', ') });
  if (!SETTINGS[name].test(value)) throw SENTENCES.problem('no-such-value', { name, value, example: exampleOf(name) });
  return [name, value];
}

/** @param {string} name */
const exampleOf = (name) => ['yes', '1', 'always', '3600 1'].find((value) => SETTINGS[name].test(value));

/** @type {(nodes: readonly NodeAnswers[], wanted: Readonly<Record<string, string>>, how: {keep: boolean}) => Plan} keep: beyond a restart */
export function planChanges(nodes, wanted, { keep }) {
  const replicas = nodes.filter(({ isPrimary }) => !isPrimary);
  const ordered = [...replicas, ...nodes.filter(({ isPrimary }) => isPrimary)];
  const plans = ordered.map((node) => ({ node, changes: changesOf(node, wanted) }));
  const nodesWith = (/** @type {(change: Change) => boolean} */ test) =>
    plans.filter(({ changes }) => changes.some(test)).map(({ node }) => node);
  const changed = nodesWith(() => true);
  const persistent = nodesWith(turnsFileOn);
  const silent = nodesWith(({ name, former }) => !SETTINGS[name].test(former));
  const withoutFile = keep ? changed.filter(({ hasFile }) => !hasFile) : [];
  const unwell = persistent.filter(({ savedWell }) => !savedWell);
  const minimum = Number(wanted[MINIMUM] ?? 0);
  const isAll = minimum > 0 && minimum === replicas.length && changed.length > 0;
  const most = Math.max(0, ...persistent.map(({ memoryBytes }) => memoryBytes));
  const mebibytes = Math.max(1, Math.ceil(most / 2 ** 20));
  return {
    refusals: [
      ...about(silent, 'former-unknown'),
      ...(minimum > replicas.length
        ? [SENTENCES.text('minimum-above-replicas', { replicas: plural(replicas.length, 'replica'), minimum })]
        : []),
      ...about(withoutFile, 'no-file'),
      ...about(unwell, 'save-failed'),
    ],
    notes: [
      ...about(persistent, 'writes-everything', { mebibytes }),
      ...(isAll ? [SENTENCES.text('minimum-is-all', { minimum })] : []),
      ...about(keep ? changed : [], 'rewrite-keeps-all'),
    ],
    nodes: plans,
  };
}

/** @param {readonly NodeAnswers[]} nodes @param {string} id @param {Record<string, unknown>} [values] @returns {string[]} none about no node */
function about(nodes, id, values) {
  return nodes.length === 0 ? [] : [SENTENCES.text(id, { nodes: nodes.map((each) => each.id).join(', '), ...values })];
}

/** @param {Change} change */
const turnsFileOn = ({ name, value }) => name === APPEND_ONLY && value === 'yes';

/** @param {NodeAnswers} node @param {Readonly<Record<string, string>>} wanted @returns {Change[]} */
function changesOf({ settings }, wanted) {
  return Object.entries(wanted)
    .map(([name, value]) => ({ name, value, former: settings[name] ?? '' }))
    .filter(({ value, former }) => former !== value)
    .sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));
}

/** For a shell. @param {NodePlan} plan @param {{keep: boolean, login?: readonly string[]}} how login: of {@link redisCliLogin} */
export function commandsOf({ node, changes }, { keep, login }) {
  const at = redisCli(node.address, login);
  const commands = changes.flatMap((change) => [
    `${at} CONFIG SET ${change.name} ${quoted(change.value)}  # was ${quoted(change.former)}`,
    ...(turnsFileOn(change) ? ['# Here --apply waits until the append-only file is complete.'] : []),
  ]);
  return keep && changes.length > 0 ? [...commands, `${at} CONFIG REWRITE`] : commands;
}

/** The former values: on the primary first, because it refuses writes. @param {Plan} plan @param {Parameters<typeof commandsOf>[1]} how */
export function undoOf({ nodes }, { keep, login }) {
  return nodes.toReversed().flatMap(({ node, changes }) => {
    const at = redisCli(node.address, login);
    const back = changes.toReversed().map(({ name, former }) => `${at} CONFIG SET ${name} ${quoted(former)}`);
    return keep && changes.length > 0 ? [...back, `${at} CONFIG REWRITE`] : back;
  });
}

/** @param {string} value of a setting that passed its rule */
const quoted = (value) => (/^\S+$/.test(value) ? value : `'${value}'`);

/** Without -e (Redis 7.0) it ends with status 0 after a refusal. @param {Address} address @param {readonly string[]} [login] */
const redisCli = ({ host, port }, login = []) => ['redis-cli -e', `-h ${host} -p ${port}`, ...login].join(' ');

/** The options that say how to log in, and what redis-cli calls them. */
const LOGIN = { user: '--user', tlsCa: '--cacert', tlsCert: '--cert', tlsKey: '--key', tlsServerName: '--sni' };

/**
 * @param {Record<string, any>} options as commander parsed them
 * @param {Readonly<Record<string, string | undefined>>} [environment] default: of this process
 * @returns {{login: string[], before: string[]}} login: words for each command; before: lines that come first. The password stays in the
 *   environment, because every user of the machine can read command lines
 */
export function redisCliLogin(options, environment = process.env) {
  const tls = Object.keys(options).some((name) => name.startsWith('tls') && options[name]);
  return {
    login: [
      ...(tls ? ['--tls'] : []),
      ...(options.tlsInsecure ? ['--insecure'] : []),
      ...Object.entries(LOGIN).flatMap(([name, flag]) =>
        options[name] ? [`${flag} ${shellWord(options[name])}`] : [],
      ),
    ],
    before: environment[PASSWORD_VARIABLE] ? [`export REDISCLI_AUTH="$${PASSWORD_VARIABLE}"`] : [],
  };
}

/** @param {string} text */
const shellWord = (text) => (/^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
