import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { jsonSchemaText, SCHEMA_FILE } from './json-schema.js';
import { SCHEMA_ID } from './schema.js';

test('the published JSON schema is the one that the definition makes', () => {
  assert.equal(
    readFileSync(SCHEMA_FILE, 'utf8'),
    jsonSchemaText(),
    'results/result.schema.json is out of date: node src/report/json-schema.js',
  );
});

test('the published JSON schema knows its version and its fields', () => {
  const schema = JSON.parse(jsonSchemaText());
  assert.equal(schema.properties.schema.const, SCHEMA_ID);
  assert.ok(schema.required.includes('benchmarks'));
  const round = schema.properties.benchmarks.items.properties.cases.items.properties.rounds.items;
  assert.ok(round.required.includes('histogram'));
  assert.ok(!round.required.includes('consistency'));
});
