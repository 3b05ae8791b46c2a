/**
 * What the user asks of all cases, beside what a case needs itself. A case that needs something else is not measured, and says why: a figure
 * of other conditions than those asked for misleads.
 * @import { CaseParams } from '../result/schema.js'
 * @import { Case } from './types.js'
 * @typedef {Object} Asked
 * @property {Partial<CaseParams>} [params] of trials; default: nothing
 * @property {Readonly<Record<string, string>>} [settings] of every node; default: none
 * @typedef {{message: string, remedy: string}} Unmet message: why a case cannot be measured as the user asks
 */

/** The option that asks for a parameter, and how sentences show its value. @type {Readonly<Record<string, {flag: string, text: (value: any) => string}>>} */
const OPTIONS = Object.freeze({
  downAfterMs: { flag: '--down-after', text: (ms) => `down-after-milliseconds ${ms}` },
  linkLatencyMs: { flag: '--link-latency', text: (ms) => `a link latency of ${ms} ms` },
  placement: { flag: '--placement', text: (name) => `the placement ${name}` },
  replicas: { flag: '--replicas', text: (count) => `${count} replicas` },
  sentinels: { flag: '--sentinels', text: (count) => `${count} Sentinels` },
});

/** @param {CaseParams} params of a case @param {Asked} asked @returns {Unmet | null} null: it can be measured */
export function whyNotAsAsked(params, { params: askedParams = {}, settings = {} }) {
  for (const [name, value] of Object.entries(askedParams)) {
    const own = params[/** @type {keyof CaseParams} */ (name)];
    if (own === undefined || own === value) continue;
    const { flag, text } = OPTIONS[name];
    return { message: `It needs ${text(own)}.`, remedy: `Leave out ${flag}.` };
  }
  for (const [name, value] of Object.entries(settings)) {
    const own = params.settings?.[name];
    if (own === undefined || own === value) continue;
    return { message: `It sets ${name} to ${JSON.stringify(own)}.`, remedy: `Leave out --set ${name}.` };
  }
  return null;
}

/** @param {Case} theCase @param {Asked} asked @returns {Case} with what the user asks for, where it needs nothing else */
export function withAsked(theCase, { params: askedParams, settings }) {
  const params = { ...askedParams, ...theCase.params };
  return { ...theCase, params: settings ? { ...params, settings: { ...settings, ...params.settings } } : params };
}
