/**
 * What five articles claim: one file an article, every claim that could be checked. Suites examine claims by id, in their `claims.js`.
 *
 * @import { ArticleClaim, Claim, ClaimTexts, Examination } from '../../src/report/articles.js'
 * @import { Result } from '../../src/result/schema.js'
 */
import { theirsText } from '../../src/report/articles.js';
import * as aof from './aof.js';
import * as copy from './copy.js';
import * as link from './link.js';
import * as replication from './replication.js';
import * as synchronous from './synchronous.js';

/** In the order of reports. */
const ARTICLES = [synchronous, link, copy, aof, replication];

/**
 * @typedef {keyof typeof synchronous.claims | keyof typeof link.claims | keyof typeof copy.claims | keyof typeof aof.claims |
 *   keyof typeof replication.claims} ClaimId
 */

/** @type {readonly string[]} */
export const articleTitles = Object.freeze(ARTICLES.map(({ title }) => title));

/** Every claim, with its article. @type {readonly (ClaimTexts & ArticleClaim)[]} */
export const articleClaims = Object.freeze(
  ARTICLES.flatMap(({ title, claims }) =>
    Object.entries(/** @type {Record<string, ArticleClaim>} */ (claims)).map(([id, claim]) => ({
      id,
      article: title,
      ...claim,
      theirs: theirsText(claim),
    })),
  ),
);

/**
 * @param {ClaimId} id
 * @param {Examination} examination
 * @returns {Claim} with its texts, for the tables of reports
 */
export function examination(id, examination) {
  const found = articleClaims.find((claim) => claim.id === id);
  if (!found) throw new Error(`no article claims ${id}`);
  const { article, claim, theirs } = found;
  return { id, article, claim, theirs, ...examination };
}

/**
 * @param {Partial<Pick<Result, 'stack'>>} run
 * @returns {string} empty: containers, as in the article
 */
export function nodesDiffer({ stack }) {
  return stack === undefined || stack.backend === 'docker' ? '' : `${stack.backend} nodes (theirs: Docker)`;
}
