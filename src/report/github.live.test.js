import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import GithubSlugger from 'github-slugger';
import { allBenchmarks } from '../../bench/index.js';
import { programPath } from '../programs.js';
import { copyOf } from './copy-fixture.js';
import { sweepResultOf } from './decision-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './failure-fixture.js';
import { resultOf } from './fixture.js';
import { persistenceResult } from './persistence-fixture.js';
import { makeReport } from './report.js';
import { resourcesOf } from './resources-fixture.js';

/** @typedef {import('./schema.js').Result} Result */

/** GitHub's own renderer: Debian's package cmark-gfm. */
const RENDERER = 'cmark-gfm';
const OPTIONS = ['-e', 'table', '-e', 'strikethrough', '-e', 'autolink', '-e', 'tagfilter', '--unsafe'];
const skip =
  process.env.SENTINEL_BENCH_NO_SKIP !== '1' && programPath(RENDERER) === null && `there is no ${RENDERER} on PATH`;

const ROOT = new URL('../../', import.meta.url);

const HOSTILE = '<script>alert(1)</script> | a_b_c * **x** [y](z) `';

/** @type {[string, Result][]} */
const RESULTS = [
  ['the main suite', resultOf()],
  [
    'failures',
    failureResultOf([
      failureBenchmarkOf('primary-cut', [
        {
          level: 'async',
          audits: [auditOf('async', { ackedLost: 20, errors: { [HOSTILE]: 3 } })],
          trials: [trialOf('async')],
        },
        { level: 'wait1', audits: [auditOf('wait1')], trials: [trialOf('wait1')] },
      ]),
    ]),
  ],
  ['a sweep', sweepResultOf()],
  ['persistence', { ...resultOf(), benchmarks: [persistenceResult()] }],
  ['resources', { ...resultOf(), benchmarks: [resourcesOf()] }],
  ['copy', { ...resultOf(), benchmarks: [copyOf()] }],
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

describe('report.md as GitHub shows it', { skip }, () => {
  for (const [name, result] of RESULTS) {
    test(name, () => {
      const { markdown, pictures } = makeReport(result, allBenchmarks);
      const html = execFileSync(RENDERER, OPTIONS, { input: markdown, encoding: 'utf8' });

      const tables = markdown.match(/^\|(?: ?:?-+:? ?\|)+$/gm) ?? [];
      assert.ok(tables.length > 0);
      assert.equal(html.match(/<table>/g)?.length, tables.length, 'every table is one');
      assert.doesNotMatch(html, /<p>\|/, 'no row of a table is text');

      const shown = [
        ...html.matchAll(/<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="[^"]+" src="([^"]+)">\s*<\/picture>/g),
      ];
      assert.deepEqual(shown.flatMap(([, dark, light]) => [light, dark]).sort(), [...pictures.keys()].sort());

      const open = html.match(/<details>/g)?.length;
      assert.equal(html.match(/<\/details>/g)?.length, open);
      assert.equal(html.match(/<summary>/g)?.length, open);
      assert.doesNotMatch(html, /<script/, 'what a server says is text');

      const slugger = new GithubSlugger();
      const anchors = [...html.matchAll(/<h[1-6]>(.*?)<\/h[1-6]>/g)].map(([, text]) => slugger.slug(text));
      for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(anchors.includes(target), `#${target}`);
    });
  }
});
