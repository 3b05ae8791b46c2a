/**
 * A configuration in words and as files: what is set, and what a client has to do.
 *
 * @import { DecisionRow } from './decision.js'
 */

import { clientCode, pastedName, rollOut } from '../pages/paste.js';
import { coordinatedCommand, failoverRunbook } from '../pages/planned-failover.js';
import { lossIn } from './decision.js';

const MINIMUM = 'min-replicas-to-write';

/**
 * @param {DecisionRow} row
 * @returns {string} what is set, with code between backticks: `` `appendonly yes`, `appendfsync always` on every Redis node ``
 */
export function settingsText({ params, note }) {
  const settings = Object.entries(params.settings ?? {}).map(([name, value]) => code(`${name} ${value}`));
  const parts = settings.length === 0 ? [] : [`${settings.join(', ')} on every Redis node`];
  // Every failure case records its Sentinels' down-after; only that setting sets it.
  if (note !== null && params.setting !== undefined && params.downAfterMs !== undefined)
    parts.push(`${code(`down-after-milliseconds ${params.downAfterMs}`)} on every Sentinel`);
  return parts.length === 0 ? 'defaults' : parts.join('; ');
}

/** @param {DecisionRow} row @returns {string} what a client has to do, with code between backticks */
export function clientText({ params }) {
  const { wait, waitLocal, waitTimeoutMs, waitMode, settings, writers } = params;
  const parts = [];
  const command = waitLocal === undefined ? `WAIT ${wait}` : `WAITAOF ${waitLocal} ${wait}`;
  if (wait > 0 || waitLocal !== undefined) {
    const sequential = waitMode === 'sequential' && writers === undefined;
    const when = sequential ? 'after the write was answered' : 'sent with each write or pipeline';
    const least = waitLocal === undefined ? `${wait}` : `${waitLocal} and ${wait}`;
    const read = waitLocal === undefined ? 'read its count' : 'read both counts';
    parts.push(
      `${code(`${command} ${waitTimeoutMs}`)} ${when}, on the same connection; ${read}: less than ${least} means not confirmed`,
    );
  }
  if ((settings?.[MINIMUM] ?? '0') !== '0') parts.push(`a write answered ${code('NOREPLICAS')} was not applied`);
  return parts.length === 0 ? 'read the answer' : parts.join('; ');
}

/** @param {string} text */
export function code(text) {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``;
}

/**
 * @typedef {Object} Paste what to paste for a mode
 * @property {string} rollOut command that makes the settings on running servers
 * @property {string} client JavaScript
 * @property {string} runbook of a planned failover, for a shell
 * @property {string} [coordinated] the command that does the same, where the server has it and lost nothing
 */

/** @param {DecisionRow} row @param {string} masterName @returns {Paste} */
export function pasteOf(row, masterName) {
  const name = pastedName(masterName);
  return {
    rollOut: rollOut(row.title, row.params.settings, name),
    client: clientCode(row.params, name),
    runbook: failoverRunbook(name),
    ...(lossIn(row, 'coordinated')?.most === 0 && { coordinated: coordinatedCommand(name) }),
  };
}
