/** Titles of the articles whose claims are examined. */
export const FIRST_SEED = 'Synchronous Replication in Redis: Theory, Implementation, and Benchmarks';
