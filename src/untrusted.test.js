import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from './errors.js';
import { escapeProse, escapeText } from './report/blocks.js';
import { cleanDocument, cleaned, cleanLine, forTerminal, fromOutside, keepSecret, visible } from './untrusted.js';

const RED = '\u001b[31m';
const DEFAULT = '\u001b[39m';

test('control characters are shown, not executed; lines, tabs and any script stay', () => {
  assert.equal(visible(`a${RED}b\u009b2Jc\u007f\u0000`), 'a\\u001b[31mb\\u009b2Jc\\u007f\\u0000');
  assert.equal(visible('\u202eabc\u2066\u200b\u2028\ufeff\u00ad'), '\\u202eabc\\u2066\\u200b\\u2028\\ufeff\\u00ad');
  assert.equal(visible('a\rb\r\nc\n\td'), 'a\\u000db\r\nc\n\td');
  assert.equal(visible('\ud800 \u{e0041}'), '\\ud800 \\udb40\\udc41');
  const plain = 'größer 大きい · 1.3 ms (1.1–1.6) × 😀 עברית';
  assert.equal(visible(plain), plain);
});

test('JSON keeps its meaning', () => {
  const document = { text: `${RED}\u009b\u202e\u{e0041}` };
  assert.deepEqual(JSON.parse(visible(JSON.stringify(document))), document);
});

test('on a terminal only our own styles stay', () => {
  const styled = `${RED}no${DEFAULT} \u001b[8mhidden\u001b]0;title\u0007\u001b[2J\u001b[5m`;
  assert.equal(
    forTerminal(styled, { styled: true }),
    `${RED}no${DEFAULT} \\u001b[8mhidden\\u001b]0;title\\u0007\\u001b[2J\\u001b[5m`,
  );
  assert.ok(!forTerminal(styled, { styled: false }).includes('\u001b'));
});

test('one line stays one line, and an error is one sentence', () => {
  assert.equal(cleanLine('a\r\n  b\nc'), 'a b c');
  const error = new UserError('a\nerror: b', 'c\u001b[2J', { detail: 'd\ne\u0007' });
  assert.deepEqual([error.message, error.remedy, error.detail], ['a error: b', 'c\\u001b[2J', 'd\ne\\u0007']);
});

test('a document keeps its structure: texts and names are cleaned', () => {
  const clean = { a: ['x', 1, null, true], b: { c: 'y' } };
  assert.deepEqual(cleanDocument(clean), clean);
  assert.deepEqual(cleanDocument({ 'n\u001b': ['\r', 1, { d: '\u0007' }], e: null }), {
    'n\\u001b': ['\\u000d', 1, { d: '\\u0007' }],
    e: null,
  });
});

test('a server that repeats the arguments of a command repeats no password', () => {
  const errors = [
    "ERR unknown command 'AUTH', with args beginning with: 'a' 'b c' ",
    'ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `default`, `a`, ',
  ];
  for (const text of errors) {
    assert.match(cleaned(text), /with args beginning with: \*\*\*$/);
    assert.match(cleaned(`It said ${fromOutside(text)}. Mend it.`), /^It said ERR unknown command .\w+.\. Mend it\.$/);
  }
});

test('a known password is hidden everywhere; a password that is a common word, in server output only', () => {
  keepSecret('Tr0ub4dor&3', 'primary', undefined, '', '$(x)*');
  assert.equal(cleaned('it is Tr0ub4dor&3!'), 'it is ***!');
  assert.equal(fromOutside('xTr0ub4dor&3x'), 'x***x');
  assert.equal(cleaned('the primary is away'), 'the primary is away');
  assert.equal(
    fromOutside("ERR nobody is called 'primary' in primary-2 primaryx"),
    "ERR nobody is called '***' in ***-2 primaryx",
  );
  assert.equal(fromOutside('ERR $(x)* is wrong'), 'ERR *** is wrong');
  assert.deepEqual(cleanDocument({ a: ['Tr0ub4dor&3'] }), { a: ['***'] });
});

test('Markdown shows text unchanged, also at the beginning of a line', () => {
  for (const [text, shown] of [
    ['# a', '\\# a'],
    ['- a', '\\- a'],
    ['-5 %', '-5 %'],
    ['1. a', '1\\. a'],
    ['1.5 ms', '1.5 ms'],
    ['===', '\\==='],
    ['  a\r\n\r\n# b', 'a # b'],
    ['&lt;b&gt; & c', '\\&lt;b\\&gt; & c'],
    ['~~a~~ [b](c) ![d](e)', '\\~\\~a\\~\\~ \\[b\\](c) !\\[d\\](e)'],
  ])
    assert.equal(escapeText(text), shown);
  assert.equal(escapeProse('# a `b | c` - d'), '\\# a `b | c` - d');
  assert.equal(escapeProse('`a\r\r# b\r\r`'), '`a\\u000d\\u000d# b\\u000d\\u000d`');
  assert.equal(escapeProse('`a\n\n# b` c'), '`a # b` c');
});
