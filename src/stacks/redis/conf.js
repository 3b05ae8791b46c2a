import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { problem } from '../texts.js';
import { KNOWN } from './known.js';
import { ALL_NODES, FIRST_PRIMARY, kindOf, MASTER_NAME, quorumOf } from './topology.js';

/** Configuration files of nodes: the templates, settings that a node has from its start on, and what others may have written there. */
/** @import { Address } from '../types.js' */
/** @typedef {import('../types.js').Settings} Settings */
/** @typedef {{nodes: readonly string[], announced: (id: string) => Address}} Place nodes: all ids; announced: where peers find a node */

const CONF_DIR = fileURLToPath(new URL('../../../conf/', import.meta.url));

/** @param {string} id of the Sentinel @param {Place & {dir: string}} where dir: its working directory, as the Sentinel sees it */
export function sentinelConf(id, { dir, nodes, announced }) {
  const { host, port } = announced(id);
  const primary = announced(FIRST_PRIMARY);
  const template = readFileSync(`${CONF_DIR}sentinel.conf`, 'utf8').split('\n');
  const text = template.filter((line) => !line.startsWith(BEFORE_KNOWN)).join('\n');
  const filled = fillIn(text, {
    DIR: confWord(dir),
    MYID: String(myidOf(id)),
    HOST: host,
    PORT: port,
    PRIMARY_HOST: primary.host,
    PRIMARY_PORT: primary.port,
    QUORUM: quorumOf(nodes.filter((each) => kindOf(each) === 'sentinel').length),
  });
  return [filled, ...knownLines(id, { nodes, announced }), ''].join('\n');
}

/**
 * @param {string} id of a node with files of its own
 * @param {Place & {dir: string, port: number, follows: boolean, ofSentinel: readonly string[], ofRedis: readonly string[]}} where follows:
 *   begins as a replica; ofSentinel, ofRedis: further lines: the last line of a name counts
 */
export function nodeConf(id, { dir, port, nodes, announced, follows, ofSentinel, ofRedis }) {
  if (kindOf(id) === 'sentinel')
    return [sentinelConf(id, { dir, nodes, announced }), `port ${port}`, ...ofSentinel, ''].join('\n');
  const { host, port: primaryPort } = announced(FIRST_PRIMARY);
  const replicaof = follows ? [`replicaof ${host} ${primaryPort}`] : [];
  const beginning = readFileSync(`${CONF_DIR}redis.conf`, 'utf8');
  return [beginning, `port ${port}`, `dir ${confWord(dir)}`, ...replicaof, ...ofRedis, ''].join('\n');
}

const BEFORE_KNOWN = 'sentinel known-';

/** @param {string} id of a Sentinel @param {Place} where @returns lines about the replicas and the other Sentinels */
export function knownLines(id, { nodes, announced }) {
  return nodes.flatMap((node) => {
    if (node === id || node === FIRST_PRIMARY) return [];
    const { host, port } = announced(node);
    const myid = myidOf(node);
    return myid === undefined
      ? `${BEFORE_KNOWN}replica ${MASTER_NAME} ${host} ${port}`
      : `${BEFORE_KNOWN}sentinel ${MASTER_NAME} ${host} ${port} ${myid}`;
  });
}

/** @param {string} id @returns undefined: it is no Sentinel */
const myidOf = (id) => ALL_NODES.find((node) => node.id === id)?.myid;

/** Directives that make a server run code or write to other files than ours. */
const DANGEROUS =
  /^(include|loadmodule(-ex)?|rename-command|enable-.*|aclfile|logfile|pidfile|unixsocket|daemonize|supervised|dir|dbfilename|append(file|dir)name|sentinel (notification|client-reconfig)-script)$/;

