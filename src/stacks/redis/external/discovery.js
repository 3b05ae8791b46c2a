import { badInput, UserError } from '../../../errors.js';
import { formatAddress, NoAddress, readAddress, sameAddress } from '../../address.js';
import { connectControl, loginFor } from '../control.js';
import { whyNotANode } from '../members.js';
import { toRecord } from '../observe.js';
import { explainRefusal } from './refusal.js';

/** @import { Address, Credentials, NodeInfo, NodeKind } from '../../types.js' */

/**
 * Finds an existing deployment by asking its Sentinels.
 */

/** The network of a deployment may be slow, and we connect once. */
const CONNECT_TIMEOUT_MS = 3000;

/** More nodes than any real deployment has. Each node takes a connection and memory. */
const MOST_NODES = 100;

/** Flags of a node that the Sentinel cannot reach. A Sentinel never forgets a replica by itself. */
const AWAY = ['s_down', 'o_down', 'disconnected'];

/**
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @param {(line: string) => void} tell
 * @returns {Promise<{nodes: NodeInfo[], identity: string}>} nodes: the primary first; without unreachable
 *   Sentinels and replicas. identity: does not depend on the current primary or the Sentinel asked
 * @throws {UserError} no Sentinel answers, none knows the name, or the primary refuses us
 */
export async function discover(given, masterName, credentials, tell) {
  const how = { tls: credentials.tls !== undefined };
  const interviews = await interviewAll(given, masterName, credentials);
  if (interviews.views.length === 0) throw noneAnswers(interviews.refusals, how);
  const knowing = interviews.views.find(({ belief }) => belief !== null);
  if (!knowing?.belief) throw unknownName(interviews.views[0], masterName);
  const { primary, replicas, peers } = knowing.belief;

  const unasked = peers.filter((peer) => !interviews.views.some(({ id }) => id === peer.id));
  const others = await interviewAll(
    unasked.map(({ address }) => address),
    masterName,
    credentials,
  );
  for (const { address, error } of [...interviews.refusals, ...others.refusals]) {
    tell(`Leaving out the Sentinel ${formatAddress(address)}: ${explainRefusal(error, how).what}.`);
  }

  const isSentinel = [...interviews.views, ...others.views].some(({ address }) => sameAddress(address, primary));
  if (isSentinel) throw isNoPrimary(primary, 'it is a Sentinel');
  await checkLogin(primary, credentials);
  const present = replicas.filter(({ address, flags }) => {
    const away = flags.some((flag) => AWAY.includes(flag));
    if (away) tell(`Leaving out the replica ${formatAddress(address)}: the Sentinels flag it as ${flags.join(', ')}.`);
    return !away;
  });

  const views = [...interviews.views, ...others.views].filter(({ belief }) => belief !== null);
  const announcements = views.flatMap(({ belief }) => belief?.peers ?? []);
  const nodes = [
    ...[primary, ...present.map(({ address }) => address)].map((address, index) =>
      nodeInfo('redis', index, address, address),
    ),
    ...views.map(({ id, address }, index) =>
      // The user may know a Sentinel by another address than its peers do.
      nodeInfo('sentinel', index, address, announcements.find((peer) => peer.id === id)?.address ?? address),
    ),
  ];
  // Also those that do not answer now: they may answer another time.
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
  /** @type {Map<string, View>} by the Sentinel's id: the user may have named one twice */
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
 * @returns {T[]} one for each address
 * @throws {Error} there are too many
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
    'Find out who set that address. Nothing was done with it.',
  );
}

/**
 * @param {Address} primary
 * @param {Credentials} credentials
 * @throws {UserError} it cannot be reached, or refuses us
 */
async function checkLogin(primary, credentials) {
  try {
    const control = await connectControl(primary, loginFor(credentials, 'redis'), { timeoutMs: CONNECT_TIMEOUT_MS });
    try {
      const doubt = whyNotANode(await control.info('server', 'replication'));
      if (doubt !== null) throw isNoPrimary(primary, doubt);
    } finally {
      control.close();
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { what, remedy } = explainRefusal(error, { tls: credentials.tls !== undefined });
    throw new UserError(`The primary ${formatAddress(primary)} cannot be used: ${what}.`, remedy, {
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
function noneAnswers(refusals, how) {
  const list = refusals.map(({ address, error }) => `${formatAddress(address)} (${explainRefusal(error, how).what})`);
  const [{ error: cause }] = refusals;
  return new UserError(`No Sentinel answers: ${list.join(', ')}.`, explainRefusal(cause, how).remedy, {
    cause,
  });
}

/**
 * @param {View} view
 * @param {string} masterName
 */
function unknownName({ address, names }, masterName) {
  const knowledge = names.length === 0 ? 'it watches no primary' : `it knows ${names.join(', ')}`;
  return badInput(
    `The Sentinel ${formatAddress(address)} does not know a primary called ${masterName}; ${knowledge}.`,
    'Give one of the names it knows with --master-name.',
  );
}
