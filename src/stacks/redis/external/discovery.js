import { ExitStatus, UserError } from '../errors.js';
import { formatAddress } from './address.js';
import { connectControl, loginFor } from './control.js';
import { explainRefusal } from './external-errors.js';
import { toRecord } from './observe-node.js';

/**
 * Finding somebody else's deployment: what its Sentinels know of it.
 *
 * @typedef {import('./types.js').Address} Address
 * @typedef {import('./types.js').Credentials} Credentials
 */

/** Somebody else's network may be slow; it is asked once. */
const CONNECT_TIMEOUT_MS = 3000;

/** A Sentinel flags so what it cannot reach; it never forgets a replica by itself. */
const AWAY = ['s_down', 'o_down', 'disconnected'];

/**
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @param {(line: string) => void} tell
 * @returns {Promise<{nodes: import('./types.js').NodeInfo[], identity: string}>} nodes: the primary first; only what answers or
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
 * @param {import('./types.js').NodeKind} kind
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
        replicas: replicas.map((replica) => ({ address: addressIn(replica), flags: replica.flags.split(',') })),
        peers: peers.map((peer) => ({ id: peer.runid, address: addressIn(peer) })),
      },
    };
  } finally {
    control.close();
  }
}

/** @param {unknown} reply a list of field-value lists */
function toRecords(reply) {
  return /** @type {unknown[]} */ (reply).map(toRecord);
}

/** @param {Record<string, string>} record */
function addressIn({ ip, port }) {
  return { host: ip, port: Number(port) };
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
      await control.info('server');
    } finally {
      control.close();
    }
  } catch (error) {
    const { what, remedy } = explainRefusal(error, { tls: credentials.tls !== undefined });
    throw new UserError(`The primary ${formatAddress(primary)} cannot be used: ${what}.`, remedy, undefined, {
      cause: error,
    });
  }
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
