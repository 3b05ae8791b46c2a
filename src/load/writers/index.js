/**
 * The writers of trials on Redis. Another system has a module of its own with these two functions.
 * @import { OpenReader } from '../stale-reads.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 * @typedef {(plan: WriterPlan, trial: TrialPlan, options: any) => Writer | Promise<Writer>} CreateWriter what the module of a writer exports as
 *   `createWriter`; options: the writer’s, from src/registry/writers.js
 */
import { connect } from '../../clients/connection.js';
import { findWriter } from '../../registry/writers.js';

/** Loads a library only if a writer uses it. @param {WriterPlan} plan @param {TrialPlan} trial @throws {Error} no writer has its name */
export async function createWriter(plan, trial) {
  const kind = findWriter(plan.name);
  if (!kind) throw new Error(`there is no writer ${plan.name}`);
  /** @type {{createWriter: CreateWriter}} */
  const module = await import(kind.create);
  return module.createWriter(plan, trial, kind.options);
}

/** @type {OpenReader} */
export async function openReader(target) {
  const connection = await connect(target, undefined, { silenceMs: 0 });
  return {
    get lost() {
      return connection.lost;
    },
    has: async (key) => (await connection.call('GET', key)) !== null,
    close: () => connection.close(),
  };
}
