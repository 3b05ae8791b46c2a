/** Where passwords come from: never from the command line, which everybody on the machine can read. */
export const PASSWORD_VARIABLE = 'SENTINEL_BENCH_PASSWORD';
export const SENTINEL_PASSWORD_VARIABLE = 'SENTINEL_BENCH_SENTINEL_PASSWORD';
