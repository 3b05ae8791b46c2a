import { ExitStatus, UserError } from '../../../errors.js';
import { formatAddress, NoAddress, readAddress, sameAddress } from '../../address.js';
import { connectControl, loginFor } from '../control.js';
import { whyNoNode } from '../members.js';
import { toRecord } from '../observe.js';
import { explainRefusal } from './errors.js';

/** @import { Address, Credentials, NodeInfo, NodeKind } from '../../types.js' */

/**
 * Finding somebody else's deployment: what its Sentinels know of it.
 */

/** Somebody else's network may be slow; it is asked once. */
const CONNECT_TIMEOUT_MS = 3000;

/** Nobody runs so many for one primary; each takes a connection, and memory. */
const MOST_NODES = 100;

/** A Sentinel flags so what it cannot reach; it never forgets a replica by itself. */
const AWAY = ['s_down', 'o_down', 'disconnected'];

/**
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @param {(line: string) => void} tell
 * @returns {Promise<{nodes: NodeInfo[], identity: string}>} nodes: the primary first; only what answers or
 *   is held to be well. identity: the same whoever is the primary and whichever Sentinel is asked
 * @throws {UserError} no Sentinel answers, none knows the name, or the primary does not let us in
 */
export async function discover(given, masterName, credentials, tell) {
  const how = { tls: credentials.tls !== undefined };
  const asked = await interviewAll(given, masterName, credentials);
  if (asked.views.length === 0) throw nobodyAnswers(asked.refusals, how);
  const knowing = asked.views.find(({ belief }) => belief !== null);
  if (!knowing?.belief) throw unknownName(asked.views[0], masterName);
  const { primary, replicas, peers } = knowing.belief;

  const unasked = peers.filter((peer) => !asked.views.some(({ id }) => id === peer.id));
  const others = await interviewAll(
    unasked.map(({ address }) => address),
    masterName,
    credentials,
  );
  for (const { address, error } of [...asked.refusals, ...others.refusals]) {
    tell(`Leaving out the Sentinel ${formatAddress(address)}: ${explainRefusal(error, how).what}.`);
  }

  const isSentinel = [...asked.views, ...others.views].some(({ address }) => sameAddress(address, primary));
  if (isSentinel) throw isNoPrimary(primary, 'it is a Sentinel');
  await checkLogin(primary, credentials);
  const present = replicas.filter(({ address, flags }) => {
    const away = flags.some((flag) => AWAY.includes(flag));
    if (away) tell(`Leaving out the replica ${formatAddress(address)}: the Sentinels hold it as ${flags.join(', ')}.`);
    return !away;
  });

  const views = [...asked.views, ...others.views].filter(({ belief }) => belief !== null);
  const announcements = views.flatMap(({ belief }) => belief?.peers ?? []);
  const nodes = [
    ...[primary, ...present.map(({ address }) => address)].map((address, index) =>
      nodeInfo('redis', index, address, address),
    ),
    ...views.map(({ id, address }, index) =>
      // The user may call a Sentinel by another address than its peers do.
      nodeInfo('sentinel', index, address, announcements.find((peer) => peer.id === id)?.address ?? address),
    ),
  ];
  // Also those that do not answer now: they may at another time.
  const sentinels = new Set([...views, ...announcements].map(({ id }) => id).filter((id) => id !== ''));
  return { nodes, identity: [masterName, ...[...sentinels].sort()].join(' ') };
}

/**
 * @param {NodeKind} kind
 * @param {number} index from 0
 * @param {Address} address
 * @param {Address} announced
 */
function nodeInfo(kind, index, { host, port }, announced) {
  return {
    id: `${kind}-${index + 1}`,
    kind,
    address: { host, port },
    announced: { host: announced.host, port: announced.port },
  };
}

/**
 * Asks several Sentinels, each once, all at the same time.
 *
 * @param {Address[]} addresses
 * @param {string} masterName
 * @param {Credentials} credentials
 */
async function interviewAll(addresses, masterName, credentials) {
  /** @type {{address: Address, error: unknown}[]} */
  const refusals = [];
  /** @type {Map<string, View>} one a Sentinel, though the user may have named it twice */
  const views = new Map();
  await Promise.all(
    addresses.map(async (address) => {
      try {
        const view = await interview(address, masterName, credentials);
        views.set(view.id, view);
      } catch (error) {
        if (error instanceof UserError) throw error;
        refusals.push({ address, error });
      }
    }),
  );
  return { views: [...views.values()], refusals };
}

/**
 * What one Sentinel knows.
 *
 * @typedef {Object} View
 * @property {string} id the Sentinel's own: 40 hexadecimal digits
 * @property {Address} address
 * @property {string[]} names of the primaries it watches
 * @property {Belief | null} belief null: it does not watch the one asked about
 *
 * @typedef {Object} Belief
 * @property {Address} primary
 * @property {{address: Address, flags: string[]}[]} replicas
 * @property {{id: string, address: Address}[]} peers the other Sentinels
 */

