/**
 * Findings about the Sentinels: each is data, with one test.
 *
 * @import { FindingRule } from '../judge.js'
 */
import { isIP } from 'node:net';
import { downAfterSeconds, machinesOf } from '../machines.js';
import { follows, majorityOf, votersOf } from '../predict.js';

/** What machines call themselves; Debian gives its own name 127.0.1.1. */
const LOOPBACK = /^(?:127\.0\.[01]\.1|::1|localhost)$/;

/** @param {import('../types.js').Deployment} d @returns {import('../types.js').View[]} */
const viewsOf = ({ sentinels }) => sentinels.flatMap(({ view }) => view ?? []);
/** @template T @param {readonly T[]} values */
const distinct = (values) => [...new Set(values)];
/** @param {string} id `host:port` */
const hostOf = (id) => id.slice(0, id.lastIndexOf(':'));

/** @type {readonly FindingRule[]} */
export const SENTINELS = Object.freeze([
  {
    id: 'one-name-two-deployments',
    severity: 'critical',
    rule: 9,
    of: 'deployment',
    test: ({ nodes, sentinels }) => {
      const named = distinct(sentinels.flatMap(({ view }) => view?.primary ?? []));
      const primaries = nodes.filter(
        (node) => node.role === 'primary' && [node.id, ...node.aliases].some((id) => named.includes(id)),
      );
      return primaries.length > 1 && { list: primaries.map(({ id, keys }) => `${id} (${keys} keys)`).join(' and ') };
    },
    text: 'Sentinels call {{ list }} by one name. One failover makes a node of the one copy the other: its data set is replaced.',
    fix: 'On the Sentinels that name the wrong one: SENTINEL REMOVE {{ name }}, then SENTINEL MONITOR with the right address. Give each deployment a name of its own.',
  },
  {
    id: 'sentinels-disagree',
    severity: 'critical',
    rule: 8,
    of: 'deployment',
    test: (d) => {
      const named = distinct(viewsOf(d).map(({ primary }) => primary));
      const other = d.sentinels.filter((one) => one.view !== null && !follows(d, one));
      return (
        named.length > 1 &&
        other.length > 0 && {
          list: named.join(' and '),
          who: d.primary === null ? '' : other.map(({ id }) => id).join(', '),
        }
      );
    },
    text: 'Sentinels disagree about the primary: they name {{ list }}.',
    fix: 'Find out which one holds the data. Then correct {% if who != "" %}{{ who }}{% else %}the others{% endif %} with SENTINEL REMOVE and SENTINEL MONITOR.',
  },
  {
    id: 'second-primary',
    severity: 'critical',
    of: 'nodes',
    test: ({ id, role }, { primary, sentinels }) =>
      role === 'primary' &&
      primary !== null &&
      id !== primary &&
      !sentinels.some(({ view }) => view?.primary === id) && { primary },
    text: '{{ where }} acts as a primary, and the Sentinels name {{ primary }}: what it confirms is lost.',
    fix: 'Sentinels make it a replica after about ten seconds. If they do not: REPLICAOF {{ primary | replace: ":", " " }} there.',
  },
  {
    id: 'no-majority-now',
    severity: 'critical',
    rule: 6,
    of: 'deployment',
    test: (d) => {
      const [voters, there] = [votersOf(d), d.sentinels.filter(({ why, heard }) => why === null || heard).length];
      return there < majorityOf(voters) && { voters, there };
    },
    text: '{{ there }} of {{ voters }} Sentinels are there, which is no majority: if the primary dies now, nobody takes its place.',
    fix: 'Start the Sentinels that are away. For those that are gone for good: SENTINEL RESET {{ name }} on each of the others, one after the other, 30 s apart.',
  },
  {
    id: 'few-sentinels',
    severity: 'high',
    rule: 1,
    of: 'deployment',
    test: (d) => votersOf(d) > 0 && votersOf(d) < 3 && { voters: votersOf(d) },
    text: '{{ voters | plural: "Sentinel" }}: when one is lost, there is no majority, and no failover can happen.',
    fix: 'Run three Sentinels, on three machines.',
  },
  {
    id: 'quorum-unanswered',
    severity: 'high',
    rule: 6,
    of: 'sentinels',
    needs: ['view.canDecide'],
    test: ({ view }) => view?.canDecide === false && {},
    text: '{{ where }} cannot authorize a failover now (SENTINEL CKQUORUM).',
    fix: 'Check that it reaches the other Sentinels.',
  },
  {
    id: 'majority-on-one-machine',
    severity: 'high',
    rule: 2,
    of: 'deployment',
    test: (d) => {
      const voters = votersOf(d);
      const machines = machinesOf(d);
      const heavy = machines.find(
        (machine) => voters - d.sentinels.filter((one) => one.machine === machine).length < majorityOf(voters),
      );
      return voters >= 3 && machines.length > 1 && heavy !== undefined && { heavy };
    },
    text: 'Without the machine {{ heavy }} there is no majority of the Sentinels: no failover can happen.',
    fix: 'Put each Sentinel on a machine of its own, one beside each node.',
  },
  {
    id: 'one-machine',
    severity: 'medium',
    rule: 2,
    of: 'deployment',
    test: (d) => machinesOf(d).length === 1 && d.nodes.length > 1 && { machine: machinesOf(d)[0] },
    text: 'All nodes and Sentinels have the address {{ machine }}: one machine, or addresses that hide where they run.',
    fix: 'Use three machines. If these are several, say so with --zones FILE.',
  },
  {
    id: 'stale-sentinels',
    severity: 'medium',
    rule: 7,
    of: 'sentinels',
    test: ({ why, heard, runId }, d) =>
      why !== null &&
      !heard &&
      d.sentinels.length > 1 &&
      runId === '' && { why, need: majorityOf(votersOf(d)), voters: votersOf(d) },
    text: 'No answer from the Sentinel {{ where }} ({{ why }}), which still counts: {{ need }} of {{ voters }} have to agree.',
    fix: 'Start it, or let the others forget it: SENTINEL RESET {{ name }} on each, one after the other, 30 s apart.',
  },
  {
    id: 'peers-differ',
    severity: 'medium',
    rule: 7,
    of: 'deployment',
    test: (d) => {
      const counts = distinct(viewsOf(d).map(({ peers }) => peers.length + 1)).sort();
      return counts.length > 1 && { list: counts.join(' and ') };
    },
    text: 'Sentinels count differently: {{ list }} Sentinels. They need different majorities.',
    fix: 'Find those that know too few or too many: SENTINEL SENTINELS {{ name }}; then SENTINEL RESET {{ name }} there.',
  },
  {
    id: 'quorum-low',
    severity: 'medium',
    rule: 4,
    of: 'deployment',
    test: (d) => {
      const quorum = Math.min(...viewsOf(d).map((view) => view.quorum));
      return quorum < majorityOf(votersOf(d)) && votersOf(d) >= 3 && { quorum, majority: majorityOf(votersOf(d)) };
    },
    text: 'Quorum {{ quorum }}: one side of a bad link replaces a primary that is well, which loses up to 11 s of writes.',
    fix: 'SENTINEL SET {{ name }} quorum {{ majority }} on every Sentinel.',
    evidence: { experiment: 'quorum-one' },
  },
  {
    id: 'quorum-high',
    severity: 'medium',
    rule: 4,
    of: 'deployment',
    test: (d) => {
      const quorum = Math.max(...viewsOf(d).map((view) => view.quorum));
      return quorum > majorityOf(votersOf(d)) && { quorum, voters: votersOf(d), majority: majorityOf(votersOf(d)) };
    },
    text: 'Quorum {{ quorum }} of {{ voters }} Sentinels: no failover while {{ voters | minus: quorum | plus: 1 }} of them are away.',
    fix: 'SENTINEL SET {{ name }} quorum {{ majority }} on every Sentinel.',
  },
  {
    id: 'even-sentinels',
    severity: 'low',
    rule: 3,
    of: 'deployment',
    test: (d) => votersOf(d) >= 4 && votersOf(d) % 2 === 0 && { voters: votersOf(d) },
    text: '{{ voters }} Sentinels survive no more losses than {{ voters | minus: 1 }}.',
    fix: 'Take one away, or add one on another machine.',
  },
  {
    id: 'sentinel-settings-differ',
    severity: 'medium',
    rule: 8,
    of: 'deployment',
    test: (d) => {
      const differing = /** @type {const} */ (['quorum', 'downAfterMs', 'failoverTimeoutMs']).filter(
        (field) => distinct(viewsOf(d).map((view) => view[field])).length > 1,
      );
      const names = { quorum: 'quorum', downAfterMs: 'down-after-milliseconds', failoverTimeoutMs: 'failover-timeout' };
      return (
        differing.length > 0 && {
          list: differing
            .map((field) => `${names[field]} (${distinct(viewsOf(d).map((view) => view[field])).join(', ')})`)
            .join(', '),
        }
      );
    },
    text: 'Sentinels differ in {{ list }}. SENTINEL SET changes one Sentinel only.',
    fix: 'Set the same value on every Sentinel.',
  },
  {
    id: 'loopback-announced',
    severity: 'high',
    rule: 10,
    of: 'deployment',
    test: (d) => {
      const ids = distinct(
        viewsOf(d).flatMap(({ primary, peers, replicas }) => [primary, ...[...peers, ...replicas].map(({ id }) => id)]),
      );
      const loopback = ids.filter((id) => LOOPBACK.test(hostOf(id)));
      return loopback.length > 0 && loopback.length < ids.length && { list: loopback.join(', ') };
    },
    text: 'Sentinels know {{ list }}: an address that means another machine to everybody else.',
    fix: 'Set sentinel announce-ip and replica-announce-ip to addresses that all machines reach.',
  },
  {
    id: 'names-and-addresses',
    severity: 'medium',
    rule: 11,
    of: 'deployment',
    test: (d) => {
      const hosts = distinct(
        viewsOf(d)
          .flatMap(({ primary, peers, replicas }) => [primary, ...[...peers, ...replicas].map(({ id }) => id)])
          .map(hostOf),
      );
      const names = hosts.filter((host) => isIP(host) === 0);
      return names.length > 0 && names.length < hosts.length && { list: names.join(', ') };
    },
    text: 'Sentinels mix names ({{ list }}) and addresses: they may take one node for two.',
    fix: 'Use one form: sentinel resolve-hostnames and announce-hostnames yes on every Sentinel, or addresses everywhere.',
  },
  {
    id: 'down-after-short',
    severity: 'medium',
    rule: 29,
    of: 'nodes',
    needs: ['slowestMs'],
    test: ({ slowestMs, forkMs }, d) => {
      const slow = Math.max(Number(slowestMs), forkMs) / 1000;
      return slow > downAfterSeconds(d) && { slow, downAfter: downAfterSeconds(d) };
    },
    text: 'A command or a fork of {{ where }} took up to {{ slow | s }}, and down-after is {{ downAfter | s }}: a busy primary is replaced, which loses writes.',
    fix: 'Raise down-after-milliseconds above {{ slow | s }}, or find the command with SLOWLOG GET.',
    evidence: { experiment: 'primary-blocked' },
  },
  {
    id: 'tilt',
    severity: 'medium',
    of: 'sentinels',
    test: ({ tilt }) => tilt && {},
    text: '{{ where }} is in TILT: its clock or its process stopped, and for 30 s it takes no part in failovers.',
    fix: 'Look for a machine that is overloaded, or a clock that jumps.',
  },
]);
