/**
 * Rounds whose load agents send: what each of them did, and repeating a round that lost one.
 * @import { AgentPart, AgentsLoad } from '../agents/agents-load.js'
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundResult } from '../result/schema.js'
 */
import { messageOf } from '../errors.js';
import { limitedBy } from '../stats/summary.js';

/** @typedef {LoadThread & Partial<Pick<AgentsLoad, 'repeatable'>>} AnyLoad of this machine, or of agents */

/** Rounds of one load, when agents are lost again and again. */
const MOST_TRIES = 3;

/**
 * @param {readonly AgentPart[]} parts @param {boolean} [sustained] the whole load kept its schedule
 * @returns {NonNullable<RoundResult['agents']>}
 */
export function describeParts(parts, sustained) {
  return parts.map(({ sample, skewMs, ...part }) => {
    const { operations, seconds, outcomes, latencyNs, histogram, load } = sample;
    const { cpu, eventLoopUtilization } = load;
    const { machineCpu } = part;
    return {
      ...part,
      operations,
      seconds,
      outcomes,
      latencyNs,
      histogram,
      load: { cpu, eventLoopUtilization },
      limitedBy: limitedBy({ loadCpu: cpu, eventLoopUtilization, primaryMainThreadCpu: null, machineCpu, sustained }),
      startSkewMs: skewMs,
    };
  });
}

/**
 * A round that lost an agent is invalid. It is repeated once the agent is back, and never counts without it.
 * @template T @param {() => Promise<T>} round @param {{load: AnyLoad, tell: (line: string) => void, signal: AbortSignal}} site
 * @returns {Promise<T>}
 */
export async function repeated(round, { load, tell, signal }) {
  for (let tries = 1; ; tries++) {
    try {
      return await round();
    } catch (error) {
      const again = tries < MOST_TRIES && !signal.aborted && load.repeatable?.(error);
      if (!again) throw error;
      tell(`${messageOf(error)} The round is invalid; it is repeated when the agent is back.`);
      await again(signal);
    }
  }
}
