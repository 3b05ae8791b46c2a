import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import GithubSlugger from 'github-slugger';
import { suites } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { makeReport } from './document.js';
import { resultOf } from './fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './trials/fixture.js';

/** @import { Result } from '../result/schema.js' */

/** GitHub's own renderer: Debian's package cmark-gfm. */
const RENDERER = 'cmark-gfm';
const OPTIONS = ['-e', 'table', '-e', 'strikethrough', '-e', 'autolink', '-e', 'tagfilter', '--unsafe'];
const skip = await needs(RENDERER);

const ROOT = new URL('../../', import.meta.url);

const HOSTILE = '<script>alert(1)</script> | a_b_c * **x** [y](z) `';

/** @type {[string, Result][]} */
const RESULTS = [
  ['the main suite', resultOf()],
  [
    'failures',
    failureResultOf([
      failureBenchmarkOf('primary-partition', [
        {
          mode: 'async',
          audits: [auditOf('async', { ackedLost: 20, errors: { [HOSTILE]: 3 } })],
          trials: [trialOf('async')],
        },
        { mode: 'wait1', audits: [auditOf('wait1')], trials: [trialOf('wait1')] },
      ]),
    ]),
  ],
];

describe('README.md as GitHub shows it', { skip }, () => {
  test('everything that it shows or names is there', () => {
    const markdown = readFileSync(new URL('README.md', ROOT), 'utf8');
    const html = execFileSync(RENDERER, OPTIONS, { input: markdown, encoding: 'utf8' });
    const targets = [...html.matchAll(/(?:href|src|srcset)="(?!https?:|#)([^"#]+)/g)].map(([, target]) => target);
    assert.ok(targets.some((target) => target.endsWith('.svg')));
    for (const target of targets) assert.ok(existsSync(new URL(target, ROOT)), target);
  });
});

describe('report.md and details.md as GitHub shows them', { skip }, () => {
  for (const [name, result] of RESULTS) {
    test(name, () => {
      const { markdown, details, pictures } = makeReport(result, suites);
      /** @type {Set<string>} */
      const seen = new Set();
      for (const text of [markdown, details]) checkPage(text, seen);
      assert.deepEqual([...seen].sort(), [...pictures.keys()].sort());
    });
  }
});

/** @param {string} markdown @param {Set<string>} seen gets the pictures that it shows */
function checkPage(markdown, seen) {
  const html = execFileSync(RENDERER, OPTIONS, { input: markdown, encoding: 'utf8' });

  const tables = markdown.match(/^\|(?: ?:?-+:? ?\|)+$/gm) ?? [];
  assert.equal(html.match(/<table>/g)?.length ?? 0, tables.length, 'every table is one');
  assert.doesNotMatch(html, /<p>\|/, 'no row of a table is text');

  const shown = [
    ...html.matchAll(
      /<picture>\s*(?:<source [^>]*srcset="([^"]+)">\s*)?<img alt="[^"]+" src="([^"]+)">\s*<\/picture>/g,
    ),
  ];
  for (const picture of shown.flatMap(([, dark, light]) => (dark === undefined ? [light] : [light, dark])))
    seen.add(picture);

  const open = html.match(/<details>/g)?.length;
  assert.equal(html.match(/<\/details>/g)?.length, open);
  assert.equal(html.match(/<summary>/g)?.length, open);
  assert.doesNotMatch(html, /<script/, 'what a server says is text');

  const slugger = new GithubSlugger();
  const anchors = [...html.matchAll(/<h[1-6]>(.*?)<\/h[1-6]>/g)].map(([, text]) => slugger.slug(text));
  for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(anchors.includes(target), `#${target}`);
}
