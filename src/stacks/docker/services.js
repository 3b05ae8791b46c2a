/** Containers of docker-compose.yml that lie between nodes. */

/**
 * @import { Engine } from './engine.js'
 *
 * @typedef {Object} Service a container that was started
 * @property {string} onClients its address on `clients`; empty: it is not there
 * @property {number | null} published its port on this machine
 */

/** @param {Engine} engine @param {string} project @param {'toxiproxy'} name @returns {Promise<Service>} */
export async function inspectService(engine, project, name) {
  const label = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${name}`];
  const [container] = await engine.listContainers({ all: true, filters: { label } });
  if (!container) throw new Error(`Compose started no container for ${name}`);
  const { NetworkSettings } = await engine.getContainer(container.Id).inspect();
  const [binding] = Object.values(NetworkSettings.Ports).flatMap((each) => each ?? []);
  return {
    onClients: NetworkSettings.Networks[`${project}_clients`]?.IPAMConfig?.IPv4Address ?? '',
    published: binding ? Number(binding.HostPort) : null,
  };
}
