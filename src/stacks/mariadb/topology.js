export const FIRST_PRIMARY = 'mariadb-1';

const kind = /** @type {const} */ ('mariadb');

/** port: usually published by a container */
export const MARIADB_NODES = Object.freeze([1, 2, 3].map((n) => ({ id: `mariadb-${n}`, kind, port: 3305 + n })));

/** The user of the harness. It may change settings and roles. */
export const ADMIN = 'bench_admin';

/** The user of writers and load threads. `read_only` stops it, as it stops an application. */
export const APPLICATION = 'bench_app';