/**
 * Looks for lines that somebody else may have written. A server does not quote the host of REPLICAOF or the value of SENTINEL SET, so
 * anybody who can connect to it can write any line to its configuration, which it would obey as our user after a restart.
 * @param {string} text of a node's configuration, as the server has rewritten it @param {{ownText: string, dir: string}} ours as we wrote it
 * @returns the first line that could do harm and is not ours
 */
export function foreignLine(text, { ownText, dir }) {
  const ownLines = new Set(ownText.split('\n').map((line) => line.trim()));
  const harms = (/** @type {string} */ line) => {
    const [, directive, value = ''] = /^(sentinel\s+\S+|\S+)\s*(.*)$/is.exec(line) ?? [];
    if (directive === undefined || line.startsWith('#') || ownLines.has(line)) return false;
    // Servers quote values, never names. A quoted name would evade the check below.
    if (/["']/.test(directive)) return true;
    const name = directive.toLowerCase().replace(/\s+/, ' ');
    return DANGEROUS.test(name) && !(name === 'dir' && unquoted(value) === dir);
  };
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .find(harms) ?? null
  );
}

/** @param {string} value as a server writes a text */
function unquoted(value) {
  if (!/^".*"$/.test(value)) return value;
  // Byte by byte: servers write each byte of a character beyond ASCII by its number.
  const bytes = value.slice(1, -1).replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_, code, letter) => {
    return code ? String.fromCharCode(Number.parseInt(code, 16)) : letter;
  });
  return Buffer.from(bytes, 'latin1').toString();
}

/** Replaces every `@NAME@`. @param {string} template @param {Record<string, string | number>} values */
export function fillIn(template, values) {
  return template.replace(/@([A-Z][A-Z0-9_]*)@/g, (_, name) => {
    if (!(name in values)) throw new Error(`@${name}@ has no value`);
    return String(values[name]);
  });
}

const PLAIN_WORD = /^[\w.:/*@%+-]+$/;

/** Lines for the end of the file: the last line of a name counts. @param {Settings} [settings] @throws {UserError} a name is invalid */
export function settingLines(settings = {}) {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!/^[a-z][a-z0-9-]*$/i.test(name)) throw problem('setting-name', { name });
    const listed = KNOWN.lists[name.toLowerCase()];
    const words = value.split(' ').filter((word) => word !== '' && word !== '""');
    if (words.length === 0) return [`${name} ""`];
    if (listed === undefined) return [`${name} ${confWord(value)}`];
    const size = listed || words.length;
    const groups = Array.from({ length: Math.ceil(words.length / size) }, (_, index) =>
      words.slice(index * size, (index + 1) * size),
    );
    // Save points add up, including those of earlier lines.
    const emptied = name.toLowerCase() === 'save' ? ['save ""'] : [];
    return [...emptied, ...groups.map((group) => `${name} ${group.map(confWord).join(' ')}`)];
  });
}

/** @param {string} word @returns quoted for the server's parser, so that nothing in it ends the line */
export function confWord(word) {
  if (PLAIN_WORD.test(word)) return word;
  const bytes = [...Buffer.from(word)].map((byte) => {
    const shown = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return shown ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${bytes.join('')}"`;
}

/**
 * Checks whether a server ended at its start because of one of the settings.
 * @param {readonly string[]} log its last lines @param {Settings | undefined} settings @returns null: it ended for another reason
 */
export function refusedSetting(log, settings = {}) {
  const at = log.findLastIndex((line) => line.startsWith('>>> '));
  const name = /^>>> '([^\s']+)/.exec(log[at] ?? '')?.[1];
  if (name === undefined || !Object.hasOwn(settings, name)) return null;
  const reason = (log[at + 1] ?? '').trim().replace(/\.$/, '');
  // Servers of all versions say this of an unknown name.
  const unknown = /^Bad directive/i.test(reason) || reason === '';
  const detail = log.slice(at).join('\n');
  if (unknown) return problem('setting-unknown', { name }, { detail });
  return problem('setting-refused', { value: settings[name], name, reason }, { detail });
}
