/** Variant of cases in which examples/planned-failover.sh moves the primary. */
export const BY_SCRIPT = 'by-script';
/** Variant of cases in which RedisShake copies the data to a node of the other server. */
export const BY_SHAKE = 'by-redis-shake';
