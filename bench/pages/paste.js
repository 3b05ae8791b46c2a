/**
 * What to paste for a mode: settings of the nodes, and code of a client.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 */
import { code, list, text } from '../../src/report/blocks.js';

const MINIMUM = 'min-replicas-to-write';
/** What Sentinels call a primary if nobody says otherwise. */
const USUAL_NAME = 'mymaster';
/** A result from elsewhere may name its primary in any way, and people paste what is printed. */
const PLAIN_NAME = /^[\w.-]+$/;

/**
 * @param {string} masterName
 * @returns {string} safe to paste
 */
export function pastedName(masterName) {
  return PLAIN_NAME.test(masterName) ? masterName : 'MASTER_NAME';
}

/** The same of settings, which become arguments of a shell. */
const PLAIN_VALUE = /^[\w.-]+( [\w.-]+)*$/;

/**
 * @param {Readonly<Record<string, string>>} settings
 * @returns {[name: string, value: string][]} safe to paste, without those that change nothing
 */
function wantedSettings(settings) {
  // 0 is the default. A node that asks for replicas already goes on doing so. A limit without a number of replicas has no effect.
  const asks = (settings[MINIMUM] ?? '0') !== '0';
  return Object.entries(settings)
    .filter(([name]) => PLAIN_NAME.test(name) && (asks || !name.startsWith('min-replicas')))
    .map(([name, value]) => [name, PLAIN_VALUE.test(value) ? value : 'VALUE']);
}

/** During a rewrite of the file nothing would be synced, whatever `appendfsync` says. */
const SYNC_ALWAYS = ['no-appendfsync-on-rewrite', 'no'];

/**
 * Pasted commands would go on after an error, and nothing would ask whether all nodes are well. `configure` does, and shows the commands. With
 * `appendonly yes` in a file and an RDB file only, a node of Redis 7 starts empty, so the settings are made while it runs:
 * https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 *
 * @param {string} title of the mode
 * @param {Readonly<Record<string, string>>} [settings]
 * @param {string} [name] of the primary, from {@link pastedName}
 * @returns {string} a command for a shell
 */
export function rollOut(title, settings = {}, name = USUAL_NAME) {
  const wanted = wantedSettings(settings);
  if (wanted.length === 0) return `# ${title}: the servers need no setting for it`;
  const all = settings.appendonly === 'yes' ? [...wanted, SYNC_ALWAYS] : wanted;
  return [
    `# ${title}${forWhom(settings)}. Changes nothing: shows each command, and the undo`,
    `npx sentinel-bench configure --sentinel SENTINEL-HOST:26379 --master-name ${name} \\`,
    linesOf(all.map((setting) => `--set ${word(setting.join('='))}`)).join(' \\\n'),
  ].join('\n');
}

/** @param {Readonly<Record<string, string>>} settings @returns {string} with fewer replicas it stops all writes, with more it may lose some */
function forWhom({ [MINIMUM]: replicas = '0' }) {
  return Number(replicas) >= 2 ? `, for exactly ${Number(replicas)} replicas` : '';
}

/** As wide as a page prints a block. */
const WIDTH = 110;

/** @param {readonly string[]} words @returns {string[]} indented lines that hold as many as fit */
function linesOf(words) {
  /** @type {string[]} */
  const lines = [];
  for (const each of words) {
    const longer = `${lines.at(-1)} ${each}`;
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`  ${each}`);
  }
  return lines;
}

/** @param {string} text without quotes @returns {string} one word of a shell */
const word = (text) => (text.includes(' ') ? `'${text}'` : text);

/** Many write the line that ends their data into the file first. */
const DANGER =
  'Do not write `appendonly yes` into redis.conf yourself: a server that restarts with it before it has an append-only file starts empty, and its replicas copy that. `configure` makes the file while the server runs, and writes that line when it is complete.';
const PREVIEW =
  'As it stands the command changes nothing: it shows what it would do, and the undo, which you keep. Run it in a clone of this repository (after `npm ci`), on a machine that reaches a Sentinel and all nodes. Passwords: `SENTINEL_BENCH_PASSWORD`, Sentinels `SENTINEL_BENCH_SENTINEL_PASSWORD`; for ACL users and TLS add `--user`, `--sentinel-user`, `--tls-ca`.';

/**
 * @param {boolean} file whether the settings make an append-only file
 * @returns {Record<string, string>} the steps after the preview, by their names
 */
