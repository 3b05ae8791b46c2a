import { badInput, UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { formatAddress, NoAddress, readAddress, sameAddress } from '../../address.js';
import { askOnce } from '../../ask.js';
import { connectControl, loginFor } from '../control.js';
import { whyNotANode } from '../members.js';
import { AWAY, majority, toRecord } from '../observe.js';
import { explainRefusal } from './refusal.js';

/** @import { Address, Control, Credentials, LeftOut, NodeInfo, NodeKind } from '../../types.js' */

/**
 * Finds an existing deployment by asking its Sentinels.
 */

/** The network of a deployment may be slow, and we connect once. */
const CONNECT_TIMEOUT_MS = 3000;

/** More nodes than any real deployment has. Each node takes a connection and memory. */
const MOST_NODES = 100;

/** After a failover Sentinels disagree until the news has reached them all; they say hello every 2 s. */
const AGREEMENT_DEADLINE_MS = 5000;
const POLL_MS = 200;

/**
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @param {(line: string) => void} tell
 * @returns {Promise<{nodes: NodeInfo[], leftOut: LeftOut[], identity: string}>} nodes: the primary first; leftOut: Sentinels and replicas that
 *   cannot be used. identity: does not depend on the current primary or the Sentinel asked
 * @throws {UserError} no Sentinel answers, none knows the name, most do not agree, or the primary refuses us
 */
export async function discover(given, masterName, credentials, tell) {
  const { views, refusals, primary } = await agreement(given, masterName, credentials);
  if (views.some(({ address }) => sameAddress(address, primary))) throw isNoPrimary(primary, 'it is a Sentinel');
  await checkLogin(primary, credentials);

  const followed = views.filter(({ belief }) => sameAddress(belief?.primary ?? null, primary));
  const { present, away } = replicasOf(followed);
  const announcements = followed.flatMap(({ belief }) => belief?.peers ?? []);
  // The user may know a Sentinel by another address than its peers do.
  const announced = (/** @type {View} */ { id, address }) =>
    announcements.find((peer) => peer.id === id)?.address ?? address;
  const nodes = [
    ...[primary, ...present].map((address, index) => nodeInfo('redis', index, address, address)),
    ...followed.map((view, index) => nodeInfo('sentinel', index, view.address, announced(view))),
  ];
  const leftOut = [
    ...(await Promise.all(away.map((replica) => awayReplica(replica, credentials)))).map((each, index) => ({
      ...each,
      id: `redis-${present.length + 2 + index}`,
      kind: /** @type {const} */ ('redis'),
    })),
    ...sentinelsLeftOut(views, followed, refusals, masterName, credentials).map((each, index) => ({
      ...each,
      id: `sentinel-${followed.length + 1 + index}`,
      kind: /** @type {const} */ ('sentinel'),
    })),
  ];
  for (const { kind, address, why } of leftOut)
    tell(`Leaving out the ${kind === 'redis' ? 'replica' : 'Sentinel'} ${formatAddress(address)}: ${why}.`);
  // Also those that do not answer now: they may answer another time.
  const all = views.filter(({ belief }) => belief !== null);
  const sentinels = new Set([...all, ...all.flatMap(({ belief }) => belief?.peers ?? [])].map(({ id }) => id));
  sentinels.delete('');
  return { nodes, leftOut, identity: [masterName, ...[...sentinels].sort()].join(' ') };
}

/**
 * Asks the Sentinels that were named and those that they know, until all name the same primary, or for a while. Then it follows the majority.
 *
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @returns {Promise<{views: View[], refusals: Refusal[], primary: Address}>}
 */
async function agreement(given, masterName, credentials) {
  let interviews = await interviewPeers(given, masterName, credentials);
  const answers = () => interviews.views.flatMap(({ belief }) => belief?.primary ?? []);
  await waitFor(
    async () => {
      if (answers().every((answer, _, [first]) => sameAddress(answer, first))) return true;
      interviews = await interviewPeers(given, masterName, credentials);
      return false;
    },
    { deadlineMs: AGREEMENT_DEADLINE_MS, pollMs: POLL_MS },
  );
  const primary = majority(answers());
  if (primary === null) throw noAgreement(interviews.views);
  return { ...interviews, primary };
}

/**
 * @param {Address[]} given
 * @param {string} masterName
 * @param {Credentials} credentials
 * @returns {Promise<{views: View[], refusals: Refusal[]}>} of the Sentinels that were given and of those that they name
 */
async function interviewPeers(given, masterName, credentials) {
  const { views, refusals } = await interviewAll(given, masterName, credentials);
  if (views.length === 0) throw noneAnswers(refusals, { tls: credentials.tls !== undefined });
  if (views.every(({ belief }) => belief === null)) throw unknownName(views[0], masterName);
  const named = views.flatMap(({ belief }) => belief?.peers ?? []);
  const unasked = new Map(
    named
      .filter((peer) => !views.some(({ id }) => id === peer.id))
      .map(({ address }) => [formatAddress(address), address]),
  );
  const others = await interviewAll([...unasked.values()], masterName, credentials);
  const byId = new Map([...views, ...others.views].map((view) => [view.id, view]));
  return { views: [...byId.values()], refusals: [...refusals, ...others.refusals] };
}

/**
 * @param {readonly View[]} followed Sentinels that name the same primary
 * @returns {{present: Address[], away: Replica[]}} away: none of them reaches it
 */
function replicasOf(followed) {
  const known = followed.flatMap(({ belief }) => belief?.replicas ?? []);
  const each = new Map(known.map((replica) => [formatAddress(replica.address), replica]));
  const isAway = (/** @type {Replica} */ { flags }) => flags.some((flag) => AWAY.includes(flag));
  const present = [...each.values()].filter(({ address }) =>
    known.some((replica) => sameAddress(replica.address, address) && !isAway(replica)),
  );
  return {
    present: present.map(({ address }) => address),
    away: [...each.values()].filter((replica) => !present.includes(replica)),
  };
}

/**
 * @param {Replica} replica that no Sentinel reaches
 * @param {Credentials} credentials
 * @returns {Promise<{address: Address, why: string}>}
 */
async function awayReplica({ address, flags }, credentials) {
  const flagged = `the Sentinels flag it as ${flags.filter((flag) => flag !== 'slave').join(', ')}`;
  try {
    await ask(address, credentials, 'redis', (control) => control.info('replication'));
    return { address, why: `${flagged}, although it answers here` };
  } catch (error) {
    return { address, why: `${flagged}; ${explainRefusal(error, { tls: credentials.tls !== undefined }).what}` };
  }
}

/**
 * @param {readonly View[]} views
 * @param {readonly View[]} followed those of the majority
 * @param {readonly Refusal[]} refusals
 * @param {string} masterName
 * @param {Credentials} credentials
 * @returns {{address: Address, why: string, names?: Address}[]}
 */
function sentinelsLeftOut(views, followed, refusals, masterName, { tls }) {
  const names = followed[0].belief?.primary;
  const knowing = views.filter(({ belief }) => belief !== null);
  return [
    ...refusals.map(({ address, error }) => ({ address, why: explainRefusal(error, { tls: tls !== undefined }).what })),
    ...views
      .filter((view) => !followed.includes(view))
      .map(({ address, belief }) => ({
        address,
        ...(belief && { names: belief.primary }),
        why: belief
          ? `it names ${formatAddress(belief.primary)} as the primary; ${followed.length} of ${knowing.length} Sentinels name ${formatAddress(names ?? belief.primary)}`
          : `it watches no primary called ${masterName}`,
      })),
  ];
}

/** @param {readonly View[]} views */
function noAgreement(views) {
  const said = views.flatMap(({ address, belief }) =>
    belief ? [`${formatAddress(address)} names ${formatAddress(belief.primary)}`] : [],
  );
  return new UserError(
    `The Sentinels do not agree on a primary: ${said.join(', ')}.`,
    'Make them monitor the same node, with SENTINEL REMOVE and SENTINEL MONITOR on those that name the wrong one.',
  );
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
  /** @type {Refusal[]} */
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
 * @property {Replica[]} replicas
 * @property {{id: string, address: Address}[]} peers the other Sentinels
 *
 * @typedef {{address: Address, flags: string[]}} Replica as a Sentinel sees it
 *
 * @typedef {{address: Address, error: unknown}} Refusal of a Sentinel that could not be asked
 */

/**
 * @param {Address} address
 * @param {string} masterName
 * @param {Credentials} credentials
 * @returns {Promise<View>}
 */
async function interview(address, masterName, credentials) {
  return ask(address, credentials, 'sentinel', async (control) => {
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
  }).catch((error) => {
    throw error instanceof NoAddress ? hostileSentinel(address, error) : error;
  });
}

/**
 * @template T
 * @param {Address} address
 * @param {Credentials} credentials
 * @param {NodeKind} kind
 * @param {(control: Control) => Promise<T>} question
 */
function ask(address, credentials, kind, question) {
  const login = loginFor(credentials, kind);
  return askOnce(connectControl(address, login, { timeoutMs: CONNECT_TIMEOUT_MS }), question);
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
    const info = await ask(primary, credentials, 'redis', (control) => control.info('server', 'replication'));
    const doubt = whyNotANode(info);
    if (doubt !== null) throw isNoPrimary(primary, doubt);
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
 * @param {Refusal[]} refusals at least one
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
