/**
 * Asking the Sentinels who is the primary, as Redis's guidelines for clients have it
 * (https://redis.io/docs/latest/develop/reference/sentinel-clients/): one after the other until one answers.
 */
import { sameAddress } from '../../stacks/address.js';
import { connectControl, loginFor } from '../../stacks/redis/control.js';

/**
 * @import { Target } from '../../clients/types.js'
 * @import { TrialPlan } from '../trial-types.js'
 */

/** A Sentinel that answers at all answers within this; a stopped one must not hold up the question. */
const ANSWER_MS = 300;

/**
 * @typedef {Pick<TrialPlan, 'sentinels' | 'nodes' | 'masterName' | 'credentials'>} Stack
 */

/**
 * @param {Stack} stack
 * @returns {() => Promise<number>} asks; resolves to the primary's number, counted from 1, or 0 when no Sentinel knows it. Never
 *   rejects. Who answered last is asked first. Where there are no Sentinels at all it is the first node, always
 */
export function primaryFinder({ sentinels, nodes, masterName, credentials }) {
  const order = [...sentinels];
  const login = loginFor(credentials, 'sentinel');

  /** @param {Target} sentinel */
  async function ask(sentinel) {
    const control = await connectControl(sentinel, login, { timeoutMs: ANSWER_MS });
    try {
      const reply = await control.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
      if (!Array.isArray(reply)) return 0;
      const address = { host: String(reply[0]), port: Number(reply[1]) };
      return nodes.findIndex(({ announced }) => sameAddress(announced, address)) + 1;
    } finally {
      control.close();
    }
  }

  return async () => {
    if (order.length === 0) return 1;
    for (const sentinel of [...order]) {
      const node = await ask(sentinel).catch(() => 0);
      if (node === 0) continue;
      order.splice(order.indexOf(sentinel), 1);
      order.unshift(sentinel);
      return node;
    }
    return 0;
  };
}
