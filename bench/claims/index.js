/** What five articles claim: one YAML file an article. docs/claims.md says how to add a claim. */
/** @import { Fact, Result } from '../types.js' */
/** @import { ClaimRow } from '../../src/report/claims/index.js' */
/** @import { Article } from '../../src/report/claims/schema.js' */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { factsOf } from '../../src/facts/index.js';
import { once } from '../../src/once.js';
import { experimentsOf, rowOf } from '../../src/report/claims/index.js';
import { Article as Schema } from '../../src/report/claims/schema.js';
import { suiteTerms } from '../facts.js';

/** In the order of reports. */
const FILES = ['synchronous', 'link', 'copy', 'aof', 'replication'];

/** Read when they are first needed: that takes a third of a second, which every command would wait. */
export const articles = once(() => /** @type {readonly Article[]} */ (FILES.map(read)));
const experiments = once(() => experimentsOf(articles()));

/** @param {string} name @returns {Article} */
function read(name) {
  const file = new URL(`${name}.yaml`, import.meta.url);
  return Schema.parse(parse(readFileSync(file, 'utf8'), { merge: true }));
}

/** @param {Result} result which may have megabytes @returns {Fact[]} those that claims may need */
export function claimFacts(result) {
  const benchmarks = result.benchmarks.filter(({ name }) => experiments().has(name));
  return factsOf({ ...result, benchmarks }, suiteTerms);
}

/** @param {readonly Fact[][]} runs the facts of each run @returns {ClaimRow[]} one for each claim */
export function answers(runs) {
  return articles().flatMap((article) => article.claims.map((claim) => rowOf(article, claim, runs)));
}
