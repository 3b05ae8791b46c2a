/**
 * The front page: what clients behind HAProxy and by virtual IP lost, beside clients that follow the Sentinels.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { FrontPage } from '../../src/run/types.js'
 */

import { heading, table, text } from '../../src/report/blocks.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { busyText } from '../pages/busy.js';
import { FOLLOWER, rowsOfWriter } from './compare.js';
import { behindHaproxy, HAPROXY, VIRTUAL_IP, virtualIpFailover, virtualIpPartition } from './scenarios.js';

/** By benchmark: what the clients go through, and what happens; the writer of these clients. */
const WAYS = new Map([
  [behindHaproxy.name, { title: behindHaproxy.title, writer: HAPROXY }],
  [virtualIpPartition.name, { title: virtualIpPartition.title, writer: VIRTUAL_IP }],
  [virtualIpFailover.name, { title: virtualIpFailover.title, writer: VIRTUAL_IP }],
]);

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function proxyPage(result) {
  const { benchmarks } = result;
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const rows = measured.flatMap(comparedRows);
  const losses = rows.flatMap(({ through, follower }) => [through.loss, follower.loss]);
  return {
    answer: measured.flatMap(({ name }) => {
      const own = rows.filter((row) => row.name === name);
      const sentences = [false, true].flatMap((waits) =>
        worstText(
          own.filter(({ through }) => through.one.params.wait > 0 === waits),
          waits,
        ),
      );
      return sentences.length === 0 ? [] : [`${WAYS.get(name)?.title ?? name}: ${sentences.join(' ')}`];
    }),
    evidence:
      rows.length === 0
        ? []
        : [
            heading(2, 'Losses'),
            text(
              'Acknowledged writes lost in the worst trial (seconds of writes), trials with a loss/trials, and the longest time without an acknowledgement of any of the clients; a short one ' +
                'beside a loss is no good sign. To the end: until the load ended. Failover-aware: in the same trials clients that ask the Sentinels, and move at `+switch-master`.',
            ),
            table(
              ['clients and failure', 'mode', 'lost', 'outage', 'failover-aware: lost', 'outage'],
              rows.map(({ title, through, follower }) => [
                title,
                through.mode,
                ...[through, follower].flatMap(({ loss, outage }) => [worstLoss(loss), milliseconds(outage.medianMs)]),
              ]),
            ),
          ],
    actions: adviceFor(rows),
    limits: [
      ...(losses.length === 0 ? [] : [openRisk(losses)]),
      ...busyText(result),
      ...(rows.some(({ writer }) => writer === VIRTUAL_IP)
        ? ['With a virtual IP, each node is on a host made of a network namespace of this machine.']
        : []),
      'HAProxy checked once a second, and ended the connections of a node that failed twice. In a partition only nodes and Sentinels are cut off from each other: HAProxy and clients reach every node. ' +
        'The partition ends after the promotion; a longer one loses more. A proxy or clients that are cut off along with a node, and primaries that are killed or frozen, were not tested.',
    ],
    covers: measured.map(({ name }) => name),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns one row a mode in which both kinds of client wrote
 */
function comparedRows(benchmark) {
  const { title, writer } = WAYS.get(benchmark.name) ?? { title: benchmark.name, writer: '' };
  const followers = rowsOfWriter(benchmark, FOLLOWER);
  return rowsOfWriter(benchmark, writer).flatMap((through) => {
    const follower = followers.find(({ mode }) => mode === through.mode);
    return follower ? { name: benchmark.name, title: String(title), writer, through, follower } : [];
  });
}

/**
 * @param {readonly ReturnType<typeof comparedRows>[number][]} rows of a failure, with WAIT or without
 * @param {boolean} waits
 * @returns {string[]} one sentence: what the clients lost at most, and failover-aware clients beside them; empty: not measured
 */
function worstText(rows, waits) {
  if (rows.length === 0) return [];
  const secondsOf = (/** @type {Pick<typeof rows[number]['through'], 'loss'>} */ { loss }) =>
    loss.most === 0 ? 0 : (loss.seconds ?? 0);
  const most = (/** @type {'through' | 'follower'} */ who) => {
    const seconds = Math.max(...rows.map((row) => secondsOf(row[who])));
    return seconds === 0 ? 'none' : milliseconds(seconds * 1000);
  };
  const longest = (/** @type {'through' | 'follower'} */ who) =>
    milliseconds(Math.max(...rows.map((row) => row[who].outage.medianMs)));
  const none = most('through') === 'none' && most('follower') === 'none';
  const lost = none ? 'neither lost any' : `they lost ${most('through')}, failover-aware clients ${most('follower')}`;
  return [
    waits
      ? `With WAIT ${lost}; longest outage ${longest('through')}, of failover-aware clients ${longest('follower')}.`
      : `without WAIT these clients lost up to ${most('through')} of acknowledged writes (failover-aware clients ${most('follower')}).`,
  ];
}

/**
 * @param {readonly ReturnType<typeof comparedRows>[number][]} rows
 * @returns {Block[]}
 */
function adviceFor(rows) {
  const byVirtualIp = rows.filter(({ writer }) => writer === VIRTUAL_IP);
  const lostBehindHaproxy = rows.some(({ writer, through }) => writer === HAPROXY && through.loss.most > 0);
  const lostByVirtualIp = byVirtualIp.some(({ through }) => through.loss.most > 0);
  const hung = byVirtualIp.some(({ through }) => through.outage.toTheEnd > 0);
  return [
    ...(lostBehindHaproxy
      ? [
          text(
            'HAProxy: the check `role:master` passes at both primaries of a partition, so HAProxy keeps the connections to the old one. Connect clients by Sentinel instead, and move at `+switch-master`. ' +
              'If HAProxy has to stay, the rows with WAIT and with min-replicas (on every node, with `min-replicas-max-lag 10`) show what they save and how long writes then stop.',
          ),
        ]
      : []),
    ...(lostByVirtualIp
      ? [
          text(
            'Virtual IP: the address moves after the promotion, so it loses about what clients lose that follow the Sentinels. `examples/planned-failover.sh` instead of SENTINEL FAILOVER makes the old primary ' +
              'hold writes first; with a virtual IP it was not measured. The host that was cut off keeps the address until its Sentinel hears of the failover; clients leave it because the new host announces the address.',
          ),
        ]
      : []),
    ...(hung
      ? [
          text(
            'Virtual IP: clients that waited for an answer while the address moved got none, and their connections stayed open. Set a limit for each command that is longer than its WAIT, and close the ' +
              'connection when the limit is reached. Such a write may have been applied: do not repeat an INCR blindly.',
          ),
        ]
      : []),
  ];
}
