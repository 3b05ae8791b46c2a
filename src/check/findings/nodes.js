/**
 * Findings about the nodes and their settings: each is data, with one test.
 *
 * @import { FindingRule } from '../judge.js'
 * @import { Deployment, Node } from '../types.js'
 */
import { sum } from '../../stats/statistics.js';
import { cannotBePromoted, directReplicas } from '../predict.js';
import { isKnown } from '../unknown.js';

/** What a replica gains with a snapshot: bytes a second over a usual link, sent, written and loaded. A guess, and named as such. */
const SYNC_BYTES_A_SECOND = 50e6;
/** A shorter restart of a machine is rare. */
const ABSENCE_SECONDS = 60;
const DURABLE = ['appendonly', 'appendfsync', 'save', 'min-replicas-to-write', 'min-replicas-max-lag'];
const CAPACITY = ['maxmemory', 'maxmemory-policy', 'repl-backlog-size', 'client-output-buffer-limit'];

/** @param {Deployment} d @returns {Node[]} those that answered */
const readNodes = ({ nodes }) => nodes.filter(({ why }) => why === null);
/** @param {Node} node @param {Deployment} d */
const isPrimary = ({ id }, { primary }) => id === primary;
/** @param {string} id @param {Deployment} d @returns {boolean} the primary says that this node copies it now */
const getsWrites = (id, { nodes, primary }) => nodes.some((node) => node.id === primary && node.followers.includes(id));

/** @param {Deployment} d @param {readonly string[]} names @returns {string[]} such as `appendonly (yes, no)` */
function differing(d, names) {
  return names.flatMap((name) => {
    const values = [
      ...new Set(
        readNodes(d)
          .map(({ settings }) => settings[name])
          .filter(isKnown),
      ),
    ];
    return values.length > 1 ? [`${name} (${values.map((value) => value || "''").join(', ')})`] : [];
  });
}

/**
 * @param {string} text such as `normal 0 0 0 slave 268435456 67108864 60`
 * @returns {{hard: number, soft: number, seconds: number}} of replicas
 */
function replicaBuffer(text) {
  const [, hard = 0, soft = 0, seconds = 0] = /(?:slave|replica) (\d+) (\d+) (\d+)/.exec(text) ?? [];
  return { hard: Number(hard), soft: Number(soft), seconds: Number(seconds) };
}

/** As measured in the suite of client libraries, with their defaults. */
const STAY = /redis-py|lettuce|ioredis|redis-rb/i;
const POOLED = /go-redis|jedis|redis-py/i;

/** @param {Node} node @param {RegExp} which */
function using({ libraries }, which) {
  const found = Object.entries(libraries).filter(([name]) => which.test(name));
  return (
    found.length > 0 && { list: found.map(([name]) => name).join(', '), count: sum(found.map(([, count]) => count)) }
  );
}

