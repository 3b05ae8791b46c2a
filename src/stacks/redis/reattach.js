import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { placeOf } from '../../faults/journal.js';
import { PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../../untrusted.js';
import { UNDOING_ACTIONS, undoneBy } from '../actions.js';
import { listStacks, runningNodes } from '../hosts/local/record.js';
import { problem } from '../texts.js';
import { openCommands } from './external/commands.js';
import { attachExternal, attachNode } from './external/index.js';
import { attachLocal } from './local/index.js';
import { reattachMachine } from './machine/machine.js';
import { openMembers } from './members.js';

/** Attaches again to the stack of a dead process's journal. */
/** @import { AttachedDeployment, Header, Pending } from '../../faults/journal-file.js' */
/** @import { Stack, Credentials } from '../types.js' */

const READY_DEADLINE_MS = 60_000;

/**
 * @param {{header: Header, pending: Pending[]}} content of a dead process's journal; stacks that it had started for itself are down by now
 * @param {{credentials: Credentials, tell: (line: string) => void}} options credentials: passwords and the TLS key, which no journal has
 * @returns {Promise<Stack | null>} null: it is gone @throws {UserError} it cannot be reached, or it is unknown whether it is gone
 */
export async function reattach({ header, pending }, options) {
  if (header.machine) return reattachMachine(header.machine, pending);
  if (header.deployment?.endsWithRun) return null;
  if (header.deployment) return attachDeployment(header, header.deployment, pending, options);
  const { backend, identity } = header;
  checkPlace(header);
  const stack = backend === 'docker' ? await (await import('./docker/index.js')).attachDocker() : await attachLocal();
  if (stack?.about.identity === identity) return stack;
  await stack?.close();
  if (backend === 'docker') await checkProjectGone(identity);
  else if (listStacks().some((each) => basename(each.folder) === identity && runningNodes(each).length > 0))
    throw problem('another-local-stack');
  return null;
}

/** A stack that is not found may still exist in another place. @param {Header} header */
function checkPlace({ backend, place }) {
  if (place === placeOf(backend)) return;
  if (backend === 'local' && !existsSync(place)) return;
  const variable = backend === 'local' ? 'TMPDIR' : 'DOCKER_HOST';
  throw place === '' ? problem('started-without', { variable }) : problem('started-with', { variable, place });
}

async function checkProjectGone(/** @type {string} */ project) {
  const [{ openEngine }, { whatIsLeft }] = await Promise.all([
    import('../hosts/docker/engine.js'),
    import('../hosts/docker/project.js'),
  ]);
  const left = await whatIsLeft(await openEngine(), project);
  if (left.length === 0) return;
  throw problem('part-of-stack', { left, project });
}

/**
 * Its nodes have the ids of that time, even if another is the primary now. @param {Header} header @param {AttachedDeployment} deployment
 * @param {Pending[]} pending @param {Parameters<typeof reattach>[1]} options @returns {Promise<Stack>}
 */
async function attachDeployment({ identity }, deployment, pending, { credentials, tell }) {
  const { masterName, nodes, keyPrefix, commands = {} } = deployment;
  const given = login(deployment, credentials);
  const sentinels = nodes.flatMap(({ kind, address }) => (kind === 'sentinel' ? address : []));
  if (sentinels.length === 0) {
    const { stack, control } = await attachNode(nodes[0].address, given, keyPrefix);
    control.close();
    return stack;
  }
  // The Sentinels do not report a node that is down, but the commands can still reach it.
  const { act, network } = openCommands(nodes, commands);
  const attach = () => attachExternal({ sentinels, masterName, credentials: given, keyPrefix, tell });
  const stack = await attach().catch(async (error) => {
    const able = pending.flatMap(({ step }) => (step.kind === 'act' && commands[step.action] ? [step] : []));
    const isDivided = network !== undefined && pending.some(({ step }) => step.kind === 'network');
    if (able.length === 0 && !isDivided) throw error;
    // Without its primary or its Sentinels, the deployment cannot be asked.
    if (isDivided) await network.join();
    for (const { id, action } of able.reverse()) await act(id, action);
    return attach();
  });
  if (stack?.about.identity !== identity) {
    await stack?.close();
    throw problem('other-sentinels', { masterName });
  }
  const undoable = UNDOING_ACTIONS.flatMap((action) => (commands[action] ? undoneBy(action) : []));
  const members = openMembers(nodes, { masterName, credentials: stack.access.credentials });
  return {
    ...stack,
    nodes,
    can: new Set([...stack.can, ...undoable]),
    database: { ...stack.database, observe: members.observer.snapshot },
    host: { ...stack.host, act },
    network: { ...stack.network, groups: network ?? stack.network.groups },
    heal: async () => void (await members.ready({ deadlineMs: READY_DEADLINE_MS })),
    async close() {
      members.close();
      await stack.close();
    },
  };
}

/** @param {AttachedDeployment} deployment @param {Credentials} given @returns {Credentials} */
function login({ username, sentinelUsername, tls, ...needs }, { password, sentinelPassword, tls: givenTls }) {
  const variables = [
    ...(needs.password && password === undefined ? [PASSWORD_VARIABLE] : []),
    ...(needs.sentinelPassword && sentinelPassword === undefined ? [SENTINEL_PASSWORD_VARIABLE] : []),
  ];
  if (variables.length > 0) throw problem('password-needed', { variables: variables.join(' and ') });
  if (tls?.clientCertificate && givenTls?.key === undefined) throw problem('certificate-needed');
  const { clientCertificate: _, ...server } = tls ?? { clientCertificate: false };
  return {
    username,
    sentinelUsername,
    password: needs.password ? password : undefined,
    sentinelPassword: needs.sentinelPassword ? sentinelPassword : undefined,
    ...(tls && { tls: { ...server, ...(tls.clientCertificate && { cert: givenTls?.cert, key: givenTls?.key }) } }),
  };
}
