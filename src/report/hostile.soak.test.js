import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import MarkdownIt from 'markdown-it';
import { ResultSchema, recommender, suites, suiteTerms } from '../../bench/index.js';
import { factsOf } from '../facts/index.js';
import { openMetricsLines } from '../facts/openmetrics.js';
import { factsCsv } from '../facts/render.js';
import { readResult } from '../result/read.js';
import { cleanDocument, cleaned, forTerminal } from '../untrusted.js';
import { compareResults } from './compare/compare.js';
import { renderComparison, renderPullRequest } from './compare/comparison-report.js';
import { historyOf, renderHistory } from './compare/history.js';
import { makeReport } from './document.js';
import { chartsIn } from './fixture.js';
import { shortAnswer, terminalText } from './terminal.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Report } from './document.js'
 */

const SAMPLES = new URL('../../results/sample/', import.meta.url);

/** Each breaks out of something: a terminal, a line, a table, a heading, a code span, an attribute, a label, a cell. */
const ATTACK = [
  '\u001b]0;OWNED\u0007\u001b[2J\u001b[31m\u009b31m\u202eOWNED\u0000',
  '\r\r# OWNED\r\r![i](http://evil.example/i.png) [l](http://evil.example/)\r\r',
  '\u2028\u0085\v\f# OWNED\n\n# OWNED\n\n![i](http://evil.example/j.png)\n',
  '`\r\r# OWNED\r\r`<img src=x onerror=alert(1)>``|`|',
  '<script>alert(1)</script>\'"><svg onload=alert(1)>--><b onclick=alert(1)>',
  '"} 1\nowned_metric 1\n&lt;b&gt; [x]: http://evil.example/ ~~OWNED~~',
].join('');
const ATTACKS = [`=cmd|' /c calc'!A0${ATTACK}`, `# OWNED${ATTACK}`, `\t@SUM(1)${ATTACK}`];

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;
const METRIC =
  /^(?:# (?:TYPE|UNIT|HELP) sentinel_bench_\w+ .*|sentinel_bench_\w+(?:\{(?:\w+="(?:[^"\\]|\\[\\n"])*",?)*\})? \S+|# EOF)$/;
const TAGS = ['details', 'summary', 'sub', 'sup', 'picture', 'source', 'img'];
const ATTRIBUTES = ['alt', 'src', 'srcset', 'media', 'open'];

/** @param {string} text @param {RegExp} pattern */
function absent(text, pattern) {
  const at = text.search(pattern);
  assert.ok(at < 0, `${pattern} is in ${JSON.stringify(text.slice(Math.max(0, at - 200), at + 100))}`);
}

/** @param {string} text of several lines */
function assertClean(text) {
  absent(text.replaceAll(/[\n\t]/g, ''), UNSAFE);
}

/** Trials kept of a case, and cases of a benchmark. Samples have hundreds in all; poisoned, they would not fit into one string. */
const TRIALS = 1;
const CASES = 2;

/** @returns {Map<string, () => Promise<Result>>} of every suite */
function samples() {
  // A second sample of a suite would show nothing new.
  const names = readdirSync(SAMPLES).filter((sample) => suites.some(({ name }) => name === sample));
  return new Map(names.map((name) => [name, () => withFewTrials(name)]));
}

/** @param {string} name of a sample */
async function withFewTrials(name) {
  const result = await readResult(fileURLToPath(new URL(name, SAMPLES)), ResultSchema);
  for (const benchmark of result.benchmarks.filter(({ audit }) => audit)) {
    benchmark.cases = benchmark.cases.slice(0, CASES);
    const kept = new Set(benchmark.cases.map(({ id }) => id));
    benchmark.audit = benchmark.audit?.filter((each) => each.round <= TRIALS && kept.has(each.case));
    benchmark.timeline = benchmark.timeline?.filter((each) => each.round <= TRIALS && kept.has(each.case));
    for (const one of benchmark.cases) one.rounds = one.rounds.slice(0, TRIALS);
  }
  return result;
}

/**
 * Puts `attack` into every text that the schema leaves free.
 * @param {Result} result is changed
 * @param {string} attack
 * @param {(field: string) => boolean} [chosen]
 * @returns {string[]} the fields
 */
function poison(result, attack, chosen = () => true) {
  /** @type {Map<string, {holder: any, key: string | number, was: string, field: string}>} */
  const changed = new Map();
  /** @param {any} holder @param {(string | number)[]} path */
  const walk = (holder, path) => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const value = holder[key];
      const field = [...path, key].map((part) => (typeof part === 'number' ? '[]' : part)).join('.');
      if (typeof value === 'object' && value !== null) walk(value, [...path, key]);
      if (typeof value !== 'string' || /istogram$/.test(field) || !chosen(field)) continue;
      changed.set(JSON.stringify([...path, key]), { holder, key, was: value, field });
      holder[key] = attack;
    }
  };
  walk(result, []);
  for (const { path } of ResultSchema.safeParse(result).error?.issues ?? []) {
    const at = JSON.stringify(path);
    const one = changed.get(at);
    if (!one) throw new Error(`the schema refuses ${at}`);
    one.holder[one.key] = one.was;
    changed.delete(at);
  }
  poisonNames(result, attack, chosen);
  assert.ok(ResultSchema.safeParse(result).success);
  return [...new Set([...changed.values()].map(({ field }) => field))];
}

/**
 * Names of settings and of errors are free, too.
 * @param {Result} result
 * @param {string} attack
 * @param {(field: string) => boolean} chosen
 */
