/** What every node of a MariaDB stack is started with, as mariadb.yaml has it. */

import { DATABASE, ENTRIES } from '../../clients/mysql.js';
import { filled } from '../../sentences.js';
import { readYaml } from '../../yaml.js';
import { ADMIN, APPLICATION } from './topology.js';

const LISTED = readYaml(new URL('mariadb.yaml', import.meta.url));

/** @type {Readonly<Record<string, string>>} */
export const COMMON_CONF = LISTED.configuration;

/** @type {readonly string[]} */
export const SHOWN = LISTED.shown;

/** @param {Readonly<Record<string, string>>} lines @returns a configuration file */
export function confText(lines) {
  // More than a word is quoted: `#` would begin a comment, and a backslash an escape.
  const quoted = (/** @type {string} */ value) =>
    /^[\w.:/*@%+-]*$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  const texts = Object.entries(lines).map(([name, value]) => `${name} = ${quoted(value)}\n`);
  return `[mysqld]\n${texts.join('')}`;
}

/**
 * @param {{password: string, from: string}} login password: letters, digits, `-` and `_`; from: the hosts that may log in, `%` for all
 * @returns statements, one a line
 */
export function firstStatements({ password, from }) {
  const [admin, application] = [ADMIN, APPLICATION].map((user) => `'${user}'@'${from}'`);
  const values = { admin, application, password, database: DATABASE, entries: ENTRIES };
  return LISTED['first-statements'].map((/** @type {string} */ each) => `${filled(each, values)};\n`).join('');
}
