/**
 * Packet filter rules between addresses of one stack, in an nftables table of its own. One command deletes the table with all its
 * rules. No rule elsewhere is read or changed.
 * @import { Address } from '../types.js'
 * @typedef {'ip' | 'bridge' | 'machine'} Family ip: packets that this machine receives; machine: and those it sends; bridge: packets
 *   between containers, and between them and this machine
 * @typedef {Object} DropRule packets from any of these addresses to any of those are lost
 * @property {readonly string[]} from IPv4 addresses, at least one
 * @property {readonly string[]} to
 * @property {number} [fromPort] only those of TCP from this port
 * @property {number} [toPort] only those of TCP to this port
 * @property {number} [group] only those that a process of this group (gid) sends
 * @typedef {Pick<ReturnType<typeof openFirewall>, 'set' | 'remove'>} Firewall
 */
import { messageOf } from '../../errors.js';
import { onceFor } from '../../once.js';
import { runTool, whyNotAsRoot } from '../../programs.js';
import { text } from '../texts.js';

const PREFIX = 'sentinel_bench_';

/**
 * A packet is dropped where it arrives, if possible. A sender whose packet is dropped on its way out may get an error, which no network gives.
 * @type {Readonly<Record<Family, readonly string[]>>}
 */
const HOOKS = { ip: ['input'], machine: ['input', 'output'], bridge: ['forward', 'input', 'output'] };

/** Before the rules of others, which may accept what is to be dropped. */
const PRIORITY = -300;

/** @returns why packets cannot be dropped here, and the remedy, without a full stop */
export const whyNoFirewall = onceFor(async (/** @type {Family | undefined} */ family = 'ip') => {
  const missing = whyNotAsRoot('separating groups of nodes needs nftables', { nft: text('install-nftables') });
  if (missing !== null) return missing;
  const table = tableText(family, `${PREFIX}check`, [{ from: ['127.255.255.253'], to: ['127.255.255.254'] }]);
  try {
    await runTool(['nft', '--check', '--file', '-'], table);
    return null;
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    return `nftables refuses rules here (${reason}), so give this process CAP_NET_ADMIN, for instance with a privileged container`;
  }
});

/**
 * @param {string} net that only this stack uses: the first three numbers of its addresses @param {Family} [family]
 * @param {readonly string[]} [before] words before the command, which then runs in another network namespace
 * @param {readonly Address[]} [kept] servers whose packets always pass
 */
export function openFirewall(net, family = 'ip', before = [], kept = []) {
  const name = `${PREFIX}${net.replaceAll(/[.-]/g, '_')}`;
  const table = `table ${layerOf(family)} ${name}`;
  const empty = `${table}\ndelete ${table}\n`;
  const command = [...before, 'nft', '--file', '-'];
  let isClear = false;
  return {
    /** Replaces all rules at once; without blocks it removes the table. @param {readonly DropRule[]} blocks */
    async set(blocks) {
      isClear = false;
      await runTool(command, blocks.length === 0 ? empty : empty + tableText(family, name, blocks, kept));
    },
    async remove() {
      if (isClear || (await whyNoFirewall(family)) !== null) return;
      await runTool(command, empty);
      isClear = true;
    },
  };
}

/** Rules that several owners set. @param {(rules: readonly DropRule[]) => Promise<void>} apply puts all of them into force */
export function openRules(apply) {
  /** @type {Map<string, readonly DropRule[]>} */
  const rules = new Map();
  const all = () => [...rules.values()].flat();
  return {
    all,
    async set(/** @type {string} */ owner, /** @type {readonly DropRule[]} */ own) {
      rules.set(owner, own);
      await apply(all());
    },
    async clear() {
      rules.clear();
      await apply([]);
    },
  };
}

/** @param {Family} family @param {string} name @param {readonly DropRule[]} blocks @param {readonly Address[]} [kept] */
function tableText(family, name, blocks, kept = []) {
  const passing = kept.flatMap(({ host, port }) => [
    `ip saddr ${host} tcp sport ${port} accept`,
    `ip daddr ${host} tcp dport ${port} accept`,
  ]);
  const rules = [...passing, ...blocks.map(ruleOf)];
  const chains = HOOKS[family].map((hook) =>
    [`chain ${hook}_side {`, `type filter hook ${hook} priority ${PRIORITY};`, ...rules, '}'].join('\n'),
  );
  return [`table ${layerOf(family)} ${name} {`, ...chains, '}', ''].join('\n');
}

function ruleOf(/** @type {DropRule} */ { from, to, fromPort, toPort, group }) {
  const only = Object.entries({ 'meta skgid': group, 'tcp sport': fromPort, 'tcp dport': toPort });
  const words = only.flatMap(([name, value]) => (value === undefined ? [] : `${name} ${value}`));
  return [`ip saddr { ${from.join(', ')} }`, `ip daddr { ${to.join(', ')} }`, ...words, 'drop'].join(' ');
}

/** As nftables calls it. @param {Family} family */
const layerOf = (family) => (family === 'machine' ? 'ip' : family);
