/** @import { CaseFigures, Result, TableBlock, TemplateData } from '../types.js' */
import { figure, rowsOf } from '../../src/facts/query.js';
import { costText } from '../../src/report/costs.js';
import { NS_A_MS } from '../../src/units.js';
import { suiteTerms } from '../facts.js';
import { rollOut } from '../pages/paste.js';
import { ARTICLE_KEYS, IN_MEMORY, PAYLOAD, SMALL } from './modes.js';
import { caseOf, readTable, setTable, storagesOf } from './tables.js';

const P99 = 'p99-service-time';
const AS_DEPLOYED = 'everysec-thresholds';

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData({ storage: storages = [], storageNotMeasured, ...result }) {
  const rows = rowsOf({ ...result, storage: storages }, suiteTerms);
  const [benchmark] = result.benchmarks;
  const labels = storagesOf(rows);
  const found = labels.map((label) => {
    const { emulated = false, filesystem = '', fsyncNs = null } = storages.find((each) => each.label === label) ?? {};
    const memory = IN_MEMORY.includes(filesystem);
    return { label, emulated, memory, filesystem, fsyncMs: fsyncNs && fsyncNs.p50 / NS_A_MS };
  });
  const keys = Math.max(
    0,
    ...rows.flatMap(({ params }) => (params.payloadBytes === PAYLOAD ? (params.preloadKeys ?? 0) : [])),
  );
  const network = caseOf(rows, 'set', { mode: AS_DEPLOYED, storage: 2 });
  return {
    measured: rows.length,
    storages: found,
    replicated: found.find(({ filesystem }) => filesystem.startsWith('fuse.'))?.label ?? null,
    large: costsOf(rows, PAYLOAD),
    small: costsOf(rows, SMALL),
    tuned: tuningOf(rows),
    network: network?.of.cost ? { ...found[1], cost: costText(network.of.cost) } : null,
    seconds: benchmark?.pace?.seconds ?? null,
    requests: rows.find(({ params }) => params.requests !== undefined)?.params.requests ?? null,
    keys: keys > 0 && keys < ARTICLE_KEYS ? keys : null,
    split: caseOf(rows, 'set', { mode: 'split-rdb', storage: 1, replicaStorage: 2 }) !== undefined,
    notMeasured: storageNotMeasured ?? null,
    paste: AOF_COMMANDS,
    tables: { set: setTable(rows), get: readTable(rows, 'get'), ping: readTable(rows, 'ping') },
  };
}

/** @param {readonly CaseFigures[]} rows @param {number} payloadBytes @returns costs of SET on the local disk; null: not both were measured */
function costsOf(rows, payloadBytes) {
  const [everysec, always] = ['everysec', 'always'].map(
    (mode) => caseOf(rows, 'set', { mode, storage: 1, payloadBytes })?.of.cost,
  );
  return everysec && always ? { everysec: costText(everysec), always: costText(always) } : null;
}

/** @param {readonly CaseFigures[]} rows @returns milliseconds as deployed and with each tuning; helps: surely shorter with one; null: not all were measured */
function tuningOf(rows) {
  const of = (/** @type {string} */ mode) => caseOf(rows, 'set', { mode, storage: 1 });
  const facts = [AS_DEPLOYED, `${AS_DEPLOYED}-tuning-1`, `${AS_DEPLOYED}-tuning-2`].flatMap(
    (mode) => of(mode)?.of[P99] ?? [],
  );
  if (facts.length < 3) return null;
  const [deployed, ...tunings] = facts;
  const always = of('always');
  return {
    p99: facts.map(({ median }) => Number(median)),
    helps: tunings.some(({ high }) => Number(high) < Number(deployed.low)),
    always: always ? figure(always, P99) : null,
  };
}

const AOF_COMMANDS = rollOut('AOF always', { appendfsync: 'always', appendonly: 'yes' });
