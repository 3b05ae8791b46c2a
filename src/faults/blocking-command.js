/**
 * @import { Ability, Control, Stack } from '../stacks/types.js'
 * @import { Fault } from './types.js'
 */
import { nodeOf } from '../stacks/ask.js';

/** A node needs this long to answer once the command is over. */
const SLACK_MS = 3000;
/** A script may have to count CPU time, of which a busy machine gives less. */
const BUSY_FACTOR = 5;
/** `busy-reply-threshold`: a server whose script lasts longer answers others with BUSY. */
const BUSY_AFTER_MS = 5000;
const SCRIPT_MS = 4000;
/** Newer servers stop TIME within a script; older ones have no `os`. */
const SCRIPT = `
local function clock() return os.clock() end
if not pcall(clock) then
  clock = function() local time = redis.call('TIME') return time[1] + time[2] / 1e6 end
end
local over = clock() + ARGV[1] / 1000
while clock() < over do end
return 1`;

/**
 * The node executes one command for so long, as KEYS on many keys does. Nothing ends it before, so undoing it waits for its end.
 * @param {number} ms ≥ 1; scripts last longer on a busy machine
 * @param {{script?: boolean}} [how] script: a single one, which a Sentinel that has called the node down ends with SCRIPT KILL
 */
export function blockingCommand(ms, { script = false } = {}) {
  return Object.freeze({
    name: script ? 'slow-script' : 'blocking-command',
    what: script
      ? `is busy with one script for ${ms} ms, and answers nobody or, after ${BUSY_AFTER_MS / 1000} s, with BUSY`
      : `is busy with one command for ${ms} ms and answers nobody`,
    needs: /** @type {Ability[]} */ (['blocking-command']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const withinMs = BUSY_FACTOR * ms + SLACK_MS;
      const undo = await journal.note({ kind: 'call', id, command: ['PING'], withinMs });
      const limits = { timeoutMs: withinMs };
      const control = await stack.database.connect(nodeOf(stack, id), stack.access.credentials, limits);
      try {
        const commands = script ? [['EVAL', SCRIPT, 0, ms]] : await blockingCommands(control, stack, ms);
        // A node that is killed meanwhile answers nothing.
        Promise.allSettled(commands.map(([name, ...args]) => control.call(String(name), ...args))).then(control.close);
      } catch (error) {
        control.close();
        throw error;
      }
      return undo;
    },
  });
}

/**
 * To be sent at once: scripts in one transaction if the server refuses DEBUG SLEEP.
 * @param {Control} control @param {Stack} stack @param {number} ms @returns {Promise<(string | number)[][]>}
 */
async function blockingCommands(control, { database }, ms) {
  try {
    await control.call('DEBUG', 'SLEEP', 0);
    return [['DEBUG', 'SLEEP', ms / 1000]];
  } catch (error) {
    if (!database.isReplyError(error)) throw error;
  }
  await control.call('EVAL', SCRIPT, 0, 0);
  const parts = Array.from({ length: Math.ceil(ms / SCRIPT_MS) }, (_, index) =>
    Math.min(SCRIPT_MS, ms - index * SCRIPT_MS),
  );
  const scripts = parts.map((part) => ['EVAL', SCRIPT, 0, part]);
  return [['MULTI'], ...scripts, ['EXEC']];
}

/** Since this version a server refuses DEBUG unless it was started with leave to use it. */
const REFUSES_SINCE = 7;

/** Of a node of our own: the length of a blocking command is exact. @param {Stack['about']['server']} server @returns {Record<string, string>} */
export function settingsForBlocking({ name, version }) {
  if (name !== 'valkey' && !(Number.parseInt(version ?? '', 10) >= REFUSES_SINCE)) return {};
  return { 'enable-debug-command': 'yes' };
}
