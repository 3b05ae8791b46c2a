import { sampleContainer, sampleInterfaces } from '../../../src/stacks/redis/docker/stats.js';

/**
 * @import { Traffic } from '../../../src/stacks/redis/docker/stats.js'
 * @import { Project, Service } from './docker-services.js'
 */

/**
 * What the containers of a path have used since it was opened.
 */

/**
 * Counts what passes the container's interface on `data`. Its other traffic goes by `clients`, so both directions of the
 * wire are counted, each by itself, and nothing else is.
 *
 * @param {Project} project
 * @param {Service} service at the primary's end of the wire, with a foot in both networks; not in use yet
 * @returns {Promise<() => Promise<Traffic>>} totals; of a container that has ended, the last that were read
 */
export async function openWireMeter({ engine, name: project }, { name, container, onData }) {
  // Engines do not tell which interface is on which network: the one that comes with `data` is.
  const data = engine.getNetwork(`${project}_data`);
  await data.disconnect({ Container: container });
  const others = new Set((await sampleInterfaces(engine, container))?.keys());
  await data.connect({
    Container: container,
    EndpointConfig: { IPAMConfig: { IPv4Address: onData }, Aliases: [name] },
  });

  async function read() {
    const all = (await sampleInterfaces(engine, container)) ?? new Map();
    const found = [...all].filter(([each]) => !others.has(each)).map(([, traffic]) => traffic);
    return found.length === 1 ? found[0] : null;
  }
  const first = await read();
  if (!first) throw new Error(`${name} has no interface of its own on ${project}_data`);
  let last = first;
  return async () => {
    last = (await read()) ?? last;
    return { inBytes: last.inBytes - first.inBytes, outBytes: last.outBytes - first.outBytes };
  };
}

/**
 * @typedef {Object} CpuMeter
 * @property {() => Promise<number>} seconds of CPU time, of all lives of the container
 * @property {() => Promise<void>} lap to be called before it is killed: the engine forgets a container's use when it ends
 */

/**
 * @param {Project} project
 * @param {Service} service
 * @returns {Promise<CpuMeter>}
 */
export async function openCpuMeter({ engine }, { name: id, container }) {
  let earlier = 0;
  let current = 0;

  async function read() {
    const seconds = (await sampleContainer(engine, { id, container }))?.cpuSeconds ?? current;
    // Less than before: it is another life, which began at nothing.
    if (seconds < current) earlier += current;
    current = seconds;
    return earlier + current;
  }
  const first = await read();
  return {
    seconds: async () => (await read()) - first,
    async lap() {
      await read();
      earlier += current;
      current = 0;
    },
  };
}
