/** The verdict for Prometheus: OpenMetrics. */
/** @import { MetricFamily, MetricSample } from '../result/openmetrics.js' @import { Judgement } from './judge.js' */
import { familyLines } from '../result/openmetrics.js';
import { SEVERITIES } from './judge.js';

/** @param {readonly Judgement[]} judgements @returns {string} */
export function openMetricsVerdict(judgements) {
  /** @type {(name: string, help: string, samplesOf: (one: Judgement) => MetricSample[], unit?: string) => MetricFamily} */
  const gauge = (name, help, samplesOf, unit) => ({
    name: `check_${name}`,
    type: /** @type {const} */ ('gauge'),
    help,
    unit,
    samples: judgements.flatMap((one) =>
      samplesOf(one).map(({ value, labels }) => ({ value, labels: { master: one.deployment.masterName, ...labels } })),
    ),
  });
  const families = [
    gauge('finding', 'Findings of sentinel-bench check; 1: open, 0: accepted.', ({ findings }) =>
      findings.map(({ id, severity, accepted }) => ({ value: accepted ? 0 : 1, labels: { finding: id, severity } })),
    ),
    gauge('findings', 'Open findings by severity.', ({ findings }) =>
      SEVERITIES.map((severity) => ({
        value: findings.filter((found) => found.severity === severity && found.accepted === null).length,
        labels: { severity },
      })),
    ),
    gauge(
      'loss_seconds',
      'Confirmed writes that a fault would take; +Inf: all.',
      ({ findings }) =>
        findings.filter(({ loses }) => loses > 0).map(({ id, loses: value }) => ({ value, labels: { finding: id } })),
      'seconds',
    ),
    gauge('unknowns', 'Reasons why something could not be told.', ({ unknowns }) => [
      { value: unknowns.length, labels: {} },
    ]),
  ];
  return [...familyLines(families, null)].join('');
}
