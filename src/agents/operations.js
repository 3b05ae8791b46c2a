/** Everything that a controller can ask of an agent. Both sides read this one table. */
import { z } from 'zod';
import { FAULTS } from './faults-protocol.js';
import { Nothing } from './fields.js';
import { LOAD } from './load-protocol.js';
import { NODES } from './nodes-protocol.js';
import { WRITERS } from './writers-protocol.js';

/**
 * @import { ALLOWABLE } from './protocol.js'
 *
 * @typedef {(typeof ALLOWABLE)[number]} Allowable what a command line may allow
 *
 * @typedef {Object} OperationRule
 * @property {z.ZodType} request schema of what is asked
 * @property {z.ZodType} reply schema of what is answered
 * @property {number} [deadlineMs] for the answer; default: 10 s
 * @property {boolean} [anyRun] it needs no run, and carrying it out again does no harm; default: the agent has to work for the run that asks
 *
 * @typedef {Readonly<Record<string, OperationRule>>} OperationRules
 *
 * @typedef {typeof OF_EVERY_AGENT & typeof LOAD & typeof WRITERS & typeof FAULTS & typeof NODES} Operations
 * @typedef {keyof Operations} OperationName
 *
 * @typedef {{[N in OperationName]?: (body: z.infer<Operations[N]['request']>, asked: {run: string}) => Promise<z.infer<Operations[N]['reply']> | void>}} Handlers
 *   that carry operations out
 *
 * @typedef {Object} AgentWork what an agent offers
 * @property {Handlers} handlers
 * @property {() => Promise<void>} stop ends what is under way for the run; idempotent
 */

const ClockReading = z.strictObject({
  monotonicMs: z.number().describe('since a moment of its own; never set'),
  wallMs: z.number().describe('since 1970'),
});

/** Every agent serves these, whatever it allows. @satisfies {OperationRules} */
const OF_EVERY_AGENT = {
  // Many readings must not push out the replies that matter.
  clock: { request: Nothing, reply: ClockReading, anyRun: true },
  begin: { request: Nothing, reply: Nothing },
  end: { request: Nothing, reply: Nothing },
};

/**
 * @param {Allowable | null} allow
 * @param {OperationRules} rules
 * @returns {[string, OperationRule & {allow: Allowable | null}][]} allow: null: every agent serves it
 */
const allowedBy = (allow, rules) => Object.entries(rules).map(([name, rule]) => [name, { ...rule, allow }]);

export const OPERATIONS = new Map([
  ...allowedBy(null, OF_EVERY_AGENT),
  ...allowedBy('load', LOAD),
  ...allowedBy('writers', WRITERS),
  ...allowedBy('faults', FAULTS),
  ...allowedBy('nodes', NODES),
]);