function stepsAfter(file) {
  const first = file ? ' the append-only file first (the fork needs memory, and room on the disk),' : '';
  const kept = file
    ? ': with `appendonly no` the next start ignores the file. With these lines never start a node that has only an RDB file'
    : '';
  return {
    apply: `pause your configuration management, append \`--apply\` to the command, and run it when the load is low. It wants all nodes in sync, and as many replicas as \`min-replicas-to-write\` asks for. It changes the replicas one after the other, the primary last; on each node${first} \`min-replicas-to-write\` last, then \`CONFIG REWRITE\`. At the first error it stops and says what is changed: repair it and run it again, or paste the undo`,
    check: 'run the command without `--apply`: it says that every node has these settings already',
    keep: `only now give your configuration management the same settings, as lines such as \`appendfsync always\`${kept}. In containers redis.conf and the data have to be on a volume`,
  };
}

/**
 * @param {string} command from {@link rollOut}
 * @param {string} [before] what else a reader must know, a sentence
 * @returns {Block[]} the command, between what harms those who do not know it and the steps that follow
 */
export function rollOutBlocks(command, before = '') {
  if (command.startsWith('#') && !command.includes('\n')) return [code(command, 'sh')];
  const file = command.includes('appendonly=yes');
  return [
    text([before, PREVIEW].filter(Boolean).join(' ')),
    ...(file ? [text(DANGER)] : []),
    code(command, 'sh'),
    list(Object.entries(stepsAfter(file)).map(([name, what]) => ({ name, text: what, details: [] }))),
  ];
}

/**
 * The client comes first, because it works without the settings, and they make a primary refuse writes.
 *
 * @param {Pick<CaseParams, 'wait'>} params
 */
export function clientStep({ wait }) {
  const asks = wait > 0 ? `, and confirms nothing while there are fewer replicas than ${wait}` : '';
  return `Step 1, the client: it changes no server${asks}.`;
}

/**
 * @param {string} [minimum] of `min-replicas-to-write`
 * @param {string} [note] what that does; default: which writes it refuses
 */
export function settingsStep(minimum = '0', note = refuses(minimum)) {
  return ['Step 2, the settings.', note].filter(Boolean).join(' ');
}

/** @param {string} minimum */
function refuses(minimum) {
  return minimum === '0'
    ? ''
    : `They make the primary refuse the writes of every client while fewer than ${minimum} replicas have acknowledged within \`min-replicas-max-lag\`, also after a failover.`;
}

/** The first line of a block of redis-cli. Passwords stay in the environment, because every user of the machine can read command lines. */
export const LOGIN_LINE =
  "# With a login, first: read -rs REDISCLI_AUTH; export REDISCLI_AUTH; LOGIN='--user NAME --tls --cacert FILE'";
/** Without -e redis-cli ends with status 0 when the server refuses a command. */
export const REDIS_CLI = 'redis-cli -e $LOGIN';

/** With one Sentinel only, a client could not start while that is down. */
export const PASTED_SENTINELS = "['SENTINEL-1', 'SENTINEL-2', 'SENTINEL-3'].map((host) => ({ host, port: 26379 }))";

/**
 * @param {Pick<CaseParams, 'wait' | 'waitLocal' | 'waitTimeoutMs'>} params
 * @param {string} name of the primary, from {@link pastedName}
 * @returns {string} JavaScript
 */
export function clientCode({ wait, waitLocal, waitTimeoutMs }, name) {
  if (waitLocal !== undefined)
    return [
      '// The client needs one connection to the primary for both commands.',
      `const [, counts] = await Promise.all([client.set(key, value), client.sendCommand(['WAITAOF', '${waitLocal}', '${wait}', '${waitTimeoutMs}'])]);`,
      `if (counts[0] < ${waitLocal} || counts[1] < ${wait}) throw new Error('not confirmed');`,
    ].join('\n');
  if (wait === 0)
    return '// An error after sending means that the outcome is unknown. Never repeat such a write blindly.\nawait client.set(key, value);';
  return [
    "import { connect } from './node-redis.js'; // a copy of examples/node-redis.js; examples/ioredis.js has the same API",
    `const sentinels = ${PASTED_SENTINELS};`,
    `const redis = await connect({ sentinels, name: '${name}' });`,
    `const { outcome } = await redis.confirmedSet(key, value, { replicas: ${wait}, timeoutMs: ${waitTimeoutMs} });`,
    "if (outcome === 'rejected') throw new Error('not written: try again later');",
    '// under-acked, unknown: perhaps written, so never send an INCR again blindly.',
    "if (outcome !== 'acked') throw new Error('perhaps written: ' + outcome);",
  ].join('\n');
}
