/** What facts need to know of the suites: units that the name of a figure does not say. */
/** @import { BenchmarkResult, CaseResult, RoundResult } from './types.js' */
/** @import { SuiteTerms } from '../src/facts/index.js' */

import { metricNamed } from '../src/facts/metrics.js';
import { sum } from '../src/stats/statistics.js';
import { MS_A_SECOND } from '../src/units.js';
import { readYaml } from '../src/yaml.js';
import { WORKLOADS } from './workloads/index.js';

const METRICS = readYaml(new URL('metrics.yaml', import.meta.url));

/** @param {RoundResult} round @returns {Record<string, unknown>} figures that follow from others of the same round */
function figures({ copy, link, throughput }) {
  return {
    copying: copy && copyingOf(copy),
    linked: link && linkedOf(link, throughput),
    compression: levelsOf(link?.file?.levels ?? []),
  };
}

/**
 * @param {NonNullable<RoundResult['link']>} link @param {number} throughput acknowledged operations a second
 * @returns {Record<string, number | null | undefined>} Bytes a second, over the same seconds: stream, wire, back.
 *   Bytes a write: in the stream (write), from the client (request), on the wire (carried).
 *   ratio: bytes of the stream for each byte to the replica; null: the wire also carried something else.
 *   missing: seconds of writing that a promotion lost
 */
function linkedOf(link, throughput) {
  const { wire, streamBytes, writes, requestBytes, promotion, fullResyncs = 0, catchUpMs } = link;
  const aWrite = (/** @type {number | undefined} */ size) =>
    size === undefined || writes === 0 ? null : size / writes;
  const isWhole = fullResyncs === 0 && catchUpMs != null;
  return {
    stream: wire && streamBytes / wire.seconds,
    wire: wire && wire.toReplicaBytes / wire.seconds,
    back: wire && wire.toPrimaryBytes / wire.seconds,
    ratio: wire && isWhole && wire.toReplicaBytes > 0 ? streamBytes / wire.toReplicaBytes : null,
    write: aWrite(streamBytes),
    request: aWrite(requestBytes),
    carried: aWrite(wire?.toReplicaBytes),
    missing: promotion && throughput > 0 ? promotion.missing / throughput : null,
  };
}

/**
 * @param {NonNullable<RoundResult['copy']>} copy
 * @returns {Record<string, number | null>} pace: writes copied for each write of the source; cpu: milliseconds a key, of source, copy and
 *   mover; network: bytes a key, sent by source and mover; entryCpu, entryNetwork: the same for each entry that the mover says it wrote;
 *   written: bytes a second that the mover writes to files; cores: CPU of source, copy and mover; sent: bytes a second, by source and mover;
 *   received: by source and copy; disk: by all three; differences: keys
 */
function copyingOf({ copyRate, sourceRate, copiedKeys, reported, seconds, comparison, use: { source, copy, mover } }) {
  const { missing, extra, type, value, ttl } = comparison;
  const shares = [source.cpu, copy.cpu, mover ? mover.cpu : 0];
  // Another program counts nothing; what a copy receives comes from it.
  const sent = [source.networkOutBytes, mover ? (mover.networkOutBytes ?? copy.networkInBytes) : 0];
  const milliseconds = shares.map((share) => share && share * seconds * MS_A_SECOND);
  const per = (/** @type {(number | null)[]} */ parts, /** @type {number} */ whole) =>
    whole === 0 || parts.includes(null) ? null : sum(parts.map(Number)) / whole;
  const entries = reported?.written ?? 0;
  return {
    pace: sourceRate > 0 ? copyRate / sourceRate : null,
    cpu: per(milliseconds, copiedKeys),
    network: per(sent, copiedKeys),
    entryCpu: per(milliseconds, entries),
    entryNetwork: per(sent, entries),
    written: mover?.blockOutBytes == null ? null : mover.blockOutBytes / seconds,
    cores: per(shares, 1),
    sent: per(sent, seconds),
    received: per([source.networkInBytes, copy.networkInBytes], seconds),
    disk: per([source.blockOutBytes, copy.blockOutBytes, mover ? mover.blockOutBytes : 0], seconds),
    differences: missing + extra + type + value + ttl,
  };
}

/** @param {{level: number, compressedBytes: number, cpuMs: number}[]} levels of compression @returns `level1` … `level9` */
function levelsOf(levels) {
  return Object.fromEntries(levels.map(({ level, ...figures }) => [`level${level}`, figures]));
}

/** @param {CaseResult} one @param {BenchmarkResult} benchmark @returns {Record<string, unknown>} storageOrder: 1 is the local disk */
function conditions({ params: { storage } }, { cases }) {
  if (storage === undefined) return {};
  const labels = [...new Set(cases.flatMap(({ params }) => params.storage ?? []))];
  return { storageOrder: labels.indexOf(storage) + 1 };
}

const HARMS = WORKLOADS.flatMap(({ harms }) => Object.keys(harms)).map((figure) => [
  figure,
  { ...metricNamed(figure), better: /** @type {const} */ ('less') },
]);

/** @type {SuiteTerms} */
export const suiteTerms = Object.freeze({
  metrics: { ...Object.fromEntries(HARMS), ...METRICS },
  figures,
  conditions,
  companions: ({ workloads = [] }) =>
    workloads.map(({ workload, source, figures }) => ({ writer: `${workload}.${source}`, figures })),
});