/**
 * @param {Address} address
 * @param {string} masterName
 * @param {Credentials} credentials
 * @returns {Promise<View>}
 */
async function interview(address, masterName, credentials) {
  const control = await connectControl(address, loginFor(credentials, 'sentinel'), { timeoutMs: CONNECT_TIMEOUT_MS });
  try {
    const [id, masters] = await Promise.all([
      control.call('SENTINEL', 'MYID').then(String),
      control.call('SENTINEL', 'MASTERS').then(toRecords),
    ]);
    const names = masters.map(({ name }) => name);
    const master = masters.find(({ name }) => name === masterName);
    if (!master) return { id, address, names, belief: null };
    const [replicas, peers] = await Promise.all([
      control.call('SENTINEL', 'REPLICAS', masterName).then(toRecords),
      control.call('SENTINEL', 'SENTINELS', masterName).then(toRecords),
    ]);
    return {
      id,
      address,
      names,
      belief: {
        primary: addressIn(master),
        replicas: eachOnce(
          'replicas',
          replicas.map((replica) => ({ address: addressIn(replica), flags: (replica.flags ?? '').split(',') })),
        ),
        peers: eachOnce(
          'other Sentinels',
          peers.map((peer) => ({ id: peer.runid, address: addressIn(peer) })),
        ),
      },
    };
  } catch (error) {
    if (error instanceof NoAddress) throw hostileSentinel(address, error);
    throw error;
  } finally {
    control.close();
  }
}

/** @param {unknown} reply a list of field-value lists */
function toRecords(reply) {
  if (!Array.isArray(reply) || !reply.every(Array.isArray)) throw new Error('it does not answer as a Sentinel');
  return reply.map(toRecord);
}

/**
 * @template {{address: Address}} T
 * @param {string} what
 * @param {readonly T[]} named
 * @returns {T[]} one an address
 * @throws {Error} they are more than a deployment has
 */
function eachOnce(what, named) {
  const once = new Map(named.map((one) => [formatAddress(one.address), one]));
  if (once.size <= MOST_NODES) return [...once.values()];
  throw new Error(`it names ${once.size} ${what}, and no more than ${MOST_NODES} can be measured`);
}

/** @param {Record<string, string>} record */
function addressIn({ ip, port }) {
  return readAddress(ip, port);
}

/**
 * @param {Address} sentinel
 * @param {NoAddress} error
 */
function hostileSentinel(sentinel, error) {
  return new UserError(
    `The Sentinel ${formatAddress(sentinel)} ${error.message}.`,
    'Find out who set that address; nothing was done with it.',
  );
}

/**
 * @param {Address} primary
 * @param {Credentials} credentials
 * @throws {UserError} it cannot be reached, or does not let us in
 */
async function checkLogin(primary, credentials) {
  try {
    const control = await connectControl(primary, loginFor(credentials, 'redis'), { timeoutMs: CONNECT_TIMEOUT_MS });
    try {
      const doubt = whyNoNode(await control.info('server', 'replication'));
      if (doubt !== null) throw isNoPrimary(primary, doubt);
    } finally {
      control.close();
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { what, remedy } = explainRefusal(error, { tls: credentials.tls !== undefined });
    throw new UserError(`The primary ${formatAddress(primary)} cannot be used: ${what}.`, remedy, undefined, {
      cause: error,
    });
  }
}

/**
 * @param {Address} address
 * @param {string} why
 */
function isNoPrimary(address, why) {
  return new UserError(
    `The Sentinels name ${formatAddress(address)} as the primary, but ${why}.`,
    'Check that these are the Sentinels of your deployment, and what they monitor.',
  );
}

/**
 * @param {{address: Address, error: unknown}[]} refusals at least one
 * @param {{tls: boolean}} how
 */
function nobodyAnswers(refusals, how) {
  const list = refusals.map(({ address, error }) => `${formatAddress(address)} (${explainRefusal(error, how).what})`);
  const [{ error: cause }] = refusals;
  return new UserError(`No Sentinel answers: ${list.join(', ')}.`, explainRefusal(cause, how).remedy, undefined, {
    cause,
  });
}

/**
 * @param {View} view
 * @param {string} masterName
 */
function unknownName({ address, names }, masterName) {
  const known = names.length === 0 ? 'it watches none' : `it knows ${names.join(', ')}`;
  return new UserError(
    `The Sentinel ${formatAddress(address)} knows no primary called ${masterName}; ${known}.`,
    'Give one of the names it knows with --master-name.',
    ExitStatus.badInput,
  );
}
