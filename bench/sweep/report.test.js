import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { renderBlocks } from '../../src/report/blocks.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { terminalText, WIDTH } from '../../src/report/terminal.js';
import { WITH_DISTANCE } from '../pages/published-costs.js';
import { sweepResultOf } from './decision-fixture.js';
import { sweepDetails } from './details.js';
import sweep from './index.js';
import { recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';
import { decisionBlocks } from './terminal.js';

/**
 * @import { Result } from '../../src/result/schema.js'
 */

/** @param {Result} result */
const renderDecision = (result) => renderBlocks(sweepDetails(result), NAMED_FIGURES);

/** @param {Result} result */
function decisionText(result) {
  const blocks = [...decisionBlocks(result), ...recommendationBlocks(recommend(result))];
  return stripVTControlCharacters(terminalText(blocks, { columns: WIDTH }));
}

/**
 * @param {string} markdown
 * @param {string} title
 * @returns {string[]} cells of the first row that begins with it
 */
function cellsOf(markdown, title) {
  const line = markdown.split('\n').find((each) => each.startsWith(`| ${title} `));
  assert.ok(line, `no row ${title}`);
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the decision table in a report', () => {
  test('a dash where nothing was measured, never a zero', () => {
    const markdown = renderDecision(sweepResultOf());
    assert.deepEqual(cellsOf(markdown, 'WAIT 1 (sequential)').slice(6), ['–', '–']);
    assert.deepEqual(cellsOf(markdown, 'WAIT 1 (down-after 1 s)').slice(1, 6), ['–', '–', '–', '–', '–']);
  });

  test('names and settings from a result are shown as text', () => {
    const result = sweepResultOf();
    for (const { params } of result.benchmarks.flatMap(({ cases }) => cases)) {
      if (params.setting !== undefined) params.setting = 'a|b <i>*c*';
      if (params.mode === 'min1') params.settings = { ...params.settings, x: '`|\n' };
    }
    const markdown = renderDecision(result);
    assert.equal(cellsOf(markdown, 'WAIT 1 (a\\|b \\<i\\>\\*c\\*)').length, 8);
    assert.match(markdown, /a\\\|b \\<i\\>\\\*c\\\*/);
    assert.equal(cellsOf(markdown.slice(markdown.indexOf('### What each')), 'min-replicas 1').length, 3);
  });

  test('a result without a sweep has no table', () => {
    const result = { ...sweepResultOf(), benchmarks: [] };
    assert.equal(renderDecision(result), '');
  });
});

describe('the decision table in a terminal', () => {
  test('a ratio whose interval includes 100% is marked', () => {
    const marked = decisionText(
      sweepResultOf([
        { mode: 'async', throughput: [1000, 1000] },
        { mode: 'min1', throughput: [990, 500] },
      ]),
    );
    assert.match(marked, /^min-replicas 1 +990\/s +~\d+% +\d+ µs +\d+% /m);
    assert.match(marked, /^~ no measurable difference from async/m);
    assert.doesNotMatch(decisionText(sweepResultOf([{ mode: 'async', throughput: [1000, 1000] }])), /~/);
  });
});

describe('the front page', () => {
  const page = (/** @type {Result} */ result) => renderFrontPage(result, [sweep], NAMED_FIGURES);

  test('the best mode, with the faults, the number of trials and its cost', () => {
    const text = page(sweepResultOf());
    assert.match(
      text,
      /Use WAIT 1 if no confirmed write may be lost and writes may stop while any node is away\. Of 4 modes (?:it alone|\d) lost nothing in all 2 faults(?:; it is the cheapest)? \(0 of 32,000 acknowledged writes; 1 trial each: a screening, no proof\)\. Conditions: .*\.\n- Cost in throughput of one connection, against async: \d+% \(\d+–\d+\) at pipeline depth 1 \(10\.8 k\/s of 20\.0 k\/s\); \S+ \(\S+\) at pipeline depth 100 \(290 k\/s of 330 k\/s\)\./,
    );
    assert.doesNotMatch(text, /Most lost/, 'it decides nothing beside a mode that lost nothing');
    assert.match(text, /```sh\n# WAIT 1: the servers need no setting for it\n```/);
    assert.ok(text.includes(`the capacity of the server. On a network it is higher: ${WITH_DISTANCE}.\n`));
    assert.match(text, /planned-failover\.sh --sentinel/);
    assert.match(text, /without a loss still allows a loss in up to 95% of failures \(95% confidence\)/);
  });

  test('without a mode that meets the limits it says so', () => {
    const text = page(
      sweepResultOf([{ mode: 'async', throughput: [500, 1000], lostOnKill: [0], lostOnPartition: [5] }]),
    );
    assert.match(
      text,
      /The one mode tested did not keep every acknowledged write in every fault\. Conditions: .*\.\n- Closest: async\. It lost 5 acknowledged writes \(5\.00 ms, network partition\), and nothing in 1 other fault \(1 trial each\)/,
    );
  });
});
