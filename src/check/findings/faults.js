/**
 * Findings about faults: what a prediction means for people. Each is data, with one test of a prediction.
 *
 * @import { FindingRule } from '../judge.js'
 * @import { Prediction } from '../types.js'
 */

/** Less is what any asynchronous system loses. */
const LITTLE_SECONDS = 2;

/** @param {Prediction} prediction */
const lost = ({ loss }) =>
  loss.kind === 'seconds' ? loss.seconds : loss.kind === 'all' ? Number.POSITIVE_INFINITY : 0;
/** @param {Prediction} prediction @returns {'high' | 'low'} */
const bySeconds = (prediction) => (lost(prediction) > LITTLE_SECONDS ? 'high' : 'low');

const USE_WAIT =
  'Let writers send WAIT {{ replicas }} and read the count; min-replicas-to-write 1 with max-lag 10 bounds it for those that do not.';

/** @type {readonly FindingRule[]} */
export const FAULTS = Object.freeze([
  {
    id: 'restart-empties',
    severity: 'critical',
    rule: 15,
    of: 'predictions',
    test: ({ fault, loss }) => fault.kind === 'restart' && loss.kind === 'all' && {},
    text: 'ALL keys ({{ keys | n }} now) are lost if the primary restarts within {{ downAfter | s }} of a crash: it keeps no file, and the replicas copy its empty data set. WAIT does not help.',
    fix: 'CONFIG SET appendonly yes on every node, then CONFIG REWRITE. Or forbid the supervisor to restart it.',
    price: 'append-only-file',
  },
  {
    id: 'restart-loses-changes',
    severity: 'high',
    rule: 16,
    of: 'predictions',
    test: ({ fault, loss }) => fault.kind === 'restart' && loss.kind === 'changes' && { changes: loss.count },
    text: '{{ changes | n }} changes since the last snapshot would be gone now if the primary restarted within {{ downAfter | s }}, WAIT or not.',
    fix: 'CONFIG SET appendonly yes on every node, then CONFIG REWRITE.',
    price: 'append-only-file',
    source: 'arithmetic',
  },
  {
    id: 'no-failover',
    severity: 'high',
    rule: 5,
    of: 'predictions',
    test: ({ fault, promotes, because }, d) =>
      fault.kind === 'machine-lost' && hasPrimary(fault, d) && !promotes && { because },
    text: 'Without the machine {{ fault }} nobody is promoted ({{ because | reason }}): writes stop until somebody acts.',
    fix: '{{ because | remedy }}',
  },
  {
    id: 'no-planned-failover',
    severity: 'high',
    of: 'predictions',
    test: ({ fault, promotes, because }) => fault.kind === 'planned' && !promotes && { because },
    text: 'A failover cannot happen now: {{ because | reason }}.',
    fix: '{{ because | remedy }}',
  },
  {
    id: 'cut-loses',
    severity: bySeconds,
    rule: 12,
    of: 'predictions',
    test: (prediction, d, all) => {
      const losing = all.filter((each) => each.fault.kind === 'cut' && lost(each) > 0);
      const near = Math.max(0, ...losing.map(({ confirming = 0 }) => confirming));
      const isBad = near + 1 > d.nodes.length / 2;
      return losing.includes(prediction) && { loses: lost(prediction), needed: near + 1, bad: isBad ? 'yes' : 'no' };
    },
    text: '{{ loses | s }} of confirmed writes are lost if {{ fault }} cannot reach the rest for {{ seconds | s }}: {{ chosen }} is promoted there, and the old primary goes on.',
    fix: '{% if bad == "yes" %}Put one Sentinel beside each node, and none elsewhere. {% endif %}Let writers send WAIT {{ needed }} and read the count; min-replicas-to-write 1 bounds what the others lose.',
    price: 'wait',
  },
  {
    id: 'hang-loses',
    severity: bySeconds,
    of: 'predictions',
    test: (prediction) => prediction.fault.kind === 'frozen' && lost(prediction) > 0 && { loses: lost(prediction) },
    text: 'Up to {{ loses | s }} of confirmed writes are lost if the primary hangs longer than {{ downAfter | s }} and comes back.',
    fix: USE_WAIT,
    price: 'wait',
  },
  {
    id: 'planned-loses',
    severity: bySeconds,
    of: 'predictions',
    test: (prediction) => prediction.fault.kind === 'planned' && lost(prediction) > 0 && { loses: lost(prediction) },
    text: 'About {{ loses | s }} of confirmed writes are lost in a bare SENTINEL FAILOVER.',
    fix: 'Fail over with examples/planned-failover.sh: it lost nothing, and stops writes for 1 to 2 s.',
  },
  {
    id: 'machine-loses',
    severity: bySeconds,
    of: 'predictions',
    test: (prediction, d) =>
      prediction.fault.kind === 'machine-lost' &&
      prediction.promotes &&
      hasPrimary(prediction.fault, d) &&
      lost(prediction) > 0 && { loses: lost(prediction) },
    text: 'Up to {{ loses | s }} of confirmed writes are lost if the machine {{ fault }} dies: {{ chosen }} does not have them.',
    fix: USE_WAIT,
    price: 'wait',
  },
  {
    id: 'power-loses',
    severity: 'inherent',
    rule: 16,
    of: 'predictions',
    test: (prediction) =>
      prediction.fault.kind === 'power' && prediction.loss.kind === 'seconds' && { loses: lost(prediction), fsync: '' },
    text: 'Up to {{ loses | s }} of writes are lost if every machine loses power at once, WAIT or not.',
    fix: 'CONFIG SET appendfsync always on every node, if that matters.',
    price: 'fsync-always',
  },
  {
    id: 'stops-without-replica',
    severity: 'inherent',
    of: 'predictions',
    test: ({ fault, stops, because }) =>
      stops === 'until-back' && because === 'too-few-replicas' && fault.kind !== 'power' && {},
    text: 'No write is confirmed while {{ fault }} is away: WAIT or min-replicas asks for every replica.',
    fix: 'That is the price of losing nothing. With one more replica one may be away; WAIT has to stay at that number.',
  },
  {
    id: 'stops-after-failover',
    severity: 'inherent',
    of: 'predictions',
    test: ({ fault, stops, promotes }, d) => stops === 'until-back' && promotes && hasPrimary(fault, d) && {},
    text: 'After a failover no write is confirmed until {{ fault }} is back: too few replicas are left.',
    fix: 'That is the price of losing nothing. Bring the machine back, or lower WAIT and min-replicas by hand.',
  },
]);

/** @param {import('../types.js').PredictedFault} fault @param {import('../types.js').Deployment} d */
function hasPrimary({ machines }, { nodes, primary }) {
  return machines.includes(nodes.find(({ id }) => id === primary)?.machine ?? '');
}
