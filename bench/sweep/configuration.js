/** A configuration in words and as files: what is set, and what a client has to do. */
/** @import { DecisionRow } from './decision.js' */

import { filled } from '../../src/sentences.js';
import { clientCode, coordinatedCommand, failoverRunbook, pastedName, rollOut } from '../pages/paste.js';
import { lossIn } from './decision.js';
import { WORDS } from './words.js';

const MINIMUM = 'min-replicas-to-write';

/** @param {DecisionRow} row @returns what is set, with code between backticks: `` `appendonly yes` on every Redis node `` */
export function settingsText({ params, note }) {
  const settings = Object.entries(params.settings ?? {}).map(([name, value]) => code(`${name} ${value}`));
  const parts = settings.length === 0 ? [] : [filled(WORDS.settings.everywhere, { settings: settings.join(', ') })];
  // Every failure case records its Sentinels' down-after; only that setting sets it.
  if (note !== null && params.setting !== undefined && params.downAfterMs !== undefined)
    parts.push(filled(WORDS.settings.sentinels, { setting: code(`down-after-milliseconds ${params.downAfterMs}`) }));
  return parts.length === 0 ? 'defaults' : parts.join('; ');
}

/** @param {DecisionRow} row @returns {string} what a client has to do, with code between backticks */
export function clientText({ params }) {
  const { wait, waitLocal, waitTimeoutMs, waitMode, settings, writers } = params;
  const says = WORDS.client;
  const local = waitLocal !== undefined;
  const command = code(`${local ? `WAITAOF ${waitLocal} ${wait}` : `WAIT ${wait}`} ${waitTimeoutMs}`);
  const when = waitMode === 'sequential' && writers === undefined ? says.sequential : says.pipelined;
  const least = local ? `${waitLocal} and ${wait}` : wait;
  const parts = [
    ...(wait > 0 || local ? [filled(local ? says.counts : says.count, { command, when, least })] : []),
    ...((settings?.[MINIMUM] ?? '0') !== '0' ? [says.refused] : []),
  ];
  return parts.length === 0 ? says.plain : parts.join('; ');
}

/** @param {string} text */
export function code(text) {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``;
}

/** What to paste for a mode; coordinated: where the server has it and lost nothing. @param {DecisionRow} row @param {string} masterName */
export function pasteOf(row, masterName) {
  const name = pastedName(masterName);
  return {
    rollOut: rollOut(row.title, row.params.settings, name),
    client: clientCode(row.params, name),
    runbook: failoverRunbook(name),
    ...(lossIn(row, 'coordinated')?.losing === 0 && { coordinated: coordinatedCommand(name) }),
  };
}
