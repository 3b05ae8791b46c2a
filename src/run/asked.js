/**
 * What the user asks of all cases. One that needs something else is not measured: a figure of other conditions misleads.
 * @import { CaseParams } from '../result/schema.js'
 * @import { Case } from './types.js'
 * @typedef {{params?: Partial<CaseParams>, settings?: Readonly<Record<string, string>>}} Asked params: of trials; settings: of every node
 */

/** The option that asks for a parameter, and how sentences show its value. @type {Readonly<Record<string, {flag: string, text: (value: any) => string}>>} */
const OPTIONS = Object.freeze({
  downAfterMs: { flag: '--down-after', text: (ms) => `down-after-milliseconds ${ms}` },
  linkLatencyMs: { flag: '--link-latency', text: (ms) => `a link latency of ${ms} ms` },
  placement: { flag: '--placement', text: (name) => `the placement ${name}` },
  replicas: { flag: '--replicas', text: (count) => `${count} replicas` },
  sentinels: { flag: '--sentinels', text: (count) => `${count} Sentinels` },
});

/** @param {CaseParams} params of a case @param {Asked} asked @returns {{message: string, remedy: string} | null} why not; null: it can be */
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
