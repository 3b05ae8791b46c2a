import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartsIn } from '../fixture.js';
import { renderPage } from './page.js';

/** @import { Chart } from '../charts/chart.js' */

/** @type {Chart} */
const CHART = {
  id: 'one',
  title: 'One & only </script><script>alert(1)</script>',
  alt: 'It says "<b>".',
  columns: [{ name: 'x' }],
  rows: [['</script><img src=x onerror=alert(1)>']],
  option: {},
  height: 100,
};

/** @param {string} markdown @param {Chart[]} [charts] */
const bodyOf = (markdown, charts = []) => renderPage({ title: 'a page', markdown, charts }).split('<body>')[1];

test('no text becomes markup: neither in Markdown nor as data of a chart', () => {
  const html = bodyOf(
    '# title\n\n<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> [y](javascript:alert(1))\n\n' +
      '<details onclick="alert(1)">\n\n<summary>s<i>\n\n</details>\n\n<!-- <b> -->\n\n<figure data-chart="one"></figure>\n',
    [CHART],
  );
  assert.deepEqual(chartsIn(html)[0].rows, CHART.rows);
  const markup = html.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
  assert.doesNotMatch(markup, /<(?:(?:script|img|i|b)\b|!--)|<[^>]*\son\w+=|href="javascript/);
  assert.match(markup, /<summary>s&lt;i&gt;/);
  assert.match(markup, /aria-label="It says &quot;&lt;b&gt;&quot;\."/);
});

test('only the scripts of the page run, and nothing is loaded', () => {
  const html = renderPage({ title: 't', markdown: '# t\n', charts: [CHART] });
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  assert.match(policy, /^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; style-src 'unsafe-inline';/);
  assert.doesNotMatch(html.replace(/<script[^>]*>[\s\S]*?<\/script>/g, ''), /<link|src=|@import|url\(/);
});

test('headings have the ids that links on GitHub refer to', () => {
  const html = bodyOf(
    '# r\n\nabout\n\n## link.compression & more\n\n## x\n\n### What was lost\n\n### What was lost\n\n`a`\n',
  );
  for (const id of ['linkcompression--more', 'x', 'what-was-lost', 'what-was-lost-1'])
    assert.match(html, new RegExp(`<h\\d id="${id}">`));
  assert.match(
    html,
    /<nav aria-label="Contents">[\s\S]*<a href="#linkcompression--more">link.compression &amp; more<\/a>/,
  );
});

test('an unknown chart is an error', () => {
  assert.throws(() => bodyOf('<figure data-chart="two"></figure>\n', [CHART]), /no chart two/);
});
