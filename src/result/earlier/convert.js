/** Versions 1 and 2 of a result in the words of version 3. Parts that are damaged stay as they are, for the validation to name. */
import { readYaml } from '../../yaml.js';
import { convertMark } from './events.js';

/** Of document, trial, params, benchmark, writer, waitMode. @type {Readonly<Record<string, ReadonlyMap<unknown, string>>>} */
const NAMES = Object.fromEntries(
  Object.entries(readYaml(new URL('names.yaml', import.meta.url))).map(([of, names]) => [
    of,
    new Map(Object.entries(names)),
  ]),
);

const VERSION_1 = 'sentinel-bench/result@1';

/**
 * @param {unknown} document a result of version 1 or 2, as parsed from JSON; it is not changed
 * @param {string} schema of version 3 @returns {unknown} the same of version 3
 */
export function convertResult(document, schema) {
  const named = isObject(document) && document.schema === VERSION_1 ? withNewNames(document) : document;
  const cases = each((one) => changed(one, { params: withVariation }));
  const benchmarks = each((benchmark) => changed(benchmark, { timeline: each(withEvents), cases }));
  return changed(named, { schema: () => schema, benchmarks });
}

/** @param {unknown} trial of version 2 @returns {unknown} with typed events instead of marks */
function withEvents(trial) {
  return changed(withNames(trial, NAMES.trial), { events: each(convertMark) });
}

/** What the one text `variant` said before version 3. The first form that matches counts; the last is any other setting. */
const VARIANTS = [
  /^(?<length>plus-\d+ms|until-promoted|long)$/,
  /^(?<placement>colocated|apart)(?:-(?<setting>with-\d+))?$/,
  /^(?<setting>blocked)-(?<length>\d+s)$/,
  /^(?<way>by-.+|coordinated|unannounced|in-place|promoted)$/,
  /^(?<setting>.*)$/,
];

/** @param {unknown} params of version 2 @returns {unknown} with a field for each part of the variant */
function withVariation(params) {
  if (!isObject(params) || typeof params.variant !== 'string') return params;
  const { variant, ...others } = params;
  const found = VARIANTS.map((form) => form.exec(variant)).find((match) => match !== null);
  const parts = Object.entries(found?.groups ?? {}).filter(([, text]) => text !== undefined);
  return { ...others, ...Object.fromEntries(parts) };
}

/** @param {unknown} document of version 1 @returns {unknown} the same of version 2 */
function withNewNames(document) {
  const command = (/** @type {unknown} */ text) =>
    typeof text === 'string'
      ? text.replace(/(?<=\s)[a-z-]+-cut\b/g, (name) => NAMES.benchmark.get(name) ?? name)
      : text;
  return changed(withNames(document, NAMES.document), { command, benchmarks: each(convertBenchmark) });
}

/** The writers that used APPEND when audit files did not say so. */
const APPENDED = new Set(['redis', 'ioredis', 'ioredis-detector']);

/**
 * @template {{benchmark: string, case: string, writer: string}} T
 * @param {T} facts of an audit file, which may be from a run whose result has version 1
 * @returns {T & {appends: boolean}} with the names since version 2
 */
export function convertAuditFacts(facts) {
  return {
    appends: APPENDED.has(facts.writer),
    ...facts,
    benchmark: NAMES.benchmark.get(facts.benchmark) ?? facts.benchmark,
    case: caseId(facts.case),
    writer: NAMES.writer.get(facts.writer) ?? facts.writer,
  };
}

/** @param {unknown} benchmark */
function convertBenchmark(benchmark) {
  return changed(benchmark, {
    name: named(NAMES.benchmark),
    cases: each((one) =>
      changed(one, {
        id: caseId,
        params: convertParams,
        summary: (summary) => changed(summary, { relativeToBaseline: (ratio) => changed(ratio, { baseline: caseId }) }),
      }),
    ),
    notMeasured: each((one) => changed(one, { id: caseId })),
    findings: each((one) => changed(one, { evidence: each(caseId) })),
    checks: each((one) => changed(one, { detail: writersIn })),
    audit: each((one) => changed(one, { case: caseId, writer: named(NAMES.writer) })),
    timeline: each((one) => changed(one, { case: caseId, marks: each(withNewNode), writers: each(withNewWriter) })),
  });
}

/** @param {unknown} writer of a timeline */
function withNewWriter(writer) {
  return changed(writer, { writer: named(NAMES.writer) });
}

/** @param {unknown} mark */
function withNewNode(mark) {
  const detail = (/** @type {unknown} */ text) =>
    typeof text === 'string' ? text.replace(/: cut$/, ': partition') : text;
  return changed(mark, { who: named(NAMES.writer), detail });
}

/** @param {unknown} params */
function convertParams(params) {
  return changed(withNames(params, NAMES.params), {
    waitMode: named(NAMES.waitMode),
    writers: each(named(NAMES.writer)),
  });
}

/** @template T @param {T} id of a case @returns {T | string} */
function caseId(id) {
  return typeof id === 'string' ? id.replace(/(?<=-)awaited(?=-|$)/, 'sequential') : id;
}

/** @template T @param {T} detail of a check, such as `WAIT 2, stays: none of 2,125` @returns {T | string} */
function writersIn(detail) {
  if (typeof detail !== 'string') return detail;
  return detail.replace(/(?<=, )(stays|follows)(?=:)/g, (name) => NAMES.writer.get(name) ?? name);
}

/** @param {ReadonlyMap<unknown, string>} names @returns {(value: unknown) => unknown} */
function named(names) {
  return (value) => names.get(value) ?? value;
}

/** @param {(value: unknown) => unknown} change @returns {(list: unknown) => unknown} */
function each(change) {
  return (list) => (Array.isArray(list) ? list.map(change) : list);
}

/** @param {unknown} object @param {ReadonlyMap<unknown, string>} names @returns {unknown} its fields in their order */
function withNames(object, names) {
  if (!isObject(object)) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** @param {unknown} object @param {Readonly<Record<string, (value: unknown) => unknown>>} changes by field; a missing one stays missing @returns {unknown} */
function changed(object, changes) {
  if (!isObject(object)) return object;
  const made = { ...object };
  for (const [name, change] of Object.entries(changes)) if (Object.hasOwn(made, name)) made[name] = change(made[name]);
  return made;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
