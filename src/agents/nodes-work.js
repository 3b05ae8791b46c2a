/**
 * Nodes that an agent starts for a run, in a folder of their own. They end with the run. Each records its process before it becomes the server, and the
 * folder names the agent, so that those of a killed agent are found and ended.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { writeWholeSync } from '../files.js';
import { once } from '../once.js';
import { readOwnFile } from '../private-files.js';
import { sameAddress } from '../stacks/address.js';
import { endRecorded, PID_FILE, runApart, signalProcess } from '../stacks/daemons.js';
import { NO_DISKS, startDisks } from '../stacks/disks.js';
import { ownFolders } from '../stacks/own-folders.js';
import { freePort } from '../stacks/ports.js';
import { daemonsIn, hasEnded, startTimeOf, stillRuns, thisProcess, worksIn } from '../stacks/processes.js';
import { listeningServer, ownAddresses } from '../stacks/redis/machine/servers.js';
import { whyModelFails } from '../stacks/volatile-disk.js';
import { KINDS, recoverVolumes } from '../stacks/volume.js';
import { cleanLine, keepSecret } from '../untrusted.js';
import { waitFor } from '../wait.js';
import { mariadbNodes } from './mariadb-nodes.js';
import { PlaceRequest, RebuildRequest, StartRequest } from './nodes-protocol.js';
import { Nothing } from './protocol.js';
import { redisNodes } from './redis-nodes.js';
import { addressTowards } from './writers-work.js';

/**
 * @import { Disks } from '../stacks/disks.js'
 * @import { Action, Address, Credentials } from '../stacks/types.js'
 * @import { Work } from './agent.js'
 * @import { PlaceReply, System } from './nodes-protocol.js'
 *
 * @typedef {Object} StartedNodes by their addresses
 * @property {(address: Address) => Credentials | undefined} credentialsOf a node that it started
 * @property {(address: Address) => boolean} isOwn it started the node, and will end it
 * @property {(address: Address) => number | undefined} groupOf that nobody else has; only of a Sentinel that it started as root
 * @property {(address: Address, action: Action, onNode: (action: Action) => Promise<void>) => Promise<void>} act what the action means for the disk of
 *   the node, and the rest by `onNode`
 *
 * @typedef {z.infer<typeof StartRequest>} Deployment
 * @typedef {z.infer<typeof OwnerSchema> & {folder: string}} NodesRecord
 *
 * @typedef {{name: z.infer<typeof PlaceReply>['server']['name'], version: string, path: string}} Program
 * @typedef {{id: string, host: string, port: number, folder: string, data: string}} Place of a node; data: where it keeps its files: its folder, or one on a
 *   disk of its own
 *
 * @typedef {Object} NodePrograms how the nodes of one system are started
 * @property {number} readyMs how long a node may take to answer
 * @property {() => Promise<Program>} program throws a UserError if there is none
 * @property {(password: string) => Credentials} credentials of a node
 * @property {(place: Place, deployment: Deployment) => Promise<void>} prepare writes its files
 * @property {(program: Program, place: Place) => string[]} command
 * @property {(place: Place) => number | undefined} [groupOf] of users, that only this node is in; undefined: that of the agent
 * @property {(place: Place, password: string) => Promise<void>} ask rejects if the node does not answer
 * @property {(place: Place) => void} [empty] removes the data of a node that does not run; absent: its nodes are never rebuilt
 */

/** @type {Readonly<Record<z.infer<typeof System>, NodePrograms>>} */
const SYSTEMS = Object.freeze({ redis: redisNodes, mariadb: mariadbNodes });

const folders = ownFolders('sentinel-bench-nodes');
const RECORD = 'owner.json';
const LOG = 'log';
const LOG_CHARACTERS = 300;
const END_MS = 20_000;

const OwnerSchema = z.object({
  pid: z.int().positive(),
  startTime: z.string().nullable(),
  ids: z.array(z.string().regex(/^[a-z]+-\d+$/)),
  disk: z.string().optional().describe('where one of them has its files'),
});

/**
 * @param {Object} agent
 * @param {() => Promise<readonly Address[]>} agent.nats the server that it uses: its address towards it is that of its nodes
 * @param {() => Promise<void>} agent.undoFaults before its nodes end
 * @param {(line: string) => void} agent.tell
 * @returns {Work & {started: StartedNodes}}
 */
