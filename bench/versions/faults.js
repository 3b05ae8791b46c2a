/** The decision's faults, each on every server. Trials of all servers are interleaved. */
/** @import { Case, CaseOptions, Stack, TrialBenchmark } from '../types.js' */
/** @import { ModeName } from '../modes.js' */
/** @import { DecisionFault, FaultId } from '../experiments/decision-faults.js' */
import { benchmarkOf, downAfterOf } from '../experiments/benchmark.js';
import { failureCases } from '../experiments/cases.js';
import { FAULTS, isAvailable } from '../experiments/decision-faults.js';
import { PLANNED_MODES } from '../modes.js';
import { onServer, serversOf, serverTitle, TITLES } from '../servers.js';

const ASYNC = ['async'];
/** Without WAIT, and the usual recommendation. */
const BOTH = ['async', 'wait1-min1-aof'];
/** Ways of failing over are compared in every mode. @type {readonly FaultId[]} */
const PLANNED = ['failover', 'runbook', 'coordinated'];
/** What a power loss takes depends on the file: syncs once a second, without and with the confirmation of the server. */
const POWER_MODES = ['aof', 'waitaof-local-everysec'];
/** One of them tells the same as the other on one machine. @type {readonly FaultId[]} */
const LEFT_OUT = ['machine'];
/** Three trials of the others fit into twelve minutes for four servers. @type {readonly FaultId[]} */
const NOT_IN_QUICK = ['frozen', 'stop', 'restart'];

export const PREFIX = 'versions-';

/** Faults of groups and of several lengths would double the time of a run. The sweep measures them, one server at a time. @param {DecisionFault} fault */
const harmsOneNode = ({ lengths, trial }) => !lengths && !trial.placed && !trial.needs.includes('group-partition');

/** @type {readonly TrialBenchmark[]} */
export const faultBenchmarks = Object.freeze(
  FAULTS.filter((fault) => !LEFT_OUT.includes(fault.id) && harmsOneNode(fault)).map(benchmarkOfFault),
);

/** @param {DecisionFault} fault @returns {TrialBenchmark} */
function benchmarkOfFault({ id, title, since, trial, way }) {
  const {
    method,
    needs = [],
    whyNotCase,
    ...base
  } = benchmarkOf(trial, {
    way,
    titles: TITLES,
    cases: (options) => casesOf(options, { modes: modesOf(id, options), ...downAfterOf(trial, way) }),
  });
  return {
    ...base,
    name: `${PREFIX}${id}`,
    title,
    question: `Do servers differ in the fault “${title}”?`,
    method: `${method} The trials of all servers are interleaved.`,
    // One of the servers may know what the first does not.
    needs: needs.filter((ability) => ability !== 'coordinated-failover'),
    ...(NOT_IN_QUICK.includes(id) && { profiles: /** @type {const} */ (['standard', 'full']) }),
    servers: true,
    async whyNotCase(theCase, stack) {
      const server = serverOf(theCase, stack);
      if (!isAvailable(id, server))
        return `${serverTitle(theCase.params.server ?? '')} does not have it. It needs ${since?.text}.`;
      return id === 'coordinated' ? null : ((await whyNotCase?.(theCase, stack)) ?? null);
    },
  };
}

/** @param {FaultId} id @param {Pick<CaseOptions, 'profile'>} options @returns {readonly ModeName[]} in most faults async loses most, and shows the outage */
function modesOf(id, { profile }) {
  if (id === 'power') return POWER_MODES;
  if (profile.name === 'quick') return ASYNC;
  if (PLANNED.includes(id)) return PLANNED_MODES;
  return ['partition', 'frozen'].includes(id) ? BOTH : ASYNC;
}

/** @param {CaseOptions} options @param {{modes: readonly ModeName[], downAfterMs?: number}} wanted @returns {Case[]} */
function casesOf(options, wanted) {
  return serversOf(options).flatMap((server) =>
    failureCases({ ...options, server }, wanted).map((theCase) => onServer(theCase, server)),
  );
}

/** @param {Case} theCase @param {Pick<Stack, 'about'>} stack @returns {{name: string, version: string | null}} */
function serverOf({ params: { server = '' } }, stack) {
  const [name, version] = server.split('-');
  return server === '' ? stack.about.server : { name, version };
}
