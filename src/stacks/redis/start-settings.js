import { ExitStatus, UserError } from '../../errors.js';

/**
 * Settings that a node has from its start on: as lines of its configuration file, and as what a server says of one that it
 * does not take.
 *
 * @typedef {Readonly<Record<string, string>>} Settings name → value, as CONFIG SET takes it
 */

/** Settings whose value is a list, and how many words of it a line may hold; before Redis 7 that is one group. */
const LISTS = new Map([
  ['save', 2],
  ['client-output-buffer-limit', 4],
  ['bind', Number.MAX_SAFE_INTEGER],
  ['latency-tracking-info-percentiles', Number.MAX_SAFE_INTEGER],
  ['oom-score-adj-values', Number.MAX_SAFE_INTEGER],
  ['shutdown-on-sigint', Number.MAX_SAFE_INTEGER],
  ['shutdown-on-sigterm', Number.MAX_SAFE_INTEGER],
]);

const PLAIN_WORD = /^[\w.:/*@%+-]+$/;

/**
 * @param {Settings} [settings]
 * @returns {string[]} lines that stand after all others: the last one counts
 * @throws {UserError} a name that cannot be one
 */
export function settingLines(settings = {}) {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!/^[a-z][a-z0-9-]*$/i.test(name)) {
      throw new UserError(`No server has a setting called “${name}”.`, 'Correct its name.', ExitStatus.badInput);
    }
    const size = LISTS.get(name.toLowerCase());
    const words = value.split(' ').filter((word) => word !== '' && word !== '""');
    if (words.length === 0) return [`${name} ""`];
    if (size === undefined) return [`${name} ${confWord(value)}`];
    const groups = Array.from({ length: Math.ceil(words.length / size) }, (_, index) =>
      words.slice(index * size, (index + 1) * size),
    );
    // Points of saving add up, those of the file before included.
    const emptied = name.toLowerCase() === 'save' ? ['save ""'] : [];
    return [...emptied, ...groups.map((group) => `${name} ${group.map(confWord).join(' ')}`)];
  });
}

/**
 * @param {string} word
 * @returns {string} as the server's parser reads it back: nothing in it ends the line
 */
export function confWord(word) {
  if (PLAIN_WORD.test(word)) return word;
  const bytes = [...Buffer.from(word)].map((byte) => {
    const shown = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return shown ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${bytes.join('')}"`;
}

/**
 * Whether one of the settings is why a server ended at its start.
 *
 * @param {readonly string[]} log the last lines of a node that ended
 * @param {Settings | undefined} settings that it was started with
 * @returns {UserError | null} null: something else was
 */
export function refusedSetting(log, settings = {}) {
  const at = log.findLastIndex((line) => line.startsWith('>>> '));
  const name = /^>>> '([^\s']+)/.exec(log[at] ?? '')?.[1];
  if (name === undefined || !Object.hasOwn(settings, name)) return null;
  const reason = (log[at + 1] ?? '').trim().replace(/\.$/, '');
  // What servers of all versions say of a name they do not know.
  const unknown = /^Bad directive/i.test(reason) || reason === '';
  return unknown
    ? new UserError(
        `This server has no setting called ${name}.`,
        'Leave it out, or use a version that has it.',
        undefined,
        { detail: log.slice(at).join('\n') },
      )
    : new UserError(
        `This server does not take “${settings[name]}” for the setting ${name}: ${reason}.`,
        'Give it a value that it takes.',
        undefined,
        { detail: log.slice(at).join('\n') },
      );
}
