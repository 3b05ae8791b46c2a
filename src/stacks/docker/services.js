/** @import { Engine } from './engine.js' */

/**
 * Containers of docker-compose.yml that lie between nodes.
 *
 * @typedef {'toxiproxy'} ServiceName
 *
 * @typedef {Object} Service a container that was started
 * @property {ServiceName} name
 * @property {string} container the engine's id of it
 * @property {string} onData its address on `data`
 * @property {string} onClients its address on `clients`; empty: it is not there
 * @property {number | null} published its port on this machine
 */

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {ServiceName} name
 * @returns {Promise<Service>}
 */
export async function inspectService(engine, project, name) {
  const [container] = await listService(engine, project, name);
  if (!container) throw new Error(`Compose started no container for ${name}`);
  const { NetworkSettings } = await engine.getContainer(container).inspect();
  /** @param {string} network */
  const fixed = (network) => NetworkSettings.Networks[`${project}_${network}`]?.IPAMConfig?.IPv4Address ?? '';
  const [binding] = Object.values(NetworkSettings.Ports).flatMap((each) => each ?? []);
  const published = binding ? Number(binding.HostPort) : null;
  return { name, container, onData: fixed('data'), onClients: fixed('clients'), published };
}

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {ServiceName} name
 * @returns {Promise<string[]>} the engine's ids of its containers
 */
export async function listService(engine, project, name) {
  const label = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${name}`];
  return (await engine.listContainers({ all: true, filters: { label } })).map(({ Id }) => Id);
}
