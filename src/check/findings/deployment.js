/** @import { CheckedNode, Deployment } from '../types.js' @import { FindingTest } from './index.js' */
import { isIP } from 'node:net';
import { machinesOf } from '../machines.js';
import { follows, majorityOf, votersOf } from '../predict.js';
import { isKnown } from '../unknown.js';

/** What machines call themselves; Debian gives its own name 127.0.1.1. */
const LOOPBACK = /^(?:127\.0\.[01]\.1|::1|localhost)$/;
const DURABLE = ['appendonly', 'appendfsync', 'save', 'min-replicas-to-write', 'min-replicas-max-lag'];
const CAPACITY = ['maxmemory', 'maxmemory-policy', 'repl-backlog-size', 'client-output-buffer-limit'];
/** Settings that each Sentinel has of its own. */
const VIEWED = /** @type {const} */ ([
  ['quorum', 'quorum'],
  ['downAfterMs', 'down-after-milliseconds'],
  ['failoverTimeoutMs', 'failover-timeout'],
]);

/** @param {Deployment} d */
const viewsOf = ({ sentinels }) => sentinels.flatMap(({ view }) => view ?? []);
/** @param {Deployment} d @returns {CheckedNode[]} that answered */
const readNodes = ({ nodes }) => nodes.filter(({ why }) => why === null);
/** @param {Deployment} d */
const replicasOf = (d) => readNodes(d).filter(({ role }) => role === 'replica');
/** @template T @param {readonly T[]} values */
const distinct = (values) => [...new Set(values)];
/** @param {string} id `host:port` */
const hostOf = (id) => id.slice(0, id.lastIndexOf(':'));
/** @param {Deployment} d @returns {string[]} ids of all that Sentinels know */
const knownIds = (d) =>
  distinct(
    viewsOf(d).flatMap(({ primary, peers, replicas }) => [primary, ...[...peers, ...replicas].map(({ id }) => id)]),
  );

/** @param {Deployment} d @param {readonly string[]} names @returns such as `appendonly (yes, no)` */
function differing(d, names) {
  const list = names.flatMap((name) => {
    const values = distinct(readNodes(d).map(({ settings }) => settings[name])).filter(isKnown);
    return values.length > 1 ? [`${name} (${values.map((value) => value || "''").join(', ')})`] : [];
  });
  return list.length > 0 && { list: list.join('; ') };
}

/** @type {Readonly<Record<string, FindingTest<Deployment>>>} */
export const OF_DEPLOYMENT = Object.freeze({
  'one-name-two-deployments': ({ nodes, sentinels }) => {
    const named = distinct(sentinels.flatMap(({ view }) => view?.primary ?? []));
    const primaries = nodes.filter(
      (node) => node.role === 'primary' && [node.id, ...node.aliases].some((id) => named.includes(id)),
    );
    return primaries.length > 1 && { list: primaries.map(({ id, keys }) => `${id} (${keys} keys)`).join(' and ') };
  },
  'sentinels-disagree': (d) => {
    const named = distinct(viewsOf(d).map(({ primary }) => primary));
    const other = d.sentinels.filter((one) => one.view !== null && !follows(d, one));
    const who = d.primary === null ? '' : other.map(({ id }) => id).join(', ');
    return named.length > 1 && other.length > 0 && { list: named.join(' and '), who };
  },
  'no-majority-now': (d) => {
    const [voters, there] = [votersOf(d), d.sentinels.filter(({ why, heard }) => why === null || heard).length];
    return there < majorityOf(voters) && { voters, there };
  },
  'few-sentinels': (d) => votersOf(d) > 0 && votersOf(d) < 3 && { voters: votersOf(d) },
  'majority-on-one-machine': (d) => {
    const voters = votersOf(d);
    const machines = machinesOf(d);
    const sentinelsOn = (/** @type {string} */ machine) => d.sentinels.filter((one) => one.machine === machine).length;
    const heavy = machines.find((machine) => voters - sentinelsOn(machine) < majorityOf(voters));
    return voters >= 3 && machines.length > 1 && heavy !== undefined && { heavy };
  },
  'one-machine': (d) => machinesOf(d).length === 1 && d.nodes.length > 1 && { machine: machinesOf(d)[0] },
  'peers-differ': (d) => {
    const counts = distinct(viewsOf(d).map(({ peers }) => peers.length + 1)).sort();
    return counts.length > 1 && { list: counts.join(' and ') };
  },
  'quorum-low': (d) => {
    const quorum = Math.min(...viewsOf(d).map((view) => view.quorum));
    return quorum < majorityOf(votersOf(d)) && votersOf(d) >= 3 && { quorum, majority: majorityOf(votersOf(d)) };
  },
  'quorum-high': (d) => {
    const quorum = Math.max(...viewsOf(d).map((view) => view.quorum));
    return quorum > majorityOf(votersOf(d)) && { quorum, voters: votersOf(d), majority: majorityOf(votersOf(d)) };
  },
  'even-sentinels': (d) => votersOf(d) >= 4 && votersOf(d) % 2 === 0 && { voters: votersOf(d) },
  'sentinel-settings-differ': (d) => {
    const list = VIEWED.flatMap(([field, setting]) => {
      const values = distinct(viewsOf(d).map((view) => view[field]));
      return values.length > 1 ? [`${setting} (${values.join(', ')})`] : [];
    });
    return list.length > 0 && { list: list.join(', ') };
  },
  'loopback-announced': (d) => {
    const ids = knownIds(d);
    const loopback = ids.filter((id) => LOOPBACK.test(hostOf(id)));
    return loopback.length > 0 && loopback.length < ids.length && { list: loopback.join(', ') };
  },
  'names-and-addresses': (d) => {
    const hosts = distinct(knownIds(d).map(hostOf));
    const names = hosts.filter((host) => isIP(host) === 0);
    return names.length > 0 && names.length < hosts.length && { list: names.join(', ') };
  },
  'no-priority': (d) => {
    const replicas = replicasOf(d);
    return replicas.length > 0 && replicas.every(({ priority }) => priority === 0) && {};
  },
  'priorities-differ': (d) => {
    const values = distinct(replicasOf(d).map(({ priority }) => priority)).filter((priority) => priority > 0);
    return values.length > 1 && { list: values.join(', ') };
  },
  'durability-differs': (d) => differing(d, DURABLE),
  'capacity-differs': (d) => differing(d, CAPACITY),
});
