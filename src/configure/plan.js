/**
 * Which commands give a running deployment other settings, in which order, and which undo them. Pure: it asks no server.
 */
import { badInput } from '../errors.js';
import { PASSWORD_VARIABLE } from '../untrusted.js';

/** @import { Address } from '../stacks/types.js' */

/**
 * @typedef {Object} NodeAnswers what a Redis node said before anything is changed
 * @property {string} id
 * @property {Address} address
 * @property {boolean} isPrimary
 * @property {Readonly<Partial<Record<string, string>>>} settings in force now, of those that are wanted; without those that it does not know
 * @property {boolean} hasFile it was started with a configuration file, which CONFIG REWRITE writes
 * @property {boolean} savedWell its last snapshot, and the last rewrite of its append-only file, succeeded
 * @property {number} memoryBytes of its data
 *
 * @typedef {{name: string, value: string, former: string}} Change
 *
 * @typedef {Object} NodePlan
 * @property {NodeAnswers} node
 * @property {Change[]} changes in this order; empty: the node has all settings already
 *
 * @typedef {Object} Plan
 * @property {string[]} refusals why nothing may be changed, a sentence each
 * @property {string[]} notes what to know before, a sentence each
 * @property {NodePlan[]} nodes replicas first, the primary last
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

/**
 * @param {string} text such as `appendfsync=always`
 * @returns {[name: string, value: string]}
 * @throws {UserError} exit status 2
 */
export function parseSetting(text) {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (!Object.hasOwn(SETTINGS, name))
    throw badInput(`'${text}' does not set one of the settings of durability.`, `Set ${SETTING_NAMES.join(', ')}.`);
  if (!SETTINGS[name].test(value))
    throw badInput(`${name} cannot be '${value}'.`, `Write for instance '${name}=${exampleOf(name)}'.`);
  return [name, value];
}

/** @param {string} name */
function exampleOf(name) {
  if (name === 'appendfsync') return 'always';
  if (name === 'save') return '3600 1';
  return SETTINGS[name] === WHOLE ? '1' : 'yes';
}

/**
 * @param {readonly NodeAnswers[]} nodes all Redis nodes
 * @param {Readonly<Record<string, string>>} wanted
 * @param {{keep: boolean}} how keep: the settings are to survive a restart
 * @returns {Plan}
 */
export function planChanges(nodes, wanted, { keep }) {
  const replicas = nodes.filter(({ isPrimary }) => !isPrimary);
  const ordered = [...replicas, ...nodes.filter(({ isPrimary }) => isPrimary)];
  const plans = ordered.map((node) => ({ node, changes: changesOf(node, wanted) }));
  const changed = plans.filter(({ changes }) => changes.length > 0).map(({ node }) => node);
  const persistent = plans.filter(({ changes }) => changes.some(turnsFileOn)).map(({ node }) => node);
  const minimum = Number(wanted[MINIMUM] ?? 0);
  const ids = (/** @type {readonly NodeAnswers[]} */ some) => some.map(({ id }) => id).join(', ');

  const refusals = [];
  const silent = plans.filter(({ changes }) => changes.some(({ name, former }) => !SETTINGS[name].test(former)));
  if (silent.length > 0) {
    refusals.push(`${ids(silent.map(({ node }) => node))} does not say what it has now, so it could not be put back.`);
  }
  if (minimum > replicas.length) {
    refusals.push(
      `With ${replicas.length} replica${replicas.length === 1 ? '' : 's'}, min-replicas-to-write ${minimum} would refuse every write from now on.`,
    );
  }
  const withoutFile = changed.filter(({ hasFile }) => !hasFile);
  if (keep && withoutFile.length > 0) {
    refusals.push(
      `${ids(withoutFile)} runs without a configuration file, so nothing keeps the settings at its next start: start it with one, or add --until-restart.`,
    );
  }
  const unwell = persistent.filter(({ savedWell }) => !savedWell);
  if (unwell.length > 0) {
    refusals.push(`The last save of ${ids(unwell)} failed, most often because its disk is full: its log says why.`);
  }

  const notes = [];
  if (persistent.length > 0) {
    const most = Math.max(...persistent.map(({ memoryBytes }) => memoryBytes));
    notes.push(
      `Each of ${ids(persistent)} writes its whole data set once (up to ${megabytes(most)} in memory): its disk needs that much room, and the fork memory for what is written meanwhile.`,
    );
  }
  if (minimum > 0 && minimum === replicas.length && changed.length > 0) {
    notes.push(
      `With min-replicas-to-write ${minimum} of ${replicas.length}, every write is refused while one replica is away.`,
    );
  }
  if (keep && changed.length > 0)
    notes.push('CONFIG REWRITE also keeps whatever else was changed while the server ran.');
  return { refusals, notes, nodes: plans };
}

