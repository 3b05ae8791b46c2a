/** The verdict as people read it: on a terminal in at most 25 lines, or as Markdown. */
/**
 * @import { PredictedFault } from './types.js' @import { SavedCheck } from './files.js'
 * @import { JudgedFinding, Judgement } from './judge.js' @import { Column } from '../table.js'
 */
import chalk from 'chalk';
import { plural, serverText, shorten } from '../format.js';
import { heading, list, renderBlocks, table, text } from '../report/blocks.js';
import { left } from '../table.js';
import { machinesOf, primaryOf } from './machines.js';

const MOST_LINES = 25;
/** Head, what is not shown, what cannot be seen, what was not told. */
const OTHER_LINES = 7;
const MOST_UNKNOWNS = 3;
const WIDTH = 160;
/** Below the severity and the source. */
const INDENT = ' '.repeat('inherent arithmetic '.length);

const TONES = /** @type {const} */ ({ critical: 'red', high: 'red', medium: 'yellow', low: 'dim', inherent: 'dim' });

/** @param {Judgement} judgement @param {{wait: number}} asks */
function headOf({ deployment: d }, { wait }) {
  const primary = primaryOf(d);
  const servers = `${plural(d.nodes.length, 'node')}, ${plural(d.sentinels.length, 'Sentinel')}`;
  const waits = wait === 0 ? 'WAIT is not readable, so none is assumed (--wait N)' : `writers send WAIT ${wait}`;
  const server = primary ? serverText(primary.server) : 'no primary was read';
  return `${d.masterName}: ${servers} on ${plural(machinesOf(d).length, 'machine')}; ${server}; ${waits}`;
}

/** @param {JudgedFinding} found */
const adviceOf = ({ fix, price }) => `${fix}${price === '' ? '' : ` Costs ${price}.`}`;

/** At most 25 lines for one deployment. @param {readonly Judgement[]} judgements @param {{wait: number, width?: number}} options */
export function terminalVerdict(judgements, { wait, width = WIDTH }) {
  return judgements.map((each) => terminalOf(each, { wait, width }).join('\n')).join('\n\n');
}

/** @param {Judgement} judgement @param {{wait: number, width: number}} options */
function terminalOf(judgement, { wait, width }) {
  const { findings, unknowns } = judgement;
  const open = findings.filter((one) => one.accepted === null);
  const accepted = findings.filter((one) => one.accepted !== null);
  const shown = open.slice(0, Math.floor((MOST_LINES - OTHER_LINES) / 2));
  const more = open.slice(shown.length);
  const ids = (/** @type {readonly JudgedFinding[]} */ some) => some.map(({ id }) => id).join(', ');
  const fitting = (/** @type {string} */ line) => shorten(line, width - INDENT.length);
  const lines = shown.flatMap((one) => [
    `${chalk[TONES[one.severity]](one.severity.padEnd(9))}${sourceOf(one)}${fitting(one.text)}`,
    `${INDENT}${chalk.dim(fitting(`→ ${adviceOf(one)}`))}`,
  ]);
  if (open.length === 0) lines.push('Nothing found that is not accepted.');
  if (more.length > 0) lines.push(shorten(`${more.length} more: ${ids(more)} (--format markdown shows all)`, width));
  if (accepted.length > 0) lines.push(`${plural(accepted.length, 'accepted finding')}: ${ids(accepted)}`);
  lines.push(...unknowns.slice(0, MOST_UNKNOWNS).map((unknown) => shorten(unknownText(unknown), width)));
  if (shown[0]?.command) lines.push(`To see it on a stack of its own: ${shown[0].command}`);
  return [chalk.bold(headOf(judgement, { wait })), ...lines];
}

/** @param {JudgedFinding} found */
const sourceOf = ({ source }) => source.padEnd('arithmetic '.length);

/** @param {Judgement['unknowns'][number]} unknown */
function unknownText({ what, why, allow }) {
  return `unknown  ${why}${allow === '' ? '' : ` (allow ${allow})`}. Not judged: ${what.join(', ')}.`;
}

/** @type {Column<JudgedFinding>[]} */
const COLUMNS = [
  left('severity', ({ severity, accepted }) => (accepted ? `accepted: ${accepted.reason}` : severity)),
  left('finding', ({ id, text }) => `${text} (\`${id}\`)`),
  left('how known', ({ source, trials }) => (trials === '' ? source : `${source}; ${trials}`)),
  left('what to do', adviceOf),
  left('reproduce', ({ command }) => (command === '' ? '' : `\`${command}\``)),
];

/** @param {readonly Judgement[]} judgements @param {{wait: number}} options @returns {string} every finding */
export function markdownVerdict(judgements, options) {
  const blocks = judgements.flatMap((judgement) => [
    heading(2, judgement.deployment.masterName),
    text(headOf(judgement, options)),
    table(COLUMNS, [...judgement.findings]),
    list(judgement.unknowns.map(unknownText)),
  ]);
  return renderBlocks(blocks);
}

/** All that was read, and all that was said about it. @param {readonly Judgement[]} judgements @param {{wait: number, now: Date}} options */
export function jsonVerdict(judgements, { wait, now }) {
  return {
    version: 1,
    checkedAt: now.toISOString(),
    wait,
    deployments: judgements.map(({ deployment, findings, unknowns, predictions }) => ({
      masterName: deployment.masterName,
      findings: findings.map((each) => ({ ...each, loses: Number.isFinite(each.loses) ? each.loses : 'all' })),
      unknowns,
      predictions: predictions.map((each) => ({ ...each, fault: { ...each.fault, seconds: finite(each.fault) } })),
      deployment,
    })),
  };
}

/** @param {PredictedFault} fault */
const finite = ({ seconds }) => (Number.isFinite(seconds) ? seconds : null);

/** @param {SavedCheck} earlier @param {readonly Judgement[]} judgements @returns {string[]} a line for each finding that is new or gone */
export function changesSince(earlier, judgements) {
  /** @typedef {{id: string, text: string}} Named */
  const lacking = (/** @type {readonly Named[]} */ some, /** @type {readonly Named[]} */ others) =>
    some.filter(({ id }) => !others.some((each) => each.id === id));
  const lines = judgements.flatMap(({ deployment: { masterName: name }, findings }) => {
    const before = earlier.deployments.find((each) => each.masterName === name)?.findings ?? [];
    return [
      ...lacking(findings, before).map(({ id, text }) => `new   ${name} ${id}: ${text}`),
      ...lacking(before, findings).map(({ id, text }) => `gone  ${name} ${id}: ${text}`),
    ];
  });
  return lines.length === 0 ? ['Nothing has changed since the saved check.'] : lines;
}
