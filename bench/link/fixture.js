/** For live tests of this suite. */
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { randomFrom } from '../../src/stats/random.js';

/**
 * A primary and its replicas, without Sentinels.
 * @param {Record<string, string>} [settings] of all
 * @param {{replicas?: number, seconds?: number}} [options] seconds: of a round
 */
export function openPair(settings, { replicas = 1, seconds = 4 } = {}) {
  const profile = { ...PROFILES.quick, rounds: 1, seconds, warmUpSeconds: 0 };
  return openStageStack(
    { backend: 'local', settings },
    {
      replicas,
      withoutSentinels: true,
      run: { profile, random: randomFrom(1), signal: new AbortController().signal },
    },
  );
}
