/** Moving to another server while clients write: Sentinels and replicas first, then a failover, the old primary last. */
/** @import { ServerName } from '../servers.js' */
/** @import { BenchmarkResult, Case, CaseOptions, Check, Fault, Scene, Stack, TrialBenchmark } from '../types.js' */
import { nothingAckedLost, whereMeasured } from '../../src/report/trials/checks.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { readYaml } from '../../src/yaml.js';
import { caseTitle, failureCases, NATIVE_WRITERS, titledBy } from '../experiments/cases.js';
import { checksBy } from '../experiments/checks.js';
import { isAvailable } from '../experiments/decision-faults.js';
import { whyNoScript } from '../experiments/failover-script.js';
import { BY_SCRIPT, HANDOVERS } from '../experiments/rolling-restart.js';
import { serversOf, serverTitle } from '../servers.js';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
const BY_FAILOVER = 'by-failover';
const BY_SIGTERM = 'by-sigterm';
const COORDINATED = 'coordinated';

const MODES = ['async', 'wait1-min1'];
/** For a node that changed its server to follow the primary. */
const FOLLOWS_WITHIN_SECONDS = 20;
/** For a replica that cannot read what the primary sends: how long that is watched. */
const REFUSED_SECONDS = 8;

const TWO_SERVERS =
  'It needs two servers: an older and a newer one of the same product, or a Redis and a Valkey. Name each with --server; `s/newer-servers.sh` fetches newer ones.';

/** @typedef {{from: ServerName, to: ServerName}} ServerPair */

/** @param {{server?: string, nextServer?: string}} params @returns {string} such as `Redis 7.0.15 → Redis 8.0.2` */
export function moveTitle({ server = '', nextServer = '' }) {
  return `${serverTitle(server)} → ${serverTitle(nextServer)}`;
}

const TITLES = titledBy((params) => `${moveTitle(params)}: ${caseTitle(params)}`);

/** @type {TrialBenchmark} */
export const rollingUpgrade = {
  ...common(upgrades),
  name: 'rolling-upgrade',
  ...TEXTS['rolling-upgrade'],
  needsFailover: true,
  script: moveAll,
  checks: safeByScript,
};

/** @type {TrialBenchmark} */
export const migrate = {
  ...common(migrations, [BY_SCRIPT, BY_FAILOVER]),
  name: 'migrate',
  ...TEXTS.migrate,
  script: moveAll,
  checks: safeByScript,
};

/** @type {TrialBenchmark} */
export const downgrade = {
  ...common(
    (servers) => [...upgrades(servers), ...migrations(servers)].map(({ from, to }) => ({ from: to, to: from })),
    [undefined],
  ),
  name: 'downgrade',
  ...TEXTS.downgrade,
  script: olderReplica,
  checks: checksBy({ titles: TITLES, due: false }),
};

/** @param {(servers: ReturnType<typeof serversOf>) => ServerPair[]} pairsOf @param {readonly (string | undefined)[]} [ways] of failing over */
function common(pairsOf, ways = [BY_SCRIPT, BY_FAILOVER, BY_SIGTERM, COORDINATED]) {
  return {
    kind: /** @type {const} */ ('trial'),
    titles: TITLES,
    needs: /** @type {TrialBenchmark['needs']} */ (['stop', 'failover']),
    servers: /** @type {const} */ (true),
    cases: (/** @type {CaseOptions} */ options) => casesOf(options, pairsOf(serversOf(options)), ways),
    whyNotCase,
  };
}

/** @param {CaseOptions} options @param {readonly ServerPair[]} pairs without one a case says what is missing @param {readonly (string | undefined)[]} ways @returns {Case[]} */
function casesOf(options, pairs, ways) {
  return ways.flatMap((way) => {
    const cases = failureCases(options, { modes: MODES, variation: { way } });
    if (pairs.length === 0) return cases;
    return pairs.flatMap(({ from, to }) =>
      cases.map(({ id, params }) => ({
        id: `${from.id}-to-${to.id}-${id}`,
        params: { ...params, server: from.id, nextServer: to.id },
      })),
    );
  });
}

/** @param {Case} theCase @param {Stack} stack */
async function whyNotCase({ params: { way, nextServer } }, stack) {
  if (nextServer === undefined) return TWO_SERVERS;
  if (stack.about.backend !== 'local' || !stack.about.ours)
    return 'Only local stacks that the run starts can change their server. Use --backend local, and take down a stack that is up.';
  if (way === BY_SCRIPT) return whyNoScript(stack);
  const [name, version] = nextServer.split('-');
  return way === COORDINATED && !isAvailable('coordinated', { name, version })
    ? `The Sentinels of ${name} ${version} do not know COORDINATED. It needs Valkey 9.0 or later.`
    : null;
}