function poisonNames({ benchmarks, stack, environment }, attack, chosen) {
  if (!chosen('names')) return;
  for (const config of Object.values(stack.config)) config[attack] = attack;
  environment.clients[attack] = attack;
  for (const { cases } of benchmarks) {
    for (const { rounds, params } of cases) {
      params.settings = { ...params.settings, [attack]: attack };
      for (const round of rounds) round.errors[attack] = 1;
    }
  }
}

/** @param {string} markdown */
function assertMarkdownIsInert(markdown) {
  assertClean(markdown);
  for (const token of new MarkdownIt({ html: true }).parse(markdown, {})) {
    if (token.type === 'html_block') assertHtmlIsOurs(token.content);
    for (const [i, child] of (token.children ?? []).entries()) {
      if (child.type === 'html_inline') assertHtmlIsOurs(child.content);
      const target = child.attrGet('href') ?? child.attrGet('src');
      if (target !== null) assert.match(String(target), /^(?:#|charts\/|https:\/\/redis\.io\/)/);
      assert.notEqual(child.type, 's_open');
      if (i === 0) assert.ok(!child.content.startsWith('OWNED'), 'a heading, or an item of a list');
    }
  }
}

/** @param {string} html */
function assertHtmlIsOurs(html) {
  for (const [, name, attributes] of html.matchAll(/<\/?([a-z]+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/gi)) {
    assert.ok(TAGS.includes(name.toLowerCase()), html);
    for (const [, attribute] of attributes.matchAll(/([\w-]+)(?:="[^"]*")?/g))
      assert.ok(ATTRIBUTES.includes(attribute), html);
  }
  assert.equal(html.replace(/<\/?[a-z]+(?:\s+[\w-]+(?:="[^"]*")?)*\s*>/gi, '').includes('<'), false, html);
}

/** @param {string} html with details that its script unpacks */
function assertPageIsInert(html) {
  const [, body] = html.split('<body>');
  const pictures = /<noscript><div class="scroll">(<svg [\s\S]*?<\/svg>)<\/div><\/noscript>/g;
  for (const [, svg] of body.matchAll(pictures)) assertPictureIsInert(svg);
  const markup = body
    .replace(/<script(?: type="text\/plain" id="(?:charts|echarts)")?>[\s\S]*?<\/script>/g, '')
    .replace(pictures, '')
    .replaceAll(/<noscript><img src="charts\/[\w.-]+\.svg" alt="[^"<>]*"><\/noscript>/g, '');
  // The page itself keeps the ends of a range together so.
  assertClean(markup.replaceAll('–\u2060', '–'));
  absent(markup, /<(?:script|svg|img|b|iframe|s)\b|<!--|<[^<>]*\son\w+=(?![^<>]*&)|href="(?!#)/i);
  absent(markup, /<(?:h\d|li|p)[^>]*>\s*OWNED/);
  assertTextsAreClean(chartsIn(body));
}

/** @param {unknown} value JSON */
function assertTextsAreClean(value) {
  if (typeof value === 'string') assertClean(value);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) [name, each].forEach(assertTextsAreClean);
}

/** @param {Report} report */
function assertReportIsInert({ markdown, html, pictures }) {
  assertMarkdownIsInert(markdown);
  assertPageIsInert(html);
  for (const [file, svg] of pictures) {
    assert.match(file, /^charts\/[\w.-]+\.svg$/);
    assertPictureIsInert(svg);
  }
}

/** @param {string} svg */
function assertPictureIsInert(svg) {
  absent(svg, /<script|<image|<foreignObject|<[^<>]*\son\w+=/);
  assertClean(svg);
}

/** @param {string} csv RFC 4180 */
function assertCsvIsInert(csv) {
  for (const [, quoted, plain] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/g)) {
    const cell = quoted ?? plain;
    if (!Number.isFinite(Number(cell))) absent(cell, FORMULA);
    assertClean(cell);
  }
}

/** @param {string} text */
function assertTerminalIsInert(text) {
  const shown = stripVTControlCharacters(forTerminal(text, { styled: true }));
  assertClean(shown);
}

/** @param {Result} result @param {Result} other the same run, as it was */
function assertInert(result, other) {
  const { details, ...report } = makeReport(result, suites);
  assertReportIsInert(report);
  assertMarkdownIsInert(details);
  assertTerminalIsInert(shortAnswer(result, suites, { columns: 100 }));
  assertCsvIsInert([...factsCsv(factsOf(result, suiteTerms))].join(''));
  for (const line of [...openMetricsLines(result, suiteTerms)].join('').trimEnd().split('\n'))
    assert.match(line, METRIC);
  // A run is called by its folder, which may come from elsewhere, too. Compared with itself all its cases are shown.
  const [nameA, nameB] = ATTACKS;
  for (const base of [other, result]) {
    const comparison = compareResults(base, result, { metric: 'throughput', threshold: 0.05 });
    const [a, b] = [
      { name: nameA, result: base },
      { name: nameB, result },
    ];
    assertMarkdownIsInert(cleaned(renderPullRequest(a, b, comparison)));
    assertTerminalIsInert(renderComparison(a, b, comparison));
  }
  const runs = [other, result].map((each) => ({ name: nameA, result: each }));
  const histories = historyOf(runs);
  if (histories.length > 0) assertTerminalIsInert(renderHistory(histories));
  assertTerminalIsInert(terminalText(recommender.answer(result, { batch: 1 })?.blocks ?? []));
  // What is read from a file has not even styles left that could pass for ours.
  assertTextsAreClean(cleanDocument(result));
}

for (const [name, load] of samples()) {
  test(`a foreign result of suite ${name}: nothing in it acts, wherever it is shown`, async () => {
    const result = await load();
    // What refers to a case stays: without its trials little of a failure would be shown.
    poison(result, ATTACKS[name.length % ATTACKS.length], (field) => !field.endsWith('.case'));
    assertInert(result, await load());
  });
}
