/** Checks the prerequisites for running a stack on this machine. */

import { UserError } from '../errors.js';
import { limitsText } from '../format.js';
import { cpusToUse, machineLimits } from '../measure/limits.js';
import { checkTemporaryFolder } from '../private-files.js';
import { checkStackRoom, listStacks, runningNodes } from './local/record.js';
import { findMariadb } from './mariadb/local/server.js';
import { checkStateFolder } from './records.js';
import { findServer } from './redis/local/server.js';
import { problem } from './texts.js';
import { whyNoVolatileDisk } from './volatile-disk.js';

/**
 * @typedef {Object} Symptom
 * @property {'ok' | 'note' | 'missing'} state note: worth knowing; missing: the backend cannot be used
 * @property {string} text one or two sentences
 */

/** With fewer CPUs, servers and load compete for them all the time. */
const COMFORTABLE_CORES = 4;

/**
 * Changes nothing.
 * @returns {Promise<{symptoms: Symptom[], canRun: boolean}>} canRun: at least one of the backends docker and local works
 */
export async function examine() {
  const temporary = await symptomsOf('missing', '', checkTemporaryFolder);
  const local =
    temporary.length > 0
      ? []
      : [
          ...(await symptomsOf('missing', '', checkStackRoom)),
          ...(await symptomsOf('missing', 'local: ', examineStacks)),
        ];
  const [state, server, mariadb, engine, power] = await Promise.all([
    symptomsOf('missing', '', checkStateFolder),
    examineServer(),
    examineMariadb(),
    examineEngine(),
    examinePowerLoss(),
  ]);
  return {
    symptoms: [server, mariadb, engine, ...temporary, ...state, ...local, power, ...examineCores()],
    canRun:
      temporary.length + state.length === 0 &&
      // Containers keep their files in volumes of their own.
      ([server, ...local].every((symptom) => symptom.state !== 'missing') || engine.state === 'ok'),
  };
}

/** @returns {Promise<Symptom>} */
async function examineServer() {
  const [symptom] = await symptomsOf('missing', 'local: ', async () => {
    const server = await findServer();
    if (server) return [{ state: 'ok', text: `local: ${server.name} ${server.version}.` }];
    throw problem('no-server-on-path');
  });
  return symptom;
}

/** @returns {Promise<Symptom>} a note at most: only one suite needs it */
async function examineMariadb() {
  const [symptom] = await symptomsOf('note', '', async () => {
    const server = await findMariadb();
    if (server) return [{ state: 'ok', text: `local: MariaDB ${server.version} (suite semi-sync).` }];
    throw problem('no-mariadb-for-suite');
  });
  return symptom;
}

/** @returns {Promise<Symptom>} */
async function examineEngine() {
  // The engine's client takes longer to load than all else that most commands need.
  const { dockerAvailable } = await import('./redis/docker/index.js');
  const { ok, reason } = await dockerAvailable();
  return { state: ok ? 'ok' : 'missing', text: `docker: ${reason}` };
}

/** @returns {Promise<Symptom>} */
async function examinePowerLoss() {
  const reason = await whyNoVolatileDisk();
  if (reason !== null) return { state: 'note', text: reason };
  return {
    state: 'ok',
    text: 'A power loss can be emulated with nbdkit, nbdfuse and a loop device (primary-power-lost).',
  };
}

/**
 * @param {Symptom['state']} state of a symptom if the check fails
 * @param {string} before its text
 * @param {() => Symptom[] | Promise<Symptom[]> | void} examineOne throws what is wrong
 * @returns {Promise<Symptom[]>}
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
    text: detached
      ? 'A local stack is up; runs use it and leave it up. `sentinel-bench down` takes it down.'
      : 'Another run has a local stack; two runs at a time disturb each other’s figures.',
  }));
}

/** @returns {Symptom[]} */
function examineCores() {
  const [cpus, limits] = [cpusToUse(), limitsText(machineLimits())];
  /** @type {Symptom[]} */
  const restricted =
    limits === '' ? [] : [{ state: 'note', text: `A run may use only a part of this machine: ${limits}.` }];
  if (cpus >= COMFORTABLE_CORES) return restricted;
  return [
    ...restricted,
    {
      state: 'note',
      text: `${Number(cpus.toPrecision(3))} CPU${cpus === 1 ? '' : 's'} for six servers and a load thread: the machine will limit many figures, and the report will say so.`,
    },
  ];
}
