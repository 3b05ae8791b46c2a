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
import behindHaproxy, { HAPROXY } from './behind-haproxy.js';
import { FOLLOWER, rowsOfWriter } from './compare.js';
import { VIRTUAL_IP, virtualIpFailover, virtualIpPartition } from './virtual-ip.js';

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
export function proxyPage({ benchmarks }) {
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const rows = measured.flatMap(comparedRows);
  const losses = rows.flatMap(({ through, follower }) => [through.loss, follower.loss]);
  return {
    answer: measured.flatMap(({ name, findings }) =>
      findings.map((each) => `${WAYS.get(name)?.title ?? name}: ${each.text}.`),
    ),
    evidence:
      rows.length === 0
        ? []
        : [
            heading(2, 'Losses'),
            text(
              'Acknowledged writes lost in the worst trial (seconds of writes), and the longest time without an acknowledgement.',
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
      ...(rows.some(({ writer }) => writer === VIRTUAL_IP)
        ? ['With a virtual IP, each node is on a host made of a network namespace of this machine.']
        : []),
      'Clients reach every node in a partition. A proxy or clients that are partitioned along with a node were not tested.',
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
    return follower ? { title: String(title), writer, through, follower } : [];
  });
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
            'HAProxy: the check `role:master` holds for both primaries of a partition, and HAProxy keeps the connections to the old one. Connect clients by Sentinel, and move ' +
              'at `+switch-master`; or bound the loss: with `min-replicas-to-write`, the old primary stops accepting writes by itself.',
          ),
        ]
      : []),
    ...(lostByVirtualIp
      ? [
          text(
            'Virtual IP: the address moves after the promotion. Until then clients write to the old primary, as clients do that follow the Sentinels. Hand over by ' +
              '`examples/planned-failover.sh` instead of SENTINEL FAILOVER.',
          ),
        ]
      : []),
    ...(hung
      ? [
          text(
            'Virtual IP: a client that waits for an answer while the address moves gets none, and its connection stays open. Give commands a time limit, and close the ' +
              'connection when it ends.',
          ),
        ]
      : []),
  ];
}
