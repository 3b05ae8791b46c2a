/**
 * One command, such as KEYS on many keys or a slow script, keeps the primary busy for longer than down-after.
 */
import { happened } from '../../src/audit/judgement.js';
import { BUSY_AFTER_MS } from '../../src/faults/blocking-command.js';
import { blockingCommand } from '../../src/faults/index.js';
import { finding } from '../../src/report/findings.js';
import { plural } from '../../src/report/format.js';
import { aftermath } from '../../src/run/aftermath.js';
import { failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { lengthFindings } from './findings.js';
import { DECIDING_MODES, GROUP_MODES } from './groups.js';
import { lengthBeyond, lengthMs } from './lengths.js';

/**
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 */

/** A job that begins again soon after it has ended. */
const AGAIN = 'again';
const TIMES = 3;
const BETWEEN_SECONDS = 1;
const AGAIN_BEYOND_MS = 500;

/** A single script, so long that a Sentinel which has called the primary down hears BUSY and sends SCRIPT KILL. */
const LUA = 'lua';
const LUA_BEYOND_MS = 2000;

/** Beyond down-after. The first one ends while the Sentinels fail over. */
const QUICK_MS = [1000];
const BEYOND_MS = [500, 1000, 2000, 4000];

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'primary-blocked',
  question: 'What is lost when one command blocks the primary for longer than down-after?',
  method:
    'The primary executes one command for longer than down-after (DEBUG SLEEP, or scripts where the server refuses it), so it answers neither clients nor ' +
    `Sentinels and replicates nothing. In the variant “again and again” ${TIMES} such commands come ${BETWEEN_SECONDS} s apart. In “a Lua script” it is a single script, ` +
    `${LUA_BEYOND_MS / 1000} s longer than down-after and than the ${BUSY_AFTER_MS / 1000} s after which a server answers others with BUSY. The writers continue until ` +
    'the old primary is demoted, if a replica was promoted.',
  needs: ['blocking-command'],
  cases: casesOf,
  async script(scene, { params: { variant } }) {
    const { primary, profile, downAfterMs, inject, write } = scene;
    const script = variant === LUA;
    const ms = script
      ? Math.max(downAfterMs, BUSY_AFTER_MS) + LUA_BEYOND_MS
      : (lengthMs(variant, downAfterMs) ?? downAfterMs + AGAIN_BEYOND_MS);
    await write(profile.healthySeconds);
    for (let time = 1; time <= (variant === AGAIN ? TIMES : 1); time++) {
      if (time > 1) await write(BETWEEN_SECONDS);
      const over = await inject(blockingCommand(ms, { script }), primary.id);
      await write(ms / 1000);
      await over();
    }
    if (script) await markKilled(scene);
    await aftermath(scene);
  },
  findings: (result) => [...lengthFindings(result), ...killedFindings(result)],
  checks: auditChecks,
};

/**
 * @param {CaseOptions} options
 * @returns {Case[]}
 */
function casesOf(options) {
  if (options.profile.name === 'quick')
    return QUICK_MS.flatMap((ms) => failureCases(options, { modes: DECIDING_MODES, variant: lengthBeyond(ms) }));
  return [
    ...BEYOND_MS.flatMap((ms) => failureCases(options, { modes: GROUP_MODES, variant: lengthBeyond(ms) })),
    ...[AGAIN, LUA].flatMap((variant) => failureCases(options, { modes: GROUP_MODES, variant })),
  ];
}

/**
 * Servers before Redis 7 do not count it.
 *
 * @param {Pick<Scene, 'primary' | 'info' | 'mark'>} scene
 */
async function markKilled({ primary, info, mark }) {
  if ('cmdstat_script|kill' in (await info(primary.id, 'commandstats'))) mark('script-killed', primary.id);
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no script ran
 */
function killedFindings({ cases, timeline = [] }) {
  const scripts = cases.filter(({ params }) => params.variant === LUA);
  const trials = timeline.filter((trial) => scripts.some(({ id }) => id === trial.case));
  if (trials.length === 0) return [];
  const killed = trials.filter((trial) => happened(trial, 'script-killed')).length;
  return [
    finding(
      'script-killed',
      `Sentinels sent SCRIPT KILL to the primary in ${killed} of ${plural(trials.length, 'trial')} with a Lua script`,
      scripts,
    ),
  ];
}
