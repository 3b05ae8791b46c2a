/**
 * Claims of the article about replication of MySQL.
 *
 * @import { ArticleClaim, Conditions } from '../../src/report/articles.js'
 */

export const title = 'Replication';

/** @type {Conditions} */
const WRITING = {
  tool: 'wrk through an HTTP application, with replicas also through ProxySQL, 5 min',
  connections: '50 connections',
  storage: 'Docker, one machine',
  version: 'MySQL, version not stated',
};
/** @type {Conditions} */
const READING = { ...WRITING, tool: 'wrk through an HTTP application, 5 min; reads to the replica through ProxySQL' };
/** @type {Conditions} */
const KILLED = {
  ...WRITING,
  fault: '`docker kill` of the primary, once',
  storage: 'Docker, one machine; 2 replicas, timeout 1 s',
};
/** Their tables of resources. @type {Conditions} */
const SNAPSHOT = { ...WRITING, tool: '`docker stats` once, while wrk wrote through an HTTP application' };
/** @type {Conditions} */
const SEMI_SYNC_SNAPSHOT = {
  ...SNAPSHOT,
  tool: `${SNAPSHOT.tool} and ProxySQL, before the kill`,
  storage: KILLED.storage,
};

/** @param {string} figure @returns {string} of a table of theirs, about which the text says nothing */
const inTable = (figure) => `${figure}; a table, no statement`;

const NEEDS_APPLICATION = 'It needs the HTTP application and ProxySQL.';

/** @satisfies {Record<string, ArticleClaim>} */
export const claims = {
  'replication.async-cost': {
    claim: 'Asynchronous replication to one replica costs about a fifth of write throughput',
    figure: '403 to 320 requests/s, 21% less',
    conditions: WRITING,
  },
  'replication.async-p50': {
    claim: 'Asynchronous replication makes the median write 40% longer',
    figure: inTable('101.5 to 142.1 ms, 1.4×'),
    conditions: WRITING,
  },
  'replication.async-p90': {
    claim: 'Asynchronous replication hardly changes p90 of writes',
    figure: inTable('227.8 to 210.8 ms, 0.93×'),
    conditions: WRITING,
  },
  'replication.async-p99': {
    claim: 'Asynchronous replication makes p99 of writes a quarter shorter',
    figure: inTable('379.8 to 287.5 ms, 0.76×'),
    conditions: WRITING,
  },
  'replication.timeouts': {
    claim: 'With asynchronous replication more writes take longer than a second',
    figure: inTable('48 timeouts of 121,030 requests without, 144 of 95,890 with a replica'),
    conditions: WRITING,
  },
  'replication.write-cpu': {
    claim: 'While writing, a replica uses about half as much CPU as the primary',
    figure: inTable('57% against 112% of a core'),
    conditions: SNAPSHOT,
  },
  'replication.write-memory': {
    claim: 'While writing, a replica needs somewhat less memory than the primary',
    figure: inTable('382 against 447 MiB, 85%'),
    conditions: SNAPSHOT,
  },
  'replication.replica-disk': {
    claim: 'Since its start a replica has written as much to disk as the primary',
    figure: inTable('773 against 743 MB; with semi-sync 57 and 70 against 103 MB while writing'),
    conditions: SNAPSHOT,
  },
  'replication.read-throughput': {
    claim: 'Reads sent to a replica reach about the same throughput',
    figure: '272 to 249 requests/s, 91%',
    conditions: READING,
  },
  'replication.read-relief': {
    claim: 'Reads sent to a replica leave the primary with way less load (taken as at most a tenth)',
    figure: 'CPU of the primary from 509% to 17% of a core',
    conditions: { ...READING, tool: '`docker stats` once; reads to the replica through ProxySQL' },
  },
  'replication.read-latency': {
    claim: 'Reads sent to a replica take about as long',
    figure: 'median 158 to 186 ms, p99 1.66 to 1.68 s',
    conditions: READING,
  },
  'replication.idle': {
    claim: 'An idle database node uses next to no CPU (taken as under 1% of a core)',
    figure: inTable('0.55 to 0.69% of a core'),
    conditions: { ...SNAPSHOT, tool: '`docker stats` once, without load', connections: 'none' },
  },
  'replication.proxy': {
    claim: 'The proxy uses two thirds of a core while writing, two fifths while reading',
    figure: '67% and 39% of a core, 18 to 24 MiB',
    conditions: WRITING,
    unexamined: NEEDS_APPLICATION,
  },
  'replication.semi-sync-cost': {
    claim: 'Writing with semi-sync and two replicas is no slower than without replication',
    figure: inTable('431 requests/s until the kill, against 403'),
    conditions: KILLED,
  },
  'replication.semi-sync-p50': {
    claim: 'With semi-sync the median write takes about as long as without replication',
    figure: inTable('101.5 to 94.9 ms, 0.94×'),
    conditions: KILLED,
  },
  'replication.semi-sync-p99': {
    claim: 'With semi-sync p99 of writes is about as long as without replication',
    figure: inTable('379.8 to 346.3 ms, 0.91×'),
    conditions: KILLED,
  },
  'replication.semi-sync-cpu': {
    claim: 'With semi-sync two replicas together use four fifths of the CPU of the primary',
    figure: inTable('46% and 45% against 117% of a core'),
    conditions: SEMI_SYNC_SNAPSHOT,
  },
  'replication.semi-sync-memory': {
    claim: 'With semi-sync two replicas together need 1.8 times the memory of the primary',
    figure: inTable('372 and 379 against 428 MiB'),
    conditions: SEMI_SYNC_SNAPSHOT,
  },
  'replication.killed-loss': {
    claim: 'With semi-sync no successful request is lost when the primary is killed',
    figure: '0 of 95,233',
    conditions: KILLED,
  },
  'replication.killed-both': {
    claim: 'Both replicas have every successful request',
    figure: '95,233 rows on each',
    conditions: KILLED,
  },
  'replication.at-least-one': {
    claim: 'A successful request has been saved in at least one replica',
    figure: '',
    conditions: { ...KILLED, fault: 'healthy replicas' },
  },
  'replication.phantoms': {
    claim: 'A killed primary can come back with requests that were never confirmed',
    figure: '4 more rows: 95,237',
    conditions: KILLED,
  },
  'replication.trim': {
    claim: 'The old primary must not follow a new one before its binary log is trimmed',
    figure: '',
    conditions: KILLED,
  },
};
