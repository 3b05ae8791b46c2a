/** What `status` doubts: the findings about agreement, tried on what a stack reports. */
/**
 * @import { LeftOut, Address } from '../stacks/types.js' @import { SentinelState, Snapshot } from '../stacks/redis/observe.js'
 * @import { Deployment, Sentinel, SentinelView } from './types.js'
 */
import { formatAddress, sameAddress } from '../stacks/address.js';
import { FINDINGS, itemsOf } from './findings/index.js';
import { silentNode, silentSentinel } from './parse.js';
import { rendered } from './texts.js';

const ABOUT_AGREEMENT = [
  ...['one-name-two-deployments', 'sentinels-disagree', 'second-primary'],
  ...['no-majority-now', 'quorum-unanswered'],
];

/** @param {Snapshot} snapshot @returns {string[]} a sentence or two each; empty: all agree, and a failover is possible */
export function doubtsOf(snapshot) {
  const d = deploymentOf(snapshot);
  return FINDINGS.filter(({ id }) => ABOUT_AGREEMENT.includes(id)).flatMap((finding) =>
    itemsOf(finding, d, []).flatMap((item) => {
      const values = finding.test(item, d, [], { wait: 0 });
      return values ? rendered(finding.text, { where: item.id ?? '', ...values }) : [];
    }),
  );
}

/** @param {Snapshot} snapshot @returns {Deployment} nodes and Sentinels have the ids of the stack */
function deploymentOf({ masterName, primary, redis, sentinels, leftOut = [] }) {
  const nameOf = (/** @type {Address | null} */ address) =>
    redis.find(({ announced }) => sameAddress(announced, address))?.id ?? (address ? formatAddress(address) : '');
  return {
    masterName,
    readAt: '',
    primary,
    nodes: redis.map(({ announced, id, error: why, role }) => ({ ...silentNode(announced, ''), id, why, role })),
    sentinels: [
      ...sentinels.map((one) => sentinelOf(one, nameOf(one.primary))),
      ...leftOut.flatMap((one) => (one.kind === 'sentinel' ? leftOutSentinel(one, nameOf(one.names ?? null)) : [])),
    ],
  };
}

/** @param {SentinelState} state @param {string} primary @returns {Sentinel} */
function sentinelOf({ id, announced, error, otherSentinels, quorum }, primary) {
  const view = error === null ? viewOf(primary, otherSentinels, quorum.ok) : null;
  return { ...silentSentinel(announced, ''), id, why: error, view };
}

/** @param {LeftOut} leftOut @param {string} primary @returns {Sentinel} */
function leftOutSentinel({ id, address, why, names }, primary) {
  return { ...silentSentinel(address, ''), id, why: names ? null : why, view: names ? viewOf(primary, 0, true) : null };
}

/** @param {string} primary @param {number} others Sentinels that it knows @param {boolean} canDecide @returns {SentinelView} */
function viewOf(primary, others, canDecide) {
  const peers = Array.from({ length: others }, () => ({ id: '', runId: '', flags: [] }));
  const times = { downAfterMs: 0, failoverTimeoutMs: 0 };
  return { primary, quorum: 0, ...times, parallelSyncs: 1, flags: [], peers, replicas: [], canDecide };
}
