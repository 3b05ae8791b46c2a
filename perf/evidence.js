/**
 * Writes bench/evidence.jsonl: what `check` quotes of the published runs. Run it again when a sample has changed.
 *
 *     node perf/evidence.js           writes the file
 *     node perf/evidence.js --print   prints it
 */
import { writeFileSync } from 'node:fs';
import { evidenceOf, FILE } from '../bench/evidence.js';
import { ResultSchema, suiteTerms } from '../bench/index.js';
import { factsOf } from '../src/facts/index.js';
import { readResult } from '../src/result/read.js';

const SAMPLES = ['failure', 'main', 'config-sweep'];

const facts = [];
for (const sample of SAMPLES) {
  const file = new URL(`../results/sample/${sample}/result.json.gz`, import.meta.url).pathname;
  facts.push(...factsOf(await readResult(file, ResultSchema), suiteTerms));
}
if (process.argv.includes('--print')) process.stdout.write(evidenceOf(facts));
else writeFileSync(FILE, evidenceOf(facts));
