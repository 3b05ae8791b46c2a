import { UserError } from '../errors.js';
import { limitsText } from '../format.js';
import { cpusToUse, machineLimits } from '../measure/limits.js';
import { checkTemporaryFolder } from '../private-files.js';
import { checkStackRoom, listStacks, runningNodes } from './hosts/local/record.js';
import { findMariadb, INSTALL_MARIADB } from './mariadb/local/server.js';
import { checkStateFolder } from './records/records.js';
import { findServer, INSTALL_SERVER } from './redis/local/server.js';
import { problem, text } from './texts.js';
import { whyNoVolatileDisk } from './volumes/volatile-disk.js';

/**
 * @typedef {{state: 'ok' | 'note' | 'missing', text: string}} Symptom note: worth knowing; missing: the backend cannot be used; text: one or
 *   two sentences
 */

/** With fewer CPUs, servers and load compete for them all the time. */
const COMFORTABLE_CORES = 4;

/** Changes nothing. @returns {Promise<{symptoms: Symptom[], canRun: boolean}>} canRun: docker or local works */
export async function examine() {
  const temporary = await symptomsOf('missing', '', checkTemporaryFolder);
  const isUsable = temporary.length === 0;
  const room = isUsable ? await symptomsOf('missing', '', checkStackRoom) : [];
  const local = isUsable ? [...room, ...(await symptomsOf('missing', 'local: ', examineStacks))] : [];
  const [state, server, mariadb, engine, power] = await Promise.all([
    symptomsOf('missing', '', checkStateFolder),
    symptomsOf('missing', 'local: ', async () => {
      const found = await findServer();
      if (!found) throw problem('no-server-on-path', { install: INSTALL_SERVER });
      return [{ state: 'ok', text: `local: ${found.name} ${found.version}.` }];
    }),
    // A note at most: only one suite needs it.
    symptomsOf('note', '', async () => {
      const found = await findMariadb();
      if (!found) throw problem('no-mariadb-for-suite', { install: INSTALL_MARIADB });
      return [{ state: 'ok', text: `local: MariaDB ${found.version} (suite semi-sync).` }];
    }),
    examineEngine(),
    examinePowerLoss(),
  ]);
  return {
    symptoms: [...server, ...mariadb, engine, ...temporary, ...state, ...local, power, ...examineCores()],
    canRun:
      temporary.length + state.length === 0 &&
      // Containers keep their files in volumes of their own.
      ([...server, ...local].every((symptom) => symptom.state !== 'missing') || engine.state === 'ok'),
  };
}

/** @returns {Promise<Symptom>} */
async function examineEngine() {
  const { dockerAvailable } = await import('./redis/docker/index.js');
  const { ok, reason } = await dockerAvailable();
  return { state: ok ? 'ok' : 'missing', text: `docker: ${reason}` };
}

/** @returns {Promise<Symptom>} */
async function examinePowerLoss() {
  const reason = await whyNoVolatileDisk();
  return reason === null ? { state: 'ok', text: text('power-loss-works') } : { state: 'note', text: reason };
}

/**
 * @param {Symptom['state']} state of a symptom if the check fails @param {string} before its text
 * @param {() => Symptom[] | Promise<Symptom[]> | void} examineOne throws what is wrong
 */
async function symptomsOf(state, before, examineOne) {
  try {
    return (await examineOne()) ?? [];
  } catch (error) {
    if (error instanceof UserError) return [{ state, text: `${before}${error.message} ${error.remedy}` }];
    throw error;
  }
}

/** @returns {Symptom[]} */
function examineStacks() {
  const up = listStacks().filter((stack) => runningNodes(stack).length > 0);
  return up.map(({ detached }) => ({
    state: 'note',
    text: detached ? text('stack-up') : text('stack-of-run'),
  }));
}

/** @returns {Symptom[]} */
function examineCores() {
  const [cpus, limits] = [cpusToUse(), limitsText(machineLimits())];
  const few = `${Number(cpus.toPrecision(3))} CPU${cpus === 1 ? '' : 's'}`;
  const notes = [
    ...(limits === '' ? [] : [text('limited-machine', { limits })]),
    ...(cpus >= COMFORTABLE_CORES ? [] : [text('few-cpus', { cpus: few })]),
  ];
  return notes.map((note) => ({ state: 'note', text: note }));
}
