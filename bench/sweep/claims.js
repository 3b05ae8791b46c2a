/**
 * Examines the claim about min-replicas, WAIT and a pipeline together, which only the sweep measures.
 *
 * @import { Claim } from '../../src/report/articles.js'
 */
import { judge, nearShare, pairedRatioOf } from '../../src/report/articles.js';
import { costOf } from '../../src/report/columns.js';
import { interval, percent } from '../../src/report/format.js';
import { examination, nodesDiffer } from '../claims/index.js';

/** Pipeline depth of the article's figure. */
const DEPTH = 100;
/** Their throughput with WAIT 1, as a share of that without. */
const THEIRS = 392_149 / 474_328;

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  examination('synchronous.together-cost', {
    benchmark: 'sweep-healthy',
    differs: 'native client; 64 B; the baseline has no min-replicas (theirs has)',
    examine({ cases }, run) {
      const [base, one] = ['async', 'wait1-min1'].map((mode) =>
        cases.find(
          ({ params }) =>
            params.mode === mode &&
            params.pipeline === DEPTH &&
            (params.wait === 0 || params.waitMode === 'sequential'),
        ),
      );
      if (!base || !one) return null;
      const claimed = nearShare(THEIRS);
      return judge(
        pairedRatioOf(one, base, ({ throughput }) => throughput),
        claimed,
        {
          text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}`,
          unit: percent,
          limits: { least: 1 - claimed.most, most: 1 - claimed.least },
          cases: [base, one],
          differs: nodesDiffer(run),
        },
      );
    },
  }),
]);
