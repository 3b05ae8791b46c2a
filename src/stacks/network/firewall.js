/**
 * Packet filter rules between addresses of one stack, in an nftables table of its own. One command deletes the table with all its
 * rules. No rule elsewhere is read or changed.
 */
import { execFile } from 'node:child_process';
import { environmentForPrograms, programPath } from '../../programs.js';

/**
 * @typedef {'ip' | 'bridge'} Family ip: packets that this machine receives; bridge: packets between containers, and between them and
 *   this machine
 *
 * @typedef {Object} Block packets from any of these addresses to any of those are lost
 * @property {readonly string[]} from IPv4 addresses, at least one
 * @property {readonly string[]} to
 *
 * @typedef {Object} Firewall
 * @property {(blocks: readonly Block[]) => Promise<void>} set replaces all rules at once; without blocks it removes the table
 * @property {() => Promise<void>} remove the table; idempotent
 */

const PREFIX = 'sentinel_bench_';

/** Debian keeps it out of the PATH of users. */
export const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

const INSTALL =
  'install nftables (Debian: `apt install nftables`; Fedora: `dnf install nftables`; Alpine: `apk add nftables`)';

/**
 * A packet is dropped where it arrives. A sender whose packet is dropped on its way out may get an error, which no network gives.
 *
 * @type {Readonly<Record<Family, readonly string[]>>}
 */
const HOOKS = { ip: ['input'], bridge: ['forward', 'input', 'output'] };

/** Before the rules of others, which may accept what is to be dropped. */
const PRIORITY = -300;

/** @type {Map<Family, Promise<string | null>>} */
const answers = new Map();

/**
 * Changes nothing.
 *
 * @param {Family} [family]
 * @returns {Promise<string | null>} why packets cannot be dropped here, and the remedy, without a full stop; null: they can
 */
export function whyNoFirewall(family = 'ip') {
  const answer = answers.get(family) ?? examine(family);
  answers.set(family, answer);
  return answer;
}

/** @param {Family} family */
async function examine(family) {
  if (process.platform !== 'linux') return 'separating groups of nodes needs nftables, so run this on Linux';
  if (process.getuid?.() !== 0)
    return 'separating groups of nodes needs nftables, so run this as root, for instance with sudo';
  if (nft() === null) return `separating groups of nodes needs nftables, so ${INSTALL}`;
  const table = tableText(family, `${PREFIX}check`, [{ from: ['127.255.255.253'], to: ['127.255.255.254'] }]);
  try {
    await run(['--check', '--file', '-'], table);
    return null;
  } catch (error) {
    const reason = /** @type {Error} */ (error).message.split('\n')[0];
    return `nftables refuses rules here (${reason}), so give this process CAP_NET_ADMIN, for instance with a privileged container`;
  }
}

/**
 * @param {string} net that only this stack uses: the first three numbers of its addresses
 * @param {Family} [family]
 * @param {readonly string[]} [before] words before the command, which then runs in another network namespace
 * @returns {Firewall}
 */
export function openFirewall(net, family = 'ip', before = []) {
  const name = `${PREFIX}${net.replaceAll('.', '_')}`;
  const empty = `table ${family} ${name}\ndelete table ${family} ${name}\n`;
  /** Another process may have left rules. */
  let isClear = false;
  return {
    async set(blocks) {
      isClear = false;
      await run(['--file', '-'], blocks.length === 0 ? empty : empty + tableText(family, name, blocks), before);
    },
    async remove() {
      // Without nftables or rights there are no rules of ours.
      if (isClear || (await whyNoFirewall(family)) !== null) return;
      await run(['--file', '-'], empty, before);
      isClear = true;
    },
  };
}

/**
 * @param {Family} family
 * @param {string} name
 * @param {readonly Block[]} blocks
 */
function tableText(family, name, blocks) {
  const rules = blocks.map(({ from, to }) => `ip saddr { ${from.join(', ')} } ip daddr { ${to.join(', ')} } drop`);
  const chains = HOOKS[family].map((hook) =>
    [`chain ${hook}_side {`, `type filter hook ${hook} priority ${PRIORITY};`, ...rules, '}'].join('\n'),
  );
  return [`table ${family} ${name} {`, ...chains, '}', ''].join('\n');
}

/** @returns {string | null} */
function nft() {
  return programPath('nft', SYSTEM_FOLDERS);
}

/**
 * @param {readonly string[]} args
 * @param {string} input
 * @param {readonly string[]} [before]
 * @returns {Promise<void>} rejects with what the program said
 */
function run(args, input, before = []) {
  const [program, ...words] = [...before, String(nft()), ...args];
  return new Promise((resolve, reject) => {
    const env = { ...environmentForPrograms(), LC_ALL: 'C' };
    const child = execFile(program, words, { env }, (error, _stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }));
      else resolve();
    });
    // A program that ends early closes its input; its own error says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
