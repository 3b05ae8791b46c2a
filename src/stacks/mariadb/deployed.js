/**
 * MariaDB nodes that agents started on their machines. The agents inject faults, and rebuild a node.
 */
import { badInput, UserError } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { nodeOf } from '../ask.js';
import { combineFaults } from '../fault-providers.js';
import { answers } from '../probe.js';
import { connectControl } from './control.js';
import { MARIADB } from './dialect.js';
import { mariadbStack } from './stack.js';
import { literal } from './system.js';

/**
 * @import { Ability, Action, Stack, StackOptions } from '../types.js'
 */

const WHY = 'Agents started the nodes on their machines.';
/** No failure of MariaDB slows links. @type {readonly Ability[]} */
const LINKS = ['narrow-link', 'slow-link'];
/** After a crash on a busy machine. */
const ANSWER_DEADLINE_MS = 60_000;
const ATTEMPT_MS = 500;
const STATEMENT_MS = 5000;

/**
 * @param {StackOptions & Required<Pick<StackOptions, 'deployed'>>} options
 * @returns {Promise<Stack>} the nodes answer; `heal` gives them their roles
 */
export async function attachMariadb({ deployed, credentials = {}, faults: openFaults, tell = () => {} }) {
  const { nodes, identity, server } = deployed;
  const faults = combineFaults(openFaults ? [await openFaults(nodes, tell)] : [], refuse);
  /** What was set meanwhile: a node that starts again has the configuration of its first start. @type {Map<string, Record<string, string>>} */
  const kept = new Map();

  /** @param {string} id */
  async function untilAnswers(id) {
    const { address } = nodeOf({ nodes }, id);
    const isUp = () => answers(() => connectControl(address, credentials, { timeoutMs: ATTEMPT_MS }));
    if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS })) return;
    throw new UserError(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s.`, 'Look at its machine.');
  }

  /** @param {string} id of a node that was started again */
  async function setAgain(id) {
    await untilAnswers(id);
    const control = await connectControl(nodeOf({ nodes }, id).address, credentials, { timeoutMs: STATEMENT_MS });
    try {
      for (const [name, value] of Object.entries(kept.get(id) ?? {}))
        await control.call(`SET GLOBAL ${MARIADB.toServer(name)} = ${literal(value)}`);
    } finally {
      control.close();
    }
  }

  /** @param {string} id @param {Action} action */
  async function act(id, action) {
    await faults.act(id, action);
    if (action === 'start') await setAgain(id);
  }

  const stack = mariadbStack({
    backend: 'external',
    identity,
    why: WHY,
    server,
    path: 'as announced',
    credentials,
    nodes,
    dialect: MARIADB,
    can: new Set([...faults.abilities.filter((each) => !LINKS.includes(each)), ...deployed.can, 'configure']),
    link: (_from, to) => nodeOf({ nodes }, to).announced,
    keep(id, name, value) {
      kept.set(id, { ...kept.get(id), [name]: value });
    },
    async rebuild(id) {
      await deployed.rebuild(id);
      await setAgain(id);
    },
    // Nobody asks what the processes of these machines use.
    processInfo: () => ({}),
    act,
    slow: async () => refuse('slow the links of'),
    async revive() {
      await faults.undo();
      await Promise.all(nodes.map(({ id }) => untilAnswers(id)));
    },
    stats: async () => refuse('read the resource use of'),
    logs: async () => refuse('read the logs of'),
    down: async () => refuse('take down'),
  });
  return {
    ...stack,
    ours: false,
    endsWithRun: true,
    ...(faults.network && { network: faults.network }),
    ...(faults.lost && { faultsLost: faults.lost }),
    close: async () => {},
  };
}

/**
 * @param {string} what
 * @returns {never}
 */
function refuse(what) {
  throw badInput(`Agents cannot ${what} MariaDB nodes.`, 'Use --backend local or docker.');
}
