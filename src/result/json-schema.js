/**
 * The published JSON schema of `result.json`, made from the definition that validates the document.
 *
 * `node src/result/json-schema.js` writes results/result.schema.json.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ResultSchema } from './schema.js';

/** Where the schema is published. */
export const SCHEMA_FILE = new URL('../../results/result.schema.json', import.meta.url);

/** @returns {string} the schema as the file holds it */
export function jsonSchemaText() {
  // As input: like the validation, it allows fields that a later minor version adds.
  return `${JSON.stringify(z.toJSONSchema(ResultSchema, { io: 'input' }), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SCHEMA_FILE, jsonSchemaText());
