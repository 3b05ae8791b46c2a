/** A folder a suite. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ResultSchema } from '../../bench/index.js';
import { resultOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';
import { readResult } from './read.js';
import { jsonSchemaText } from './schema.js';

const SCHEMA_FILE = new URL('../../results/result.schema.json', import.meta.url);
/** A small one; src/report/samples.soak.test.js has all. */
const SAMPLE = new URL('../../results/sample/resources', import.meta.url);

test('the published JSON schema is the one that the definition makes', () => {
  assert.equal(
    readFileSync(SCHEMA_FILE, 'utf8'),
    jsonSchemaText(ResultSchema),
    'results/result.schema.json is out of date: sentinel-bench export --format json-schema --out results/result.schema.json --force',
  );
});

describe('the published JSON schema, as Ajv reads it', () => {
  const ajv = new Ajv2020({ strict: true });
  // What ajv-formats has as its default export is a module to TypeScript.
  /** @type {any} */ (addFormats)(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));

  test('results match it', async () => {
    const sample = await readResult(fileURLToPath(SAMPLE), ResultSchema);
    const failure = failureBenchmarkOf('primary-killed', [
      { mode: 'async', audits: [auditOf('async')], trials: [trialOf('async')] },
    ]);
    for (const result of [sample, resultOf(), failureResultOf([failure])])
      assert.ok(validate(result), ajv.errorsText(validate.errors));
  });

  test('what the program would refuse does not match it', () => {
    /** @type {[place: string, (result: any) => void][]} */
    const changes = [
      ['/schema', (result) => (result.schema = 'other/result@1')],
      ['/startedAt', (result) => (result.startedAt = 'yesterday')],
      ['/benchmarks/0/cases/0/id', (result) => (result.benchmarks[0].cases[0].id = '../elsewhere')],
      ['/benchmarks/0/cases/0/rounds/0', (result) => delete result.benchmarks[0].cases[0].rounds[0].histogram],
      [
        '/benchmarks/0/cases/1/rounds/2/latencyNs/p99',
        (result) => (result.benchmarks[0].cases[1].rounds[2].latencyNs.p99 = -1),
      ],
      [
        '/benchmarks/0/cases/0/rounds/0/outcomes/acked',
        (result) => (result.benchmarks[0].cases[0].rounds[0].outcomes.acked = 1.5),
      ],
    ];
    for (const [place, change] of changes) {
      const result = resultOf();
      change(result);
      assert.ok(!validate(result), place);
      assert.equal(validate.errors?.[0].instancePath, place);
    }
  });
});
