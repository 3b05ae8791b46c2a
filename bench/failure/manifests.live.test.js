/**
 * deploy/kubernetes against the published schemas of Kubernetes, without a cluster: an unknown field is an error, too.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';

const folder = await ownTemporaryFolder();
const skip = await needs('kubernetes-validate');
const DEPLOY = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const VERSIONS = ['1.29', '1.37'];

/** What `act.sh partition` hands to kubectl. */
function networkPolicy() {
  const bin = join(folder, 'kubectl');
  const file = join(folder, 'policy.yaml');
  writeFileSync(bin, `#!/bin/sh\ncat >'${file}'\n`, { mode: 0o755 });
  execFileSync(join(DEPLOY, 'act.sh'), ['partition'], {
    env: { PATH: `${folder}:${process.env.PATH}`, SENTINEL_BENCH_HOST: 'redis-1.redis.test.svc.cluster.local' },
  });
  return file;
}

/**
 * @param {string} version of Kubernetes
 * @param {string} file
 * @returns {{status: number | null, output: string}}
 */
function validate(version, file) {
  const args = ['--strict', '--kubernetes-version', version, file];
  const { status, stdout, stderr } = spawnSync('kubernetes-validate', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

for (const version of VERSIONS) {
  test(`the manifests are valid for Kubernetes ${version}`, { skip }, () => {
    const files = [
      ...['redis.yaml', 'bench-job.yaml', 'agents.yaml'].map((name) => join(DEPLOY, name)),
      networkPolicy(),
    ];
    const outputs = files.map((file) => {
      const { status, output } = validate(version, file);
      assert.equal(status, 0, output);
      return output;
    });
    const kinds = outputs.join('').match(/(?<=passed for resource )\w+/g) ?? [];
    assert.deepEqual([...new Set(kinds)].sort(), [
      'daemonset',
      'job',
      'networkpolicy',
      'poddisruptionbudget',
      'service',
      'statefulset',
    ]);
  });
}

test('the ConfigMap has every script that the manifests run', () => {
  const { configMapGenerator } = parse(readFileSync(join(DEPLOY, 'kustomization.yaml'), 'utf8'));
  const [{ name, files }] = /** @type {{name: string, files: string[]}[]} */ (configMapGenerator);
  const entries = files.map((each) => each.split('='));
  for (const [key, path = key] of entries) assert.ok(readFileSync(join(DEPLOY, path), 'utf8').length > 0, key);
  const manifests = ['redis.yaml', ...entries.map(([, path]) => path ?? '').filter(Boolean)];
  const text = [...manifests, 'start-redis.sh', 'start-sentinel.sh', 'pre-stop.sh', 'common.sh']
    .map((each) => readFileSync(join(DEPLOY, each), 'utf8'))
    .join('\n');
  const used = new Set(text.match(/(?<=\/scripts\/)[\w.-]+\w/g));
  assert.ok(used.size >= 5);
  assert.deepEqual(
    [...used].filter((each) => !entries.some(([key]) => key === each)),
    [],
  );
  assert.match(text, RegExp(`configMap: \\{ name: ${name} \\}`));
});
