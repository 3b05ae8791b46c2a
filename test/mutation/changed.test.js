import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseIn, changedLines, linesOf } from './changed.js';

test('a diff gives the ranges of new lines of each file; removed lines have none', () => {
  const diff = `diff --git a/src/wait.js b/src/wait.js
--- a/src/wait.js
+++ b/src/wait.js
@@ -3 +3 @@ function one() {
-a
+b
@@ -10,2 +10,3 @@
+c
+d
+e
@@ -20,4 +21,0 @@
-f
diff --git a/src/new.js b/src/new.js
--- /dev/null
+++ b/src/new.js
@@ -0,0 +1,40 @@
+g
`;
  assert.deepEqual(
    [...linesOf(diff)],
    [
      ['src/wait.js', ['src/wait.js:3-3', 'src/wait.js:10-12']],
      ['src/new.js', ['src/new.js:1-40']],
    ],
  );
  assert.equal(linesOf('').size, 0);
});

test('a base that is not in the history', () => assert.equal(changedLines('no-such-branch'), null));

test('auto: the last release or merge before HEAD, else the oldest commit of the list', () => {
  assert.equal(baseIn('c|b|HEAD -> x, tag: v2\nb|a|\na|9 8|\n9|7|tag: v1\n'), 'a', 'a merge');
  assert.equal(baseIn('c|b|\nb|a|tag: v1.0.0, origin/main\na|9 8|\n'), 'b', 'a release');
  assert.equal(baseIn('c|b 8|HEAD\nb|a|main\na|9|\n'), 'a', 'HEAD itself does not count');
  assert.equal(baseIn('c||HEAD, tag: v1\n'), null, 'a clone with one commit');
});