/** @param {number} bytes */
const megabytes = (bytes) => `${Math.max(1, Math.ceil(bytes / 2 ** 20))} MiB`;

/** @param {Change} change */
const turnsFileOn = ({ name, value }) => name === APPEND_ONLY && value === 'yes';

/** @param {NodeAnswers} node @param {Readonly<Record<string, string>>} wanted @returns {Change[]} */
function changesOf({ settings }, wanted) {
  return Object.entries(wanted)
    .map(([name, value]) => ({ name, value, former: settings[name] ?? '' }))
    .filter(({ value, former }) => former !== value)
    .sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));
}

/**
 * @param {NodePlan} plan
 * @param {{keep: boolean, login?: readonly string[]}} how login: further words of redis-cli, of {@link redisCliLogin}
 * @returns {string[]} the commands of one node, for a shell
 */
export function commandsOf({ node, changes }, { keep, login }) {
  if (changes.length === 0) return [];
  const at = redisCli(node.address, login);
  return [
    ...changes.flatMap((change) => [
      `${at} CONFIG SET ${change.name} ${quoted(change.value)}  # was ${quoted(change.former)}`,
      ...(turnsFileOn(change) ? ['# Here --apply waits until the append-only file is complete.'] : []),
    ]),
    ...(keep ? [`${at} CONFIG REWRITE`] : []),
  ];
}

/**
 * @param {Plan} plan
 * @param {{keep: boolean, login?: readonly string[]}} how as for {@link commandsOf}
 * @returns {string[]} commands for a shell that put the former values back: the primary first, because it refuses writes
 */
export function undoOf({ nodes }, { keep, login }) {
  return [...nodes].reverse().flatMap(({ node, changes }) => {
    if (changes.length === 0) return [];
    const at = redisCli(node.address, login);
    const back = [...changes].reverse().map(({ name, former }) => `${at} CONFIG SET ${name} ${quoted(former)}`);
    return [...back, ...(keep ? [`${at} CONFIG REWRITE`] : [])];
  });
}

/** @param {string} value of a setting that passed its rule */
const quoted = (value) => (/^\S+$/.test(value) ? value : `'${value}'`);

/**
 * Without -e (Redis 7.0) redis-cli ends with status 0 when the server refuses a command.
 * @param {Address} address
 * @param {readonly string[]} [login]
 */
const redisCli = ({ host, port }, login = []) => ['redis-cli -e', `-h ${host} -p ${port}`, ...login].join(' ');

/** The options that say how to log in, and what redis-cli calls them. */
const LOGIN = [
  ['user', '--user'],
  ['tlsCa', '--cacert'],
  ['tlsCert', '--cert'],
  ['tlsKey', '--key'],
  ['tlsServerName', '--sni'],
];

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
      ...LOGIN.flatMap(([name, flag]) => (options[name] ? [`${flag} ${shellWord(options[name])}`] : [])),
    ],
    before: environment[PASSWORD_VARIABLE] ? [`export REDISCLI_AUTH="$${PASSWORD_VARIABLE}"`] : [],
  };
}

/** @param {string} text */
const shellWord = (text) => (/^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
