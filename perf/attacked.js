/**
 * Writes bench/workloads/attacked.yaml: what the published searches found against workloads. Run it again when a search was published.
 *
 *     node perf/attacked.js
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { SearchDocument } from '../bench/search/document.js';
import { attackedIn, FILE } from '../bench/workloads/attacked.js';

const SEARCHES = new URL('../results/searches/', import.meta.url);

const all = readdirSync(SEARCHES)
  .sort()
  .flatMap((name) =>
    attackedIn(name, SearchDocument.parse(JSON.parse(readFileSync(new URL(`${name}/search.json`, SEARCHES), 'utf8')))),
  );
writeFileSync(FILE, `# Written by perf/attacked.js from results/searches.\n${stringify(all, { lineWidth: 0 })}`);
