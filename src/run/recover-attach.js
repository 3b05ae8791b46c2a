/**
 * Finding the stack of a dead process's journal again.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { sameAddress } from '../cluster/address.js';
import { attachCluster } from '../cluster/index.js';
import { listStacks, runningNodes } from '../cluster/local-stack.js';
import { UserError } from '../errors.js';
import { placeOf } from '../fault/journal.js';
import { PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './passwords.js';

/**
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 * @typedef {import('../cluster/types.js').Credentials} Credentials
 * @typedef {import('../fault/journal-file.js').Header} Header
 */

/**
 * @param {Header} header of a dead process's journal; what dead processes left of stacks of their own is gone
 * @param {Object} options
 * @param {Credentials} options.credentials what no journal has: passwords, a client's TLS key
 * @param {(line: string) => void} options.tell
 * @returns {Promise<Cluster | null>} the very stack; null: it is gone
 * @throws {UserError} it cannot be reached, or it cannot be told whether it is gone
 */
export async function attachAgain(header, options) {
  if (header.deployment) return attachDeployment(header, header.deployment, options);
  const { backend, identity } = header;
  checkPlace(header);
  const cluster = await attachCluster({ backend });
  if (cluster?.identity === identity) return cluster;
  await cluster?.close();
  if (backend === 'docker') await checkProjectGone(identity);
  else checkStackGone(identity);
  return null;
}

/**
 * A stack that is not found is only gone if it was looked for where it was.
 *
 * @param {Header} header
 */
function checkPlace({ backend, place }) {
  if (place === placeOf(backend)) return;
  if (backend === 'local' && !existsSync(place)) return;
  const variable = backend === 'local' ? 'TMPDIR' : 'DOCKER_HOST';
  throw new UserError(
    place === '' ? `Its stack was started without ${variable}.` : `Its stack was started with ${variable}=${place}.`,
    place === '' ? `Unset ${variable}` : `Set ${variable} to that`,
  );
}

/** @param {string} project */
async function checkProjectGone(project) {
  // Loaded when asked for, as everywhere: it takes its time.
  const [{ openEngine }, { whatIsLeft }] = await Promise.all([
    import('../cluster/docker-engine.js'),
    import('../cluster/docker-project.js'),
  ]);
  // Without an engine there is no telling: this rejects.
  const left = await whatIsLeft(await openEngine(), project);
  if (left.length === 0) return;
  throw new UserError(
    `Of its stack there is ${left.join(', ')}, which is not the whole stack of this project.`,
    `Set COMPOSE_PROJECT_NAME=${project}, or take it down with \`docker compose --project-name ${project} down --volumes\``,
  );
}

/** @param {string} name of a stack's folder */
function checkStackGone(name) {
  if (!listStacks().some((stack) => basename(stack.folder) === name && runningNodes(stack).length > 0)) return;
  throw new UserError('Another local stack is up besides its own.', 'Take that down with `sentinel-bench down`');
}

/**
 * @param {Header} header
 * @param {import('../fault/journal-file.js').Deployment} deployment
 * @param {{credentials: Credentials, tell: (line: string) => void}} options
 * @returns {Promise<Cluster>} its nodes are called as they were then, though another may be the primary
 */
async function attachDeployment({ identity }, deployment, { credentials, tell }) {
  const { masterName, nodes, commands } = deployment;
  const cluster = await attachCluster({
    backend: 'external',
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    masterName,
    credentials: login(deployment, credentials),
    commands,
    tell,
  });
  if (cluster?.identity !== identity) {
    await cluster?.close();
    throw new UserError(
      `Other Sentinels watch ${masterName} there than before.`,
      'Look whether it still is that deployment',
    );
  }
  return {
    ...cluster,
    nodes,
    async act(id, action) {
      const { announced } = nodes[nodes.findIndex((node) => node.id === id)];
      const now = cluster.nodes.find((node) => sameAddress(node.announced, announced));
      if (!now) throw new UserError(`The Sentinels do not have ${id} at present.`, `See to it that ${id} runs`);
      await cluster.act(now.id, action);
    },
  };
}

/**
 * @param {import('../fault/journal-file.js').Deployment} deployment
 * @param {Credentials} given
 * @returns {Credentials}
 * @throws {UserError} something is needed that was not given
 */
function login({ username, sentinelUsername, tls, ...needs }, { password, sentinelPassword, tls: givenTls }) {
  const variables = [
    ...(needs.password && password === undefined ? [PASSWORD_VARIABLE] : []),
    ...(needs.sentinelPassword && sentinelPassword === undefined ? [SENTINEL_PASSWORD_VARIABLE] : []),
  ];
  if (variables.length > 0) {
    throw new UserError('Its deployment wants a password.', `Set ${variables.join(' and ')}`);
  }
  if (tls?.clientCertificate && givenTls?.key === undefined) {
    throw new UserError('Its deployment wants a client’s certificate.', 'Add --tls-cert FILE and --tls-key FILE');
  }
  const { clientCertificate: _, ...server } = tls ?? { clientCertificate: false };
  return {
    username,
    sentinelUsername,
    password: needs.password ? password : undefined,
    sentinelPassword: needs.sentinelPassword ? sentinelPassword : undefined,
    ...(tls && { tls: { ...server, ...(tls.clientCertificate && { cert: givenTls?.cert, key: givenTls?.key }) } }),
  };
}