/** @type {readonly FindingRule[]} */
export const NODES = Object.freeze([
  {
    id: 'no-replica',
    severity: 'critical',
    of: 'nodes',
    test: (node, d) => isPrimary(node, d) && directReplicas(d, node).length === 0 && {},
    text: 'The primary {{ where }} has no replica: nothing can take its place.',
    fix: 'Add two replicas on other machines: REPLICAOF on each.',
  },
  {
    id: 'writes-stopped',
    severity: 'critical',
    rule: 13,
    of: 'nodes',
    needs: ['minReplicas'],
    test: (node, d, _, { wait }) => {
      const [needed, there] = [Math.max(wait, Number(node.minReplicas)), directReplicas(d, node).length];
      return isPrimary(node, d) && there < needed && { needed, there };
    },
    text: 'No write is confirmed now: WAIT or min-replicas asks for {{ needed | plural: "replica" }}, and {{ there }} copy the primary.',
    fix: 'Bring replicas back, or lower min-replicas-to-write and WAIT by hand.',
    source: 'arithmetic',
  },
  {
    id: 'wrong-address',
    severity: 'high',
    rule: 10,
    of: 'nodes',
    test: ({ id, why, heard }, d) => why !== null && !heard && getsWrites(id, d) && {},
    text: 'Sentinels and this command get no answer from {{ where }}, and yet the primary sends writes there: no promotion is possible.',
    fix: 'Set replica-announce-ip and replica-announce-port to what Sentinels reach, or open the firewall.',
  },
  {
    id: 'cannot-be-promoted',
    severity: 'high',
    rule: 26,
    of: 'nodes',
    needs: ['hidden'],
    test: (node) =>
      Array.isArray(node.hidden) &&
      cannotBePromoted({ ...node, deniedToSentinel: [] }) && { list: node.hidden.join(', ') },
    text: 'No {{ list }} at {{ where }} (rename-command): Sentinels choose it, and the promotion fails again and again.',
    fix: 'Give every Sentinel the names: SENTINEL SET {{ name }} rename-command, or take rename-command away and use ACLs. Or set replica-priority 0 there.',
  },
  {
    id: 'sentinel-denied',
    severity: 'high',
    rule: 27,
    of: 'nodes',
    needs: ['deniedToSentinel'],
    test: ({ deniedToSentinel }) =>
      Array.isArray(deniedToSentinel) && deniedToSentinel.length > 0 && { list: deniedToSentinel.join(', ') },
    text: 'The Sentinels’ user may not send {{ list }} to {{ where }}, so no promotion succeeds there.',
    fix: 'ACL SETUSER the user of sentinel auth-user: allchannels +multi +exec +slaveof +ping +info +role +publish +subscribe +config|rewrite +client|setname +client|kill +script|kill.',
  },
  {
    id: 'no-priority',
    severity: 'high',
    rule: 19,
    of: 'deployment',
    test: (d) => {
      const replicas = readNodes(d).filter(({ role }) => role === 'replica');
      return replicas.length > 0 && replicas.every(({ priority }) => priority === 0) && {};
    },
    text: 'Every replica has replica-priority 0: no failover can happen.',
    fix: 'CONFIG SET replica-priority 100 on the replicas that may be promoted, then CONFIG REWRITE.',
  },
  {
    id: 'priorities-differ',
    severity: 'medium',
    rule: 18,
    of: 'deployment',
    test: (d) => {
      const values = [
        ...new Set(
          readNodes(d)
            .filter(({ role, priority }) => role === 'replica' && priority > 0)
            .map(({ priority }) => priority),
        ),
      ];
      return values.length > 1 && { list: values.join(', ') };
    },
    text: 'Replicas have different priorities ({{ list }}): the lowest number is promoted, even if it is behind.',
    fix: 'Set the same replica-priority on every replica; 0 only where it must never be promoted.',
    evidence: { experiment: 'stale-replica-preferred' },
  },
  {
    id: 'replica-link-down',
    severity: 'high',
    of: 'nodes',
    test: (node, d) =>
      node.why === null && node.role === 'replica' && !node.linkUp && !isPrimary(node, d) && { follows: node.follows },
    text: 'The link to {{ follows }} is down at {{ where }}: no writes arrive.',
    fix: 'Read its log. A full sync that is cut off again and again needs a larger output buffer on the primary.',
  },
  {
    id: 'replica-behind',
    severity: 'medium',
    of: 'nodes',
    test: ({ lagBytes }, d) => {
      const rate = d.nodes.find(({ id }) => id === d.primary)?.bytesPerSecond;
      const late = lagBytes !== null && typeof rate === 'number' && rate > 0 ? lagBytes / rate : 0;
      return late > 1 && { late, lagBytes };
    },
    text: '{{ where }} is {{ late | s }} behind now ({{ lagBytes | b }}): that much is lost if it is promoted.',
    fix: 'Look for a slow link, a slow disk or a long command there.',
    source: 'arithmetic',
  },
  {
    id: 'replica-away',
    severity: 'medium',
    rule: 7,
    of: 'nodes',
    test: ({ why, heard, id }, d) => why !== null && !heard && id !== d.primary && !getsWrites(id, d) && { why },
    text: 'No answer from {{ where }} ({{ why }}), and Sentinels get none either.',
    fix: 'Start it. If it is gone for good: SENTINEL RESET {{ name }} on each Sentinel, one after the other, 30 s apart.',
  },
  {
    id: 'chained-replica',
    severity: 'medium',
    of: 'nodes',
    test: (node, d) =>
      node.role === 'replica' &&
      node.follows !== d.primary &&
      d.nodes.some(({ id, role }) => id === node.follows && role === 'replica') && { follows: node.follows },
    text: '{{ where }} copies the replica {{ follows }}: it confirms no WAIT, Sentinels do not promote it, and it falls with the other.',
    fix: 'REPLICAOF the primary, unless it is a copy that may be late.',
  },
  {
    id: 'saving-fails',
    severity: 'high',
    of: 'nodes',
    test: ({ saved }) => !saved.ok && {},
    text: 'The last save failed at {{ where }}: the file is old.',
    fix: 'Make room on its disk; its log says why.',
  },
  {
    id: 'no-configuration-file',
    severity: 'medium',
    rule: 28,
    of: 'nodes',
    test: ({ hasFile, why }) => why === null && !hasFile && {},
    text: 'No configuration file at {{ where }}: a restart forgets the role and the settings.',
    fix: 'Start it with a file that it may write.',
  },
  {
    id: 'durability-differs',
    severity: 'medium',
    rule: 17,
    of: 'deployment',
    test: (d) => differing(d, DURABLE).length > 0 && { list: differing(d, DURABLE).join('; ') },
    text: 'Nodes differ in {{ list }}: after a failover other rules hold.',
    fix: 'Give every node the same settings: sentinel-bench configure --set NAME=VALUE.',
    evidence: { experiment: 'settings-on-primary' },
  },
  {
    id: 'capacity-differs',
    severity: 'medium',
    rule: 23,
    of: 'deployment',
    test: (d) => differing(d, CAPACITY).length > 0 && { list: differing(d, CAPACITY).join('; ') },
    text: 'Nodes differ in {{ list }}. A replica ignores its maxmemory until it is promoted; then it evicts or refuses.',
    fix: 'Give every node the same values.',
  },
  {
    id: 'eviction',
    severity: 'medium',
    rule: 24,
    of: 'nodes',
    data: true,
    test: (node, d) =>
      isPrimary(node, d) &&
      node.maxmemory > 0 &&
      node.policy !== 'noeviction' && { policy: node.policy, evicted: node.evicted },
    text: 'maxmemory-policy {{ policy }}: the primary deletes keys when its memory is full ({{ evicted | n }} so far).',
    fix: 'CONFIG SET maxmemory-policy noeviction. If the data can be rebuilt, add --cache.',
  },
  {
    id: 'no-maxmemory',
    severity: 'low',
    rule: 24,
    of: 'nodes',
    test: (node, d) => isPrimary(node, d) && node.maxmemory === 0 && {},
    text: 'No maxmemory: when the memory of the machine is full, the kernel kills the server.',
    fix: 'CONFIG SET maxmemory below the memory of the machine, with room for a fork.',
  },
  {
    id: 'buffer-small',
    severity: 'medium',
    rule: 20,
    of: 'nodes',
    needs: ['settings.client-output-buffer-limit', 'settings.repl-backlog-size'],
    test: (node, d) => {
      const { hard } = replicaBuffer(String(node.settings['client-output-buffer-limit']));
      const rate = isKnown(node.bytesPerSecond) ? node.bytesPerSecond : 0;
      const need = Math.max(Number(node.settings['repl-backlog-size']), rate * (node.dataBytes / SYNC_BYTES_A_SECOND));
      return isPrimary(node, d) && hard > 0 && hard < need && { hard, need };
    },
    text: 'The output buffer for replicas ({{ hard | b }}) is smaller than a full sync needs ({{ need | b }} at the present rate): the sync is cut off again and again.',
    fix: 'CONFIG SET client-output-buffer-limit "replica {{ need | twice }} {{ need | twice }} 60".',
    source: 'arithmetic',
  },
  {
    id: 'backlog-short',
    severity: 'low',
    rule: 21,
    of: 'nodes',
    needs: ['bytesPerSecond'],
    test: (node, d) => {
      const rate = Number(node.bytesPerSecond);
      const lasts = rate > 0 ? node.backlogBytes / rate : Number.POSITIVE_INFINITY;
      return (
        isPrimary(node, d) &&
        lasts < ABSENCE_SECONDS && { lasts, size: node.backlogBytes, rate, need: rate * ABSENCE_SECONDS }
      );
    },
    text: 'The backlog ({{ size | b }}) lasts {{ lasts | s }} at the present rate: a replica that is away longer copies everything.',
    fix: 'CONFIG SET repl-backlog-size {{ need | twice }}.',
    source: 'arithmetic',
  },
  {
    id: 'sync-too-long',
    severity: 'medium',
    rule: 22,
    of: 'nodes',
    needs: ['settings.repl-timeout'],
    test: (node, d) => {
      const takes = node.dataBytes / SYNC_BYTES_A_SECOND;
      return (
        isPrimary(node, d) &&
        takes > Number(node.settings['repl-timeout']) && {
          takes,
          timeout: Number(node.settings['repl-timeout']),
          size: node.dataBytes,
        }
      );
    },
    text: 'A full sync of {{ size | b }} takes about {{ takes | s }} at 50 MB/s, and repl-timeout is {{ timeout | s }}.',
    fix: 'CONFIG SET repl-timeout above it, on every node.',
    source: 'arithmetic',
  },
  {
    id: 'replica-writable',
    severity: 'medium',
    rule: 30,
    of: 'nodes',
    needs: ['settings.replica-read-only'],
    test: ({ settings, role }) => role === 'replica' && settings['replica-read-only'] === 'no' && {},
    text: 'Replicas that take writes: {{ where }}. The next full sync removes these writes.',
    fix: 'CONFIG SET replica-read-only yes.',
  },
  {
    id: 'no-password',
    severity: 'medium',
    rule: 30,
    of: 'nodes',
    needs: ['settings.protected-mode'],
    test: ({ login, settings }) => !login && settings['protected-mode'] === 'no' && {},
    text: 'No password at {{ where }}, and protected-mode is off: whoever reaches a node can empty it.',
    fix: 'Set a password or ACL users; give Sentinels sentinel auth-pass.',
  },
  {
    id: 'old-version',
    severity: 'low',
    of: 'nodes',
    test: ({ server: { name, version } }) => {
      const [major, minor] = version.split('.').map(Number);
      return name === 'redis' && version !== '' && (major < 6 || (major === 6 && minor < 2)) && { version };
    },
    text: 'Redis {{ version }} at {{ where }} gets no corrections.',
    fix: 'Upgrade; docs/upgrade.md says which way loses nothing.',
  },
  {
    id: 'waitaof-early',
    severity: 'low',
    of: 'nodes',
    needs: ['settings.appendfsync'],
    test: ({ server: { name, version }, settings, aof }) =>
      name === 'valkey' && /^[89]\./.test(version) && aof && settings.appendfsync === 'everysec' && { version },
    text: 'Valkey {{ version }} with appendfsync everysec at {{ where }}: WAITAOF confirms before the fsync.',
    fix: 'Use appendfsync always where WAITAOF has to hold.',
  },
  {
    id: 'libraries-stay',
    severity: 'low',
    of: 'nodes',
    needs: ['libraries'],
    test: (node, d) => isPrimary(node, d) && using(node, STAY),
    text: '{{ count | plural: "connection" }} of {{ list }}: by default they stay with a replaced primary for about 11 s, and what it confirms then is lost.',
    fix: 'Use a client of examples/, which leaves at +switch-master.',
  },
  {
    id: 'wait-elsewhere',
    severity: 'medium',
    of: 'nodes',
    needs: ['libraries'],
    waits: true,
    test: (node, d) => isPrimary(node, d) && using(node, POOLED),
    text: '{{ count | plural: "connection" }} of {{ list }}, which by default send WAIT on any connection of their pool: it counts other writes.',
    fix: 'Use a client of examples/, which sends the write and its WAIT on one connection, and reads the count.',
  },
]);
