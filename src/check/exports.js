/**
 * The verdict for Prometheus: OpenMetrics.
 *
 * @import { Judgement } from './judge.js'
 */
import { familyLines } from '../result/openmetrics.js';
import { SEVERITIES } from './judge.js';

/** @param {readonly Judgement[]} judgements @returns {string} */
export function openMetricsVerdict(judgements) {
  const each = (/** @type {(one: Judgement, labels: {master: string}) => any[]} */ make) =>
    judgements.flatMap((one) => make(one, { master: one.deployment.masterName }));
  const lines = familyLines(
    [
      {
        name: 'check_finding',
        type: 'gauge',
        help: 'Findings of sentinel-bench check; 1: open, 0: accepted.',
        samples: each(({ findings }, labels) =>
          findings.map(({ id, severity, accepted }) => ({
            labels: { ...labels, finding: id, severity },
            value: accepted ? 0 : 1,
          })),
        ),
      },
      {
        name: 'check_findings',
        type: 'gauge',
        help: 'Open findings by severity.',
        samples: each(({ findings }, labels) =>
          SEVERITIES.map((severity) => ({
            labels: { ...labels, severity },
            value: findings.filter((found) => found.severity === severity && found.accepted === null).length,
          })),
        ),
      },
      {
        name: 'check_loss_seconds',
        type: 'gauge',
        unit: 'seconds',
        help: 'Confirmed writes that a fault would take; +Inf: all.',
        samples: each(({ findings }, labels) =>
          findings
            .filter(({ loses }) => loses > 0)
            .map(({ id, loses }) => ({ labels: { ...labels, finding: id }, value: loses })),
        ),
      },
      {
        name: 'check_unknowns',
        type: 'gauge',
        help: 'Reasons why something could not be told.',
        samples: each(({ unknowns }, labels) => [{ labels, value: unknowns.length }]),
      },
    ],
    null,
  );
  return [...lines].join('');
}
