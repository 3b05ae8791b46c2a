/**
 * Jobs in a stream with a consumer group: XADD, XREADGROUP, XACK; at the end XAUTOCLAIM finds what nobody acknowledged.
 *
 * Invariant: every acknowledged job is run, once.
 * @import { Reply } from '../types.js'
 * @import { ProcessSite, Workload } from './types.js'
 */
import { messageOf } from '../../src/errors.js';
import { nowUs } from './history.js';
import { checkJobs, EVERY_MS, JOB_HARMS, producing, WORK_MS } from './jobs.js';

const BLOCK_MS = 1000;
const GROUP = 'workers';

/** @type {Workload} */
export const stream = {
  name: 'stream',
  title: 'stream',
  roles: { producer: { processes: 2, run: producing(add) }, worker: { processes: 4, run: work } },
  prepare: makeGroup,
  drain,
  check: checkJobs,
  timed: 'add',
  harms: { ...JOB_HARMS, idsReused: 'two jobs with one id' },
};

/** @param {Pick<ProcessSite, 'prefix'>} site */
const keyOf = ({ prefix }) => `${prefix}stream`;

/** @param {ProcessSite} site */
async function makeGroup(site) {
  await site.ask('XGROUP', 'CREATE', keyOf(site), GROUP, '0', 'MKSTREAM').catch((error) => {
    if (!messageOf(error).includes('BUSYGROUP')) throw error;
  });
}

/** @param {ProcessSite} site @param {string} value of the job */
function add(site, value) {
  const words = ['XADD', keyOf(site), '*', 'job', value];
  return site.write({ op: 'add', value }, words, (id) => ({ libraryId: String(id) }));
}

/** @param {ProcessSite} site */
async function work(site) {
  while (!site.stopped()) {
    try {
      for (const { id, job } of await read(site, ['BLOCK', String(BLOCK_MS)])) await run(site, id, job, WORK_MS);
    } catch (error) {
      // A node that lost its data has lost the group, too.
      if (messageOf(error).includes('NOGROUP')) await makeGroup(site).catch(() => {});
      await site.pause(EVERY_MS);
    }
  }
}

/** @param {ProcessSite} site @param {string[]} [more] words */
async function read(site, more = []) {
  const words = ['XREADGROUP', 'GROUP', GROUP, site.process, 'COUNT', '5', ...more, 'STREAMS', keyOf(site), '>'];
  const reply = await site.ask(...words);
  return Array.isArray(reply) ? entriesOf(/** @type {Reply[][]} */ (reply)[0][1]) : [];
}

/** @param {Reply} reply entries as XREADGROUP and XAUTOCLAIM tell them */
function entriesOf(reply) {
  const entries = /** @type {[Reply, Reply[] | null][]} */ (reply);
  return entries.flatMap(([id, fields]) => (fields ? [{ id: String(id), job: String(fields[1]) }] : []));
}

/** @param {ProcessSite} site @param {string} id of the entry @param {string} job @param {number} workMs */
async function run(site, id, job, workMs) {
  const begin = nowUs();
  if (workMs > 0) await site.pause(workMs);
  await site.write({ op: 'run', value: job, libraryId: id, begin }, ['XACK', keyOf(site), GROUP, id], (count) =>
    Number(count) === 0 ? { outcome: 'unknown', error: 'the entry was not pending' } : {},
  );
}

/** @param {ProcessSite} site */
async function drain(site) {
  await makeGroup(site);
  const runNew = async () => {
    for (let entries = await read(site); entries.length > 0; entries = await read(site))
      for (const { id, job } of entries) await run(site, id, job, 0);
  };
  await runNew();
  for (let from = '0-0', more = true; more; more = from !== '0-0') {
    const reply = await site.ask('XAUTOCLAIM', keyOf(site), GROUP, site.process, '0', from);
    const [next, entries] = /** @type {Reply[]} */ (reply);
    for (const { id, job } of entriesOf(entries)) {
      site.line({ op: 'stuck', value: job, begin: nowUs() });
      await run(site, id, job, 0);
    }
    from = String(next);
  }
}