export function nodesWork({ nats, undoFaults, tell }) {
  /** @type {{record: NodesRecord, deployment: Deployment, program: Program} | null} */
  let running = null;
  /** Of the nodes, until their faults are undone. @type {(Place & {credentials: Credentials})[]} */
  let places = [];
  /** Of the node that has one. @type {Disks} */
  let disks = NO_DISKS;
  /** Files are being written, so nothing may be removed. @type {Promise<void>} */
  let writing = Promise.resolve();
  /** What began before an end does not go on after it. */
  let ends = 0;
  const modelFails = once(() => whyModelFails());

  async function stop() {
    ends++;
    const ending = running?.record;
    running = null;
    await undoFaults();
    places = [];
    await writing.catch(() => {});
    const used = disks;
    disks = NO_DISKS;
    if (ending) await endNodes(ending);
    await used.close();
  }

  const placeAt = (/** @type {Address} */ address) => places.find((place) => sameAddress(place, address));

  /** @param {number} begun `ends` of that time @throws {UserError} the run has ended since */
  function checkGoesOn(begun) {
    if (begun !== ends) throw new UserError('The run has ended.', 'Start it again.');
  }

  /** @param {number} begun @param {() => Promise<void>} write */
  async function writeFiles(begun, write) {
    checkGoesOn(begun);
    writing = write();
    await writing;
    checkGoesOn(begun);
  }

  return {
    stop,
    started: {
      credentialsOf: (address) => placeAt(address)?.credentials,
      isOwn: (address) => placeAt(address) !== undefined,
      groupOf(address) {
        const place = placeAt(address);
        return place && running ? SYSTEMS[running.deployment.system].groupOf?.(place) : undefined;
      },
      act: (address, action, onNode) => disks.act(placeAt(address)?.id ?? '', action, onNode),
    },
    operations: {
      'nodes-place': {
        request: PlaceRequest,
        allow: 'nodes',
        /** @returns {Promise<z.infer<typeof PlaceReply>>} */
        async run(/** @type {z.infer<typeof PlaceRequest>} */ { system, nodes, disk }) {
          const { name, version } = await SYSTEMS[system].program();
          const [{ host }] = await nats();
          const ports = new Set();
          while (ports.size < nodes) ports.add(await freePort(ports));
          const whyNoDisk = disk ? await modelFails() : null;
          return { address: await addressTowards(host), ports: [...ports], whyNoDisk, server: { name, version } };
        },
      },
      'nodes-start': {
        request: StartRequest,
        allow: 'nodes',
        async run(/** @type {Deployment} */ deployment) {
          await stop();
          const begun = ends;
          const { system, disk, password } = deployment;
          const own = deployment.nodes.filter((node) => node.own);
          const strange = own.find(({ host }) => !ownAddresses().includes(host));
          if (strange) throw new UserError(`${strange.host} is no address of its machine.`, 'Start the run again.');
          keepSecret(password);
          const { program: find, prepare, credentials } = SYSTEMS[system];
          const program = await find();
          checkGoesOn(begun);
          /** @type {NodesRecord} */
          const record = { ...thisProcess(), ids: own.map(({ id }) => id), folder: folders.make() };
          places = own.map(({ id, host, port }) => {
            const folder = join(record.folder, id);
            return { id, host, port, folder, data: folder, credentials: credentials(password) };
          });
          running = { record, deployment, program };
          writeRecord(record);
          await writeFiles(begun, async () => {
            if (disk !== null) {
              disks = await startDisks([disk], { kind: 'agent', tell });
              record.disk = disks.list[0].disk.path;
              writeRecord(record);
            }
            for (const place of places) {
              if (place.id === disk && record.disk) place.data = record.disk;
              mkdirSync(place.folder, { mode: 0o700 });
              await prepare(place, deployment);
            }
          });
          for (const place of places) launch(place, { deployment, program });
          await Promise.all(places.map((place) => whenReady(place, deployment)));
          for (const each of disks.list) await each.disk.flush();
          return {};
        },
      },
      'nodes-rebuild': {
        request: RebuildRequest,
        allow: 'nodes',
        async run(/** @type {z.infer<typeof RebuildRequest>} */ { node }) {
          const place = places.find(({ id }) => id === node);
          const { prepare, empty } = running ? SYSTEMS[running.deployment.system] : {};
          if (!running || !place || !prepare || !empty)
            throw new UserError(`It has started no ${node} that can be rebuilt.`, 'Start the run again.');
          const { deployment, program } = running;
          const begun = ends;
          await endServer(place);
          await writeFiles(begun, async () => {
            empty(place);
            await prepare(place, deployment);
          });
          launch(place, { deployment, program });
          await whenReady(place, deployment);
          return {};
        },
      },
      'nodes-stop': {
        request: Nothing,
        allow: 'nodes',
        async run() {
          await stop();
          return {};
        },
      },
    },
  };
}

