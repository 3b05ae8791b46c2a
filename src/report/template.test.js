import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './blocks.js';
import { NAMED_FIGURES } from './fixture.js';
import { tableOf } from './specs.js';
import { renderText } from './template.js';

/** @param {string} template @param {import('./template.js').TemplateData} [data] */
const rendered = (template, data = {}) => renderText(template, data, NAMED_FIGURES);

test('what a template prints is escaped, whatever it is', () => {
  const name = '<img src=x>[a](b)|`c`\n# d';
  assert.equal(rendered('- {{ name }}', { name }), '- \\<img src=x\\>\\[a\\](b)\\|\\`c\\` # d');
  assert.equal(rendered('{{ name | code }}', { name: 'a`b' }), '``a`b``');
  const text = 'through `a_*b*` it costs *nothing* `';
  assert.equal(rendered('{{ text | prose }}', { text }), 'through `a_*b*` it costs \\*nothing\\* \\`');
});

test('a variable, filter, table or chart that does not exist is an error', () => {
  for (const [template, message] of [
    ['{{ nothing }}', /undefined variable: nothing/],
    ['{{ row.nothing }}', /undefined variable: row\.nothing/],
    ['{% if nothing %}{% endif %}', /undefined variable: nothing/],
    ['{{ row | nothing }}', /undefined filter: nothing/],
    ['{% table nothing %}', /no table called nothing/],
    ['{% chart nothing %}', /no chart called nothing/],
  ])
    assert.throws(() => rendered(String(template), { row: {} }), /** @type {RegExp} */ (message));
});

test('a tag alone on its line leaves no empty line; a table or chart without figures shows nothing', () => {
  const template =
    '{% for n in numbers %}\n- {{ n | seconds }}\n{% endfor %}\n\n{% table none %}\n\n{% chart none %}\n\n{% table one %}\n\n{% code command sh %}\n';
  const data = { numbers: [1.5, Infinity], tables: { none: table(['a'], []), one: table(['a'], [['b']]) } };
  assert.equal(
    rendered(template, { ...data, charts: { none: null }, command: 'a\n\n\nb' }),
    '- 1.50 s\n- to the end\n\n| a  |\n| :- |\n| b  |\n\n```sh\na\n\n\nb\n```',
  );
});

test('a column names a metric; one without figures is left out; the article has the first row', () => {
  const columns = [
    { title: 'mode', text: (/** @type {any} */ row) => row.mode, theirs: 'article' },
    { title: 'refused', metric: 'rejected', format: /** @type {const} */ ('count'), theirs: '120' },
    { title: 'p99', metric: 'p99', format: /** @type {const} */ ('ms') },
  ];
  const row = /** @type {any} */ ({ mode: 'async', of: { rejected: { median: 3018 } } });
  const shown = tableOf(columns, [row]);
  assert.deepEqual(
    [shown.columns.map(({ title }) => title), ...shown.rows],
    [
      ['mode', 'refused'],
      ['article', '120'],
      ['async', '3,018'],
    ],
  );
  assert.deepEqual(tableOf(columns, []).rows, []);
});
