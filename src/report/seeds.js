/** Titles of the articles whose claims are examined. */
export const FIRST_SEED = 'Synchronous Replication in Redis: Theory, Implementation, and Benchmarks';
export const REPLICATION_SEED = 'Replication';
export const PERSISTENCE_SEED = 'Redis + AOF + Distributed Storage: A Cautionary Benchmark';
export const LINK_SEED = 'Having fun with Redis Replication between Amazon and Rackspace';