/** @param {Scene} scene @param {Case} theCase */
async function moveAll(scene, theCase) {
  const { way = BY_SIGTERM, nextServer = '', server = '' } = theCase.params;
  const { primary, replicas, sentinels, profile, downAfterMs, inject, prepare, write, until, switched } = scene;
  await write(profile.healthySeconds);
  for (const { id } of sentinels) await prepare(changeServer(nextServer), id);
  for (const { id } of replicas) {
    await inject(changeServer(nextServer), id);
    if (await follows(scene, id, FOLLOWS_WITHIN_SECONDS)) continue;
    for (const each of sentinels) await prepare(changeServer(server), each.id);
    await prepare(changeServer(server), id);
    await follows(scene, id, FOLLOWS_WITHIN_SECONDS);
    return;
  }
  const promoted = () => until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  const handover = HANDOVERS[way];
  if (handover) {
    await inject(handover, primary.id);
    await promoted();
    await inject(changeServer(nextServer), primary.id);
  } else {
    // SIGTERM is the handover: the node stays down until a replica was promoted.
    const undo = await inject(stopFor(nextServer), primary.id);
    await promoted();
    await undo();
  }
  await oldPrimaryReturns(scene);
}

/** @param {Scene} scene @param {Case} theCase */
async function olderReplica(scene, { params: { nextServer = '', server = '' } }) {
  const { replicas, profile, inject, prepare, write } = scene;
  const [{ id }] = replicas;
  await write(profile.healthySeconds);
  await inject(changeServer(nextServer), id);
  await follows(scene, id, REFUSED_SECONDS);
  await write(profile.healthySeconds);
  await prepare(changeServer(server), id);
  if (!(await follows(scene, id, FOLLOWS_WITHIN_SECONDS)))
    throw new Error(`${id} did not follow the primary as ${server} again`);
  await write(profile.healthySeconds);
}

/** @param {Scene} scene @param {string} id of a replica @param {number} seconds @returns it follows the primary, and has its data */
async function follows({ info, until, mark }, id, seconds) {
  const linked = async () => {
    try {
      const { role, master_link_status: link, master_sync_in_progress: syncing } = await info(id, 'replication');
      return role === 'slave' && link === 'up' && syncing === '0';
    } catch {
      // It may still load its files.
      return false;
    }
  };
  const does = await until(linked, seconds);
  mark(does ? 'followed' : 'not-followed', id);
  return does;
}

/** @param {BenchmarkResult} result @returns {Check[]} */
function safeByScript(result) {
  const name = 'nothing is lost when the script moves the primary';
  const byScript = { name, variation: { way: BY_SCRIPT }, titles: TITLES, writers: NATIVE_WRITERS };
  return [
    ...whereMeasured(result, byScript, nothingAckedLost),
    ...checksBy({ titles: TITLES, due: result.name === 'rolling-upgrade' })(result),
  ];
}

/** @param {ServerName} a @param {ServerName} b @returns {number} negative: `a` is older */
function byVersion(a, b) {
  const parts = (/** @type {ServerName} */ { version }) => (version ?? '0').split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at === -1 ? 0 : left[at] - (right[at] ?? 0);
}

/** @param {readonly ServerName[]} servers @returns {ServerPair[]} of one product, each version to the next one */
export function upgrades(servers) {
  return ['redis', 'valkey'].flatMap((name) => {
    const releases = servers.filter((server) => server.name === name).sort(byVersion);
    return releases.slice(1).map((to, i) => ({ from: releases[i], to }));
  });
}

/** @param {readonly ServerName[]} servers @returns {ServerPair[]} each Redis to the oldest Valkey */
export function migrations(servers) {
  const [oldest] = servers.filter(({ name }) => name === 'valkey').sort(byVersion);
  if (oldest === undefined) return [];
  return servers
    .filter(({ name }) => name === 'redis')
    .sort(byVersion)
    .map((from) => ({ from, to: oldest }));
}

/**
 * If this process is killed, the stack goes with it; the journal only has to know that the node was down.
 * @param {string} server id of one of the servers of the run
 * @returns {Fault} the node is down until this is undone, and is the other server then
 */
function stopFor(server) {
  return {
    name: `stop, then ${server}`,
    what: `is shut down (SIGTERM); it starts as ${server}`,
    needs: ['stop'],
    async inject({ stack, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: 'start' });
      if (!stack.host.changeServer) throw new Error('only a local stack of ours can change its server');
      stack.host.changeServer(id, server);
      await stack.host.act(id, 'stop');
      return undo;
    },
  };
}

/** @param {string} server id of one of the servers of the run @returns {Fault} it starts at once */
export function changeServer(server) {
  const stop = stopFor(server);
  return {
    ...stop,
    name: `restart as ${server}`,
    what: `is shut down (SIGTERM) and starts as ${server}`,
    async inject(site, id) {
      const undo = await stop.inject(site, id);
      await site.stack.host.act(id, 'start');
      return undo;
    },
  };
}
