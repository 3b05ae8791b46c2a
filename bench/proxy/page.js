/**
 * The front page: what clients behind HAProxy lost, beside clients that follow the Sentinels.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { FrontPage } from '../../src/run/types.js'
 */

import { writerTitle } from '../../src/registry/writers.js';
import { heading, table, text } from '../../src/report/blocks.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { openRisk, worstLoss } from '../../src/report/trials/losses.js';
import { rowsOfWriter, WRITERS } from './behind-haproxy.js';

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function proxyPage({ benchmarks }) {
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const byWriter = WRITERS.map((writer) => measured.flatMap((benchmark) => rowsOfWriter(benchmark, writer)));
  const [proxied] = byWriter;
  const losses = byWriter.flat().map(({ loss }) => loss);
  return {
    answer: measured.flatMap(({ findings }) => findings.map((each) => `${each.text}.`)),
    evidence:
      proxied.length === 0
        ? []
        : [
            heading(2, 'Losses'),
            text(
              'Acknowledged writes lost in the worst trial (seconds of writes), and the longest time without an acknowledgement.',
            ),
            table(
              ['mode', ...WRITERS.flatMap((writer) => [`${writerTitle(writer)}: lost`, 'outage'])],
              proxied.map(({ mode }) => [
                mode,
                ...byWriter.flatMap((rows) => {
                  const row = rows.find((each) => each.mode === mode);
                  return row ? [worstLoss(row.loss), milliseconds(row.outage.medianMs)] : [NOT_MEASURED, NOT_MEASURED];
                }),
              ]),
            ),
          ],
    actions: proxied.some(({ loss }) => loss.most > 0)
      ? [
          text(
            'The check `role:master` holds for both primaries of a partition, and HAProxy keeps the connections to the old one. Connect clients by Sentinel, and move ' +
              'at `+switch-master`; or bound the loss: with `min-replicas-to-write`, the old primary stops accepting writes by itself.',
          ),
        ]
      : [],
    limits: [
      ...(losses.length === 0 ? [] : [openRisk(losses)]),
      'HAProxy and its clients are on one side, and reach every node. A proxy that is partitioned along with a node was not tested.',
    ],
    covers: measured.map(({ name }) => name),
  };
}