/** @param {NodesRecord} record */
function writeRecord({ folder, ...kept }) {
  writeWholeSync(join(folder, RECORD), JSON.stringify(kept), { mode: 0o600 });
}

/**
 * @param {Place} place whose files are written
 * @param {{deployment: Deployment, program: Program}} options
 */
function launch(place, { deployment: { system }, program }) {
  const { folder } = place;
  const { command, groupOf } = SYSTEMS[system];
  const options = { cwd: folder, log: join(folder, LOG), gid: groupOf?.(place) };
  runApart(command(program, place), options).once('error', () => {});
}

/**
 * @param {Place} place
 * @param {Deployment} deployment
 */
async function whenReady(place, { system, password }) {
  const { ask, readyMs } = SYSTEMS[system];
  let why = '';
  const answers = async () => {
    try {
      await ask(place, password);
      return true;
    } catch (error) {
      why = messageOf(error);
      return false;
    }
  };
  if (await waitFor(answers, { deadlineMs: readyMs, pollMs: 50 })) return;
  throw new UserError(
    `${place.id} did not start within ${readyMs / 1000} s (${why}; ${endOfLog(place)}).`,
    'Look at that machine.',
  );
}

/** @param {Place} place */
function endOfLog({ folder }) {
  try {
    return `its log ends: ${cleanLine(readFileSync(join(folder, LOG), 'utf8').trim().slice(-LOG_CHARACTERS))}`;
  } catch {
    return 'it has no log';
  }
}

/** @param {Place} place whose server runs, or does not */
async function endServer(place) {
  const pid = listeningServer(place, { own: true });
  if (pid === null) return;
  const startTime = startTimeOf(pid);
  signalProcess(pid, 'SIGKILL');
  if (await waitFor(() => hasEnded(pid, startTime), { deadlineMs: END_MS })) return;
  throw new UserError(`${place.id} did not end within ${END_MS / 1000} s.`, 'Look at that machine.');
}

/** @param {NodesRecord} record */
async function endNodes({ folder, ids, disk }) {
  const own = ids.map((id) => join(folder, id));
  const others = disk === undefined ? [] : [disk];
  const recorded = () =>
    ids.flatMap((id) => {
      const pid = Number(readOwnFile(join(folder, id, PID_FILE)));
      const isOurs = [join(folder, id), ...others].some((each) => worksIn(pid, each));
      // One that was started again after a fault has not recorded itself. It has to end before its files go.
      const again = daemonsIn([join(folder, id)]).map((each) => ({ id, pid: each }));
      return pid > 0 && isOurs ? [{ id, pid }, ...again] : again;
    });
  const left = await endRecorded(recorded, { folders: own, others });
  if (left !== null)
    throw new UserError(`Nodes did not end in time: ${left.join(', ')}.`, 'Run `sentinel-bench recover` there.');
  folders.remove(folder);
}

/**
 * Ends the nodes of agents that were killed on this machine.
 *
 * @param {(line: string) => void} tell
 */
export async function recoverNodes(tell) {
  for (const folder of folders.list()) {
    const parsed = OwnerSchema.safeParse(jsonIn(join(folder, RECORD)));
    if (!parsed.success || stillRuns(parsed.data)) continue;
    await endNodes({ ...parsed.data, folder });
    tell(`Ended ${parsed.data.ids.join(', ')}, which a killed agent had started.`);
  }
  await recoverVolumes(tell, [KINDS.agent]);
  for (const folder of folders.abandoned((each) => readOwnFile(join(each, RECORD)) !== null)) folders.remove(folder);
}

/** @param {string} file */
function jsonIn(file) {
  try {
    return JSON.parse(readOwnFile(file) ?? 'null');
  } catch {
    // Half of it was written, before any node was started.
    return null;
  }
}
