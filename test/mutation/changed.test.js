import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines, linesOf } from './changed.js';

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
