import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPage } from './page.js';

/** @type {import('../charts/types.js').Chart} */
const CHART = {
  id: 'one',
  title: 'One & only </script><script>alert(1)</script>',
  alt: 'It says "<b>".',
  columns: [{ name: 'x' }],
  rows: [['</script><img src=x onerror=alert(1)>']],
  option: {},
  height: 100,
};

/**
 * @param {string} markdown
 * @param {import('../charts/types.js').Chart[]} [charts]
 */
const bodyOf = (markdown, charts = []) => renderPage({ title: 'a page', markdown, charts }).split('<body>')[1];

test('no text becomes markup: neither in Markdown nor as data of a chart', () => {
  const html = bodyOf(
    '# title\n\n<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> [y](javascript:alert(1))\n\n' +
      '<details onclick="alert(1)">\n\n<summary>s<i>\n\n</details>\n\n<!-- <b> -->\n\n<figure data-chart="one"></figure>\n',
    [CHART],
  );
  const [, data = ''] = /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? [];
  assert.deepEqual(JSON.parse(data)[0].rows, CHART.rows);
  const markup = html.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '');
  assert.doesNotMatch(markup, /<(?:(?:script|img|i|b)\b|!--)|<[^>]*\son\w+=|href="javascript/);
  assert.match(markup, /<summary>s&lt;i&gt;/);
  assert.match(markup, /aria-label="It says &quot;&lt;b&gt;&quot;\."/);
});

test('nothing runs but the scripts of the page, and nothing is loaded', () => {
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

test('any Markdown makes a page: without a title, sections, charts', () => {
  assert.match(bodyOf('| a |\n| - |\n| 1 |\n'), /<h1>a page<\/h1>[\s\S]*data-name="Table 1"/);
  assert.doesNotMatch(bodyOf('text\n'), /<nav/);
});

test('what failed stands out, and only that', () => {
  const html = bodyOf('# r\n\nabout\n\n- **[x](#x): check failed: y.** z\n- **fine** failed\n');
  assert.equal(html.match(/class="failed"/g)?.length, 1);
  assert.match(html, /<strong class="failed"><a href="#x">x<\/a>: check failed/);
});

test('a place for a chart that there is not is an error', () => {
  assert.throws(() => bodyOf('<figure data-chart="two"></figure>\n', [CHART]), /the chart two/);
});
