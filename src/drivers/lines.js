/** The lines that a driver writes (docs/drivers.md). A driver is other people's program: any line may be anything. */
import { z } from 'zod';
import { messageOf } from '../errors.js';
import { fromOutside } from '../untrusted.js';

const SHOWN = 80;
const MOST_NUMBER = 999_999_999;
/** Microseconds in 11 hours, the longest time that a ledger can hold. */
const MOST_MICROSECONDS = 4e10;
const MOST_COUNT = 254;
const KIND = /^(?:-|[A-Z][A-Z0-9_]{0,30})$/;

const OUTCOMES = Object.freeze(/** @type {const} */ (['acked', 'under-acked', 'rejected', 'unknown', 'unsent']));

const WAITS = Object.freeze(/** @type {const} */ (['same-connection', 'other-connection', 'unsupported']));

const shortText = z.string().min(1).max(100);

const ReadySchema = z.object({
  library: shortText,
  version: shortText,
  language: shortText,
  wait: z.enum(WAITS),
  pipeline: z.boolean().default(false),
});

/**
 * @typedef {z.infer<typeof ReadySchema>} Ready
 * @typedef {Object} OutcomeReport the outcome of one write, as the driver says
 * @property {'outcome'} type @property {number} number @property {typeof OUTCOMES[number]} outcome
 * @property {number} count what WAIT returned; -1: none @property {number} sentUs microseconds since the start
 * @property {number} answeredUs microseconds, too; 0: no answer @property {string} kind of the error; `-`: none
 * @typedef {OutcomeReport | {type: 'ready', ready: Ready} | {type: 'done', due: number} | {type: 'bad', problem: string}} DriverLine
 */

/** @param {string} line without its end @returns {DriverLine} */
export function readLine(line) {
  const [word, ...rest] = line.split(' ');
  if (word === 'w') return readOutcome(line, rest);
  if (word === 'ready') return readReady(line.slice('ready '.length));
  if (word === 'done') {
    const due = wholeNumber(rest[0], 0, MOST_NUMBER);
    return due === null || rest.length !== 1 ? bad('`done` without a number', line) : { type: 'done', due };
  }
  return bad('not a line of the protocol', line);
}

/** @param {string} line @param {string[]} fields @returns {DriverLine} */
function readOutcome(line, fields) {
  if (fields.length !== 6) return bad('`w` with other than six fields', line);
  const [numberText, outcomeText, countText, sentText, answeredText, kind] = fields;
  const outcome = OUTCOMES.find((each) => each === outcomeText);
  const number = wholeNumber(numberText, 0, MOST_NUMBER);
  const count = wholeNumber(countText, -1, MOST_COUNT);
  const sentUs = wholeNumber(sentText, 0, MOST_MICROSECONDS);
  const answeredUs = wholeNumber(answeredText, 0, MOST_MICROSECONDS);
  if (number === null) return bad('an invalid number of a write', line);
  if (outcome === undefined) return bad('an unknown outcome', line);
  if (count === null) return bad('an invalid count of WAIT', line);
  if (sentUs === null || answeredUs === null) return bad('an invalid time', line);
  if (answeredUs !== 0 && answeredUs < sentUs) return bad('an answer before its write was sent', line);
  if (!/^[!-~]{1,60}$/.test(kind)) return bad('an invalid kind of error', line);
  // Some libraries take away the first word of an error reply; then anything is first.
  const knownKind = KIND.test(kind) ? kind : 'OTHER';
  return { type: 'outcome', number, outcome, count, sentUs, answeredUs, kind: knownKind };
}

/** @param {string} text @returns {DriverLine} */
function readReady(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return bad(`\`ready\` without JSON (${messageOf(error)})`, text);
  }
  const { success, data, error } = ReadySchema.safeParse(document);
  if (!success) {
    const [{ path, message }] = error.issues;
    return bad(`\`ready\` with an invalid field ${path.join('.')} (${message})`, text);
  }
  const [library, version, language] = [data.library, data.version, data.language].map(fromOutside);
  return { type: 'ready', ready: { ...data, library, version, language } };
}

/** @param {string} text @param {number} least @param {number} most @returns {number | null} null: it is not a whole number between them */
function wholeNumber(text, least, most) {
  if (!/^-?\d{1,12}$/.test(text)) return null;
  const number = Number(text);
  return number >= least && number <= most ? number : null;
}

/** @param {string} what @param {string} line @returns {DriverLine} */
function bad(what, line) {
  const shown = fromOutside(line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line);
  return { type: 'bad', problem: `${what}: ${JSON.stringify(shown)}` };
}
