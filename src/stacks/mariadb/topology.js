/** @import { NodeKind } from '../types.js' */

export const FIRST_PRIMARY = 'mariadb-1';

/** @type {readonly {id: string, kind: NodeKind, port: number}[]} port: usually published by a container */
export const MARIADB_NODES = Object.freeze([
  { id: 'mariadb-1', kind: 'mariadb', port: 3306 },
  { id: 'mariadb-2', kind: 'mariadb', port: 3307 },
  { id: 'mariadb-3', kind: 'mariadb', port: 3308 },
]);

/** The user of the harness. It may change settings and roles. */
export const ADMIN = 'bench_admin';

/** The user of writers and load threads. `read_only` stops it, as it stops an application. */
export const APPLICATION = 'bench_app';
