/**
 * The disk of the primary, with its append-only file, is full.
 */
import { fill } from '../../src/faults/index.js';
import { aftermath } from '../../src/run/aftermath.js';
import { failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { outcomeFindings } from './findings.js';
import { DECIDING_MODES } from './groups.js';
import { losePrimary } from './primary-lost.js';
import { whyNoPowerLoss } from './primary-power-lost.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

/**
 * With appendfsync always the node ends itself when it cannot write, so the script starts it when there is room again.
 *
 * @type {Fault}
 */
export const fillAndStart = {
  ...fill,
  needs: [...fill.needs, 'kill'],
  async inject(site, id) {
    const start = await site.journal.note({ kind: 'act', id, action: 'start' });
    const free = await fill.inject(site, id);
    return async () => {
      await free();
      await start();
    };
  },
};

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'disk-full',
  question: 'What is lost when the disk with the append-only file of the primary is full?',
  method:
    'The primary has its files on a disk of its own, which is filled. With appendfsync everysec the primary refuses writes; with always it ends itself. The room is given back ' +
    'after a promotion, or after the time that one takes, and a primary that ended starts again. The writers continue until it is demoted.',
  needs: fillAndStart.needs,
  profiles: ['standard', 'full'],
  whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack),
  cases: (options) => failureCases(options, { modes: ['async', 'aof', 'aof-always', ...DECIDING_MODES] }),
  // A primary that only refuses writes may stay the primary: then there is no demotion to wait for.
  script: (scene) => losePrimary(scene, fillAndStart, aftermath),
  findings: (result) => outcomeFindings(result),
  checks: auditChecks,
};
