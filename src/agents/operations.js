/** Everything that a controller can ask of an agent. Both sides read this one table. */
import { z } from 'zod';
import { Nothing } from './fields.js';
import { FAULTS, NODES } from './host-protocol.js';
import { LOAD } from './load-protocol.js';
import { WRITERS } from './writers-protocol.js';

/**
 * @import { ALLOWABLE } from './protocol.js'
 * @typedef {(typeof ALLOWABLE)[number]} Allowable what a command line may allow
 * @typedef {Object} OperationRule
 * @property {z.ZodType} request schema of what is asked
 * @property {z.ZodType} reply schema of what is answered
 * @property {number} [deadlineMs] for the answer; default: 10 s
 * @property {boolean} [anyRun] it needs no run; default: the agent has to work for the run that asks
 * @typedef {Readonly<Record<string, OperationRule>>} OperationRules
 * @typedef {typeof OF_EVERY_AGENT & typeof LOAD & typeof WRITERS & typeof FAULTS & typeof NODES} Operations
 * @typedef {keyof Operations} OperationName *
 * @typedef {{[N in OperationName]?: (body: z.infer<Operations[N]['request']>, asked: {run: string}) => Promise<Answered<N> | void>}} Handlers
 * @typedef {Object} AgentWork what an agent offers
 * @property {Handlers} handlers
 * @property {() => Promise<void>} stop ends what is under way for the run; idempotent
 */

/** @template {OperationName} N @typedef {z.input<Operations[N]['request']>} Asked */
/** @template {OperationName} N @typedef {z.infer<Operations[N]['reply']>} Answered */

/** monotonicMs: since a moment of its own; wallMs: since 1970. */
const ClockReading = z.strictObject({ monotonicMs: z.number(), wallMs: z.number() });

/** @satisfies {OperationRules} */
const OF_EVERY_AGENT = {
  clock: { request: Nothing, reply: ClockReading },
  begin: { request: Nothing, reply: Nothing },
  end: { request: Nothing, reply: Nothing },
};

/** @type {[Allowable | null, OperationRules][]} null: every agent serves it, to every run */
const ALL = [
  [null, OF_EVERY_AGENT],
  ['load', LOAD],
  ['writers', WRITERS],
  ['faults', FAULTS],
  ['nodes', NODES],
];

export const OPERATIONS = new Map(
  ALL.flatMap(([allow, rules]) =>
    Object.entries(rules).map(([name, rule]) => [name, { anyRun: allow === null, ...rule, allow }]),
  ),
);
