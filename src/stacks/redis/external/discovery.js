import { UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { formatAddress, NoAddress, readAddress, sameAddress } from '../../address.js';
import { problem } from '../../texts.js';
import { askAt, connectControl, loginFor, SLOW_TIMEOUT_MS } from '../control.js';
import { whyNotANode } from '../members.js';
import { AWAY, majority, toRecord } from '../observe.js';
import { explainRefusal } from './refusal.js';

/**
 * Finding an existing deployment by what its Sentinels say.
 * @import { Address, Control, Credentials, LeftOut, NodeInfo } from '../../types.js'
 * @typedef {{masterName: string, credentials: Credentials}} Sought the deployment to find
 * @typedef {Object} FoundView what one Sentinel knows
 * @property {string} id its own: 40 hexadecimal digits
 * @property {Address} address
 * @property {string[]} names of the primaries that it watches
 * @property {Address | null} primary null: it does not watch the wanted one, and knows no replicas and peers of it
 * @property {SeenReplica[]} replicas
 * @property {{id: string, address: Address}[]} peers the other Sentinels
 * @typedef {{address: Address, flags: string[]}} SeenReplica as a Sentinel sees it
 * @typedef {{address: Address, error: unknown}} SilentSentinel one that could not be asked
 */

const MOST_NODES = 100;

/** After a failover Sentinels disagree until the news has reached them all; they say hello every 2 s. */
const AGREEMENT_DEADLINE_MS = 5000;
const POLL_MS = 200;

/**
 * @param {Address[]} given @param {Sought} wanted @param {(line: string) => void} tell
 * @returns {Promise<{nodes: NodeInfo[], leftOut: LeftOut[], identity: string}>} nodes: the primary first; leftOut: what cannot be used.
 *   identity: does not depend on the current primary or the Sentinel asked
 * @throws {UserError} no Sentinel answers, none knows the name, most do not agree, or the primary refuses us
 */
export async function discover(given, wanted, tell) {
  const { views, silent, primary } = await agreement(given, wanted);
  const isNone = (/** @type {string} */ why) => problem('not-a-primary', { address: primary, why });
  if (views.some(({ address }) => sameAddress(address, primary))) throw isNone('it is a Sentinel');
  (await connectNode(primary, wanted.credentials, { what: 'the primary ', wrong: isNone })).control.close();

  const followed = views.filter((view) => sameAddress(view.primary, primary));
  const { present, away } = replicasOf(followed);
  const peers = followed.flatMap((view) => view.peers);
  const redis = [primary, ...present].map((address) => ({ address, announced: address }));
  const sentinels = followed.map(({ id, address }) => ({
    address,
    // The user may know a Sentinel by another address than its peers do.
    announced: peers.find((peer) => peer.id === id)?.address ?? address,
  }));
  const replicasLeftOut = away.map(({ address, flags }) => {
    const flagged = flags.filter((flag) => flag !== 'slave').join(', ');
    return { address, why: `the Sentinels flag it as ${flagged}` };
  });
  const leftOut = [
    ...numbered('redis', replicasLeftOut, redis.length),
    ...numbered('sentinel', sentinelsLeftOut(views, followed, silent, wanted), sentinels.length),
  ];
  for (const { kind, address, why } of leftOut)
    tell(`Leaving out the ${kind === 'redis' ? 'replica' : 'Sentinel'} ${formatAddress(address)}: ${why}.`);
  // Also those that do not answer now: they may answer another time.
  const watching = views.filter((view) => view.primary !== null);
  const ids = new Set(watching.flatMap((view) => [view, ...view.peers]).map(({ id }) => id));
  ids.delete('');
  return {
    nodes: [...numbered('redis', redis), ...numbered('sentinel', sentinels)],
    leftOut,
    identity: [wanted.masterName, ...[...ids].sort()].join(' '),
  };
}

/** @template T @template {'redis' | 'sentinel'} K @param {K} kind @param {readonly T[]} nodes @param {number} [others] have lower numbers */
function numbered(kind, nodes, others = 0) {
  return nodes.map((node, index) => ({ ...node, id: `${kind}-${others + index + 1}`, kind }));
}

/** Asks until all name one primary, or for a while. Then it follows the majority. @param {Address[]} given @param {Sought} wanted */
async function agreement(given, wanted) {
  let interviews = await interviewPeers(given, wanted);
  const answers = () => interviews.views.flatMap((view) => view.primary ?? []);
  const doAgree = async () => {
    if (answers().every((answer, _, [first]) => sameAddress(answer, first))) return true;
    interviews = await interviewPeers(given, wanted);
    return false;
  };
  await waitFor(doAgree, { deadlineMs: AGREEMENT_DEADLINE_MS, pollMs: POLL_MS });
  const primary = majority(answers());
  if (primary !== null) return { ...interviews, primary };
  const said = interviews.views.flatMap(({ address, primary: named }) =>
    named ? `${formatAddress(address)} names ${formatAddress(named)}` : [],
  );
  throw problem('no-agreement', { said });
}

/** @param {Address[]} given @param {Sought} wanted @returns of the Sentinels that were given and of those that they name */
async function interviewPeers(given, wanted) {
  const { views, silent } = await interviewAll(given, wanted);
  if (views.length === 0) throw noneAnswers(silent, wanted.credentials);
  if (views.every((view) => view.primary === null)) throw unknownName(views[0], wanted.masterName);
  const unasked = views.flatMap((view) => view.peers).filter((peer) => !views.some(({ id }) => id === peer.id));
  const addresses = new Map(unasked.map(({ address }) => [formatAddress(address), address]));
  const others = await interviewAll([...addresses.values()], wanted);
  const byId = new Map([...views, ...others.views].map((view) => [view.id, view]));
  return { views: [...byId.values()], silent: [...silent, ...others.silent] };
}

/** @param {readonly FoundView[]} followed Sentinels that name the same primary @returns away: none of them reaches it */
function replicasOf(followed) {
  const isAway = (/** @type {SeenReplica} */ { flags }) => flags.some((flag) => AWAY.includes(flag));
  const replicas = /** @type {Map<string, SeenReplica>} */ (new Map());
  for (const replica of followed.flatMap((view) => view.replicas)) {
    const name = formatAddress(replica.address);
    if (!replicas.has(name) || !isAway(replica)) replicas.set(name, replica);
  }
  const all = [...replicas.values()];
  return {
    present: all.filter((replica) => !isAway(replica)).map(({ address }) => address),
    away: all.filter(isAway),
  };
}

/**
 * @param {readonly FoundView[]} views @param {readonly FoundView[]} followed those of the majority
 * @param {readonly SilentSentinel[]} silent @param {Sought} wanted @returns {{address: Address, why: string, names?: Address}[]}
 */
function sentinelsLeftOut(views, followed, silent, { masterName, credentials }) {
  const watching = views.filter((view) => view.primary !== null);
  const most = `${followed.length} of ${watching.length} Sentinels name ${formatAddress(/** @type {Address} */ (followed[0].primary))}`;
  return [
    ...silent.map(({ address, error }) => ({ address, why: explainRefusal(error, credentials).what })),
    ...views
      .filter((view) => !followed.includes(view))
      .map(({ address, primary: names }) =>
        names
          ? { address, names, why: `it names ${formatAddress(names)} as the primary; ${most}` }
          : { address, why: `it watches no primary called ${masterName}` },
      ),
  ];
}

/** Asks several Sentinels, each once, all at the same time. @param {Address[]} addresses @param {Sought} wanted */
async function interviewAll(addresses, wanted) {
  const silent = /** @type {SilentSentinel[]} */ ([]);
  const interviews = addresses.map((address) =>
    interview(address, wanted).catch((error) => {
      if (error instanceof UserError) throw error;
      silent.push({ address, error });
    }),
  );
  const views = (await Promise.all(interviews)).flatMap((view) => view ?? []);
  // The user may have named one twice.
  return { views: [...new Map(views.map((view) => [view.id, view])).values()], silent };
}

/** @param {Address} address @param {Sought} wanted @returns {Promise<FoundView>} */
async function interview(address, { masterName, credentials }) {
  return askAt(address, credentials, 'sentinel', async (control) => {
    const sentinel = (/** @type {string[]} */ ...words) => control.call('SENTINEL', ...words);
    const [id, masters] = await Promise.all([sentinel('MYID').then(String), sentinel('MASTERS').then(toRecords)]);
    const names = masters.map(({ name }) => name);
    const master = masters.find(({ name }) => name === masterName);
    if (!master) return { id, address, names, primary: null, replicas: [], peers: [] };
    const [replicas, peers] = await Promise.all([
      sentinel('REPLICAS', masterName).then(toRecords),
      sentinel('SENTINELS', masterName).then(toRecords),
    ]);
    const seen = replicas.map((each) => ({ address: addressIn(each), flags: (each.flags ?? '').split(',') }));
    const known = peers.map((each) => ({ id: each.runid, address: addressIn(each) }));
    return {
      id,
      address,
      names,
      primary: addressIn(master),
      replicas: eachOnce('replicas', seen),
      peers: eachOnce('other Sentinels', known),
    };
  }).catch((error) => {
    if (!(error instanceof NoAddress)) throw error;
    throw problem('sentinel-bad-address', { address, what: error.message });
  });
}

/** @param {unknown} reply a list of field-value lists */
function toRecords(reply) {
  if (!Array.isArray(reply) || !reply.every(Array.isArray)) throw new Error('it does not answer as a Sentinel');
  return reply.map(toRecord);
}

/** @template {{address: Address}} T @param {string} what @param {readonly T[]} named @returns one for each address */
function eachOnce(what, named) {
  const once = new Map(named.map((one) => [formatAddress(one.address), one]));
  if (once.size <= MOST_NODES) return [...once.values()];
  throw new Error(`it names ${once.size} ${what}, and no more than ${MOST_NODES} can be measured`);
}

const addressIn = (/** @type {Record<string, string>} */ { ip, port }) => readAddress(ip, port);

/**
 * @param {Address} address @param {Credentials} credentials
 * @param {{what?: string, wrong?: (why: string) => UserError}} [primary] how messages name it, and the error if it is no such node
 * @returns control: to be closed; info: of `server` and `replication` @throws {UserError} it cannot be reached, refuses us, or is no node
 */
export async function connectNode(address, credentials, { what: node = '', wrong } = {}) {
  /** @type {Control | undefined} */
  let control;
  let info;
  try {
    control = await connectControl(address, loginFor(credentials, 'redis'), { timeoutMs: SLOW_TIMEOUT_MS });
    info = await control.info('server', 'replication');
  } catch (error) {
    control?.close();
    const values = { node: `${node}${formatAddress(address)}`, ...explainRefusal(error, credentials) };
    throw problem('node-unusable', values, { cause: error });
  }
  const doubt = whyNotANode(info);
  if (doubt === null) return { control, info };
  control.close();
  throw wrong?.(doubt) ?? problem('not-a-node', { address, why: doubt });
}

/** @param {SilentSentinel[]} silent at least one @param {Credentials} credentials */
function noneAnswers(silent, credentials) {
  const whyOf = (/** @type {SilentSentinel} */ { error }) => explainRefusal(error, credentials);
  const list = silent.map((each) => `${formatAddress(each.address)} (${whyOf(each).what})`);
  const [first] = silent;
  return problem('no-sentinel-answers', { list, remedy: whyOf(first).remedy }, { cause: first.error });
}

function unknownName(/** @type {FoundView} */ { address, names }, /** @type {string} */ masterName) {
  const knowledge = names.length === 0 ? 'it watches no primary' : `it knows ${names.join(', ')}`;
  return problem('name-unknown', { address, masterName, knowledge });
}
