/** For live tests of this suite. */
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { randomFrom } from '../../src/stats/random.js';

/**
 * A primary with one replica, without Sentinels, for rounds of four seconds.
 *
 * @param {Record<string, string>} [settings] of both
 * @param {'local' | 'docker'} [backend]
 */
export function openPair(settings, backend = 'local') {
  return openStageStack(
    { backend, settings },
    {
      replicas: 1,
      withoutSentinels: true,
      run: {
        profile: { ...PROFILES.quick, seconds: 4, warmUpSeconds: 0 },
        random: randomFrom(1),
        signal: new AbortController().signal,
      },
    },
  );
}
