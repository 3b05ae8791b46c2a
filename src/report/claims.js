/**
 * The claims of the articles over many runs: which run counts, which runs disagree, and the table of all claims.
 *
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { ArticleClaim, Claim, ClaimTexts, Examined, Verdict } from './articles.js'
 * @import { Block } from './blocks.js'
 *
 * @typedef {Object} Found what one run shows about a claim
 * @property {string} id of the claim
 * @property {string} run its folder or file
 * @property {string} startedAt
 * @property {string} benchmark
 * @property {Verdict} verdict
 * @property {string} ours our figure with its interval
 * @property {number} rounds behind it; of failures: trials
 * @property {string} bound such as `11 rounds, allowed 44% to 64%`
 * @property {string[]} evidence ids of cases
 * @property {string} differs how the conditions differ; empty: they do not
 * @property {Strength} strength
 *
 * @typedef {Object} Strength which run counts, the first property that differs first
 * @property {boolean} standIn it measured another database, or Valkey, while theirs is Redis
 * @property {boolean} measured the run has what the claim needs
 * @property {boolean} enough rounds or trials to reproduce a claim
 * @property {number} rank the lowest has conditions closest to theirs
 * @property {number} amount seconds of its shortest case; of failures: trials
 * @property {boolean} apart its nodes or cases differ from theirs
 *
 * @typedef {Omit<Found, 'strength'>} Shown
 *
 * @typedef {Object} ClaimRow
 * @property {string} id
 * @property {string} article its title
 * @property {string} claim in our words
 * @property {string} figure theirs
 * @property {ArticleClaim['conditions']} conditions theirs
 * @property {Verdict} verdict of the run that counts
 * @property {Shown | null} counts null: no run examines it
 * @property {Shown[]} disagree other runs that decided otherwise; empty: the run that counts decides nothing
 * @property {string | null} reason why no run examines it, and what would be needed; null: a run does
 *
 * @typedef {ClaimTexts & ArticleClaim} KnownClaim
 */
import { sum } from '../stats/statistics.js';
import { makeTable, terminalTable } from '../table.js';
import { boundText, differsText, ENOUGH, isEnough, theirsText, verdictOf } from './articles.js';
import { heading, list, renderBlocks, table, text } from './blocks.js';
import { plural } from './format.js';

/** @type {readonly Verdict[]} */
const VERDICTS = Object.freeze(['reproduced', 'contradicted', 'undecided', 'not measured', 'not examined']);
/** @type {readonly Verdict[]} */
const DECIDED = Object.freeze(['reproduced', 'contradicted']);
const TITLE = 'What the articles say, and what was measured';
const COLUMNS = ['claim', 'their figure and conditions', 'ours', 'verdict', 'what differs here'];
/** Shares of a terminal’s width. */
const WIDTHS = [0.22, 0.27, 0.22, 0.13, 0.16];
/** A terminal that is narrower gets a table of this width. */
const NARROWEST = 80;
const RULES =
  `“Reproduced” needs ${ENOUGH.rounds} rounds or ${ENOUGH.trials} trials, “contradicted” ${ENOUGH.rounds} rounds or ${ENOUGH.trialsAgainst} trials, and an ` +
  'interval that lies wholly inside or outside of what the claim allows. Costs and shares count as the same within 10 points, factors ' +
  'within a factor of 1.5, unless the claim says more. Of several runs one on Redis counts before one on Valkey; then one with enough rounds or trials, the one with ' +
  'conditions closest to theirs, the one that measured for longer or has more trials, and the latest.';

/**
 * @param {readonly Claim[]} claims of all suites; the closest examination of a claim comes first
 * @param {Result} result
 * @returns {Omit<Found, 'run'>[]}
 */
export function examineRun(claims, result) {
  /** @type {Map<string, BenchmarkResult>} */
  const measured = new Map(result.benchmarks.map((benchmark) => [benchmark.name, benchmark]));
  const { name: server, version } = result.stack.server;
  const other = server === 'valkey' ? [`${server} ${version} (theirs: Redis)`] : [];
  return claims.flatMap((claim, index) => {
    const benchmark = measured.get(claim.benchmark);
    const examined = benchmark ? claim.examine(benchmark, result) : null;
    if (examined === null) return [];
    return {
      id: claim.id,
      startedAt: result.startedAt,
      benchmark: claim.benchmark,
      verdict: verdictOf(examined),
      ours: examined.ours,
      rounds: examined.rounds,
      bound: boundText(examined),
      evidence: examined.evidence,
      differs: [...other, differsText(claim, examined)].filter((text) => text !== '').join('; '),
      strength: {
        standIn: claim.standIn === true || other.length > 0,
        measured: !examined.missing,
        enough: isEnough(examined),
        rank: index,
        amount: benchmark ? amountOf(benchmark, examined) : 0,
        apart: (examined.differs ?? '') !== '',
      },
    };
  });
}

/**
 * @param {readonly KnownClaim[]} allClaims every claim of every article
 * @param {readonly Claim[]} claims those that suites examine
 * @param {readonly Found[]} found in all runs
 * @returns {ClaimRow[]} one for each claim
 */
export function claimRows(allClaims, claims, found) {
  return allClaims.map(({ id, article, claim, figure, conditions, unexamined }) => {
    const [counts, ...others] = found.filter((each) => each.id === id).sort(byStrength);
    const disagree = others.filter(({ verdict }) => decideApart(verdict, counts.verdict));
    return {
      id,
      article,
      claim,
      figure,
      conditions,
      verdict: counts?.verdict ?? (unexamined === undefined ? 'not measured' : 'not examined'),
      counts: counts ? shown(counts) : null,
      disagree: disagree.map(shown),
      reason: counts ? null : (unexamined ?? howToExamine(claims.filter((each) => each.id === id))),
    };
  });
}

/**
 * The strongest evidence comes first: enough of it before conditions, conditions before more of it, the backend and the date last.
 *
 * @type {(a: Found, b: Found) => number}
 */
function byStrength(a, b) {
  const [strength, other] = [a.strength, b.strength];
  return (
    Number(strength.standIn) - Number(other.standIn) ||
    Number(other.measured) - Number(strength.measured) ||
    Number(other.enough) - Number(strength.enough) ||
    strength.rank - other.rank ||
    other.amount - strength.amount ||
    b.rounds - a.rounds ||
    Number(strength.apart) - Number(other.apart) ||
    Date.parse(b.startedAt) - Date.parse(a.startedAt)
  );
}

/**
 * Many short rounds are no stronger evidence than a few long ones.
 *
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Examined, 'rounds' | 'trials' | 'evidence'>} examined
 * @returns {number} as {@link Strength} has it
 */
function amountOf({ cases }, { rounds, trials, evidence }) {
  const behind = cases.filter(({ id }) => evidence.includes(id));
  if (trials || behind.length === 0) return rounds;
  return Math.min(...behind.map((one) => sum(one.rounds.map(({ seconds }) => seconds))));
}

/** @type {(one: Verdict, other: Verdict) => boolean} */
const decideApart = (one, other) => one !== other && DECIDED.includes(one) && DECIDED.includes(other);

/** @param {Found} found @returns {Shown} */
function shown({ strength: _, ...found }) {
  return found;
}

/** @param {readonly Claim[]} candidates */
function howToExamine(candidates) {
  const closest = candidates.find(({ standIn }) => !standIn) ?? candidates[0];
  return `not measured: \`sentinel-bench run ${closest?.benchmark ?? ''} --profile standard\`${closest?.with ? `, with ${closest.with}` : ''}`;
}

/**
 * @param {readonly ClaimRow[]} rows
 * @returns {Record<Verdict, number>}
 */
export function countVerdicts(rows) {
  const counts = { reproduced: 0, contradicted: 0, undecided: 0, 'not measured': 0, 'not examined': 0 };
  for (const { verdict } of rows) counts[verdict]++;
  return counts;
}

/**
 * @param {readonly ClaimRow[]} rows
 * @returns {string} such as `97 claims: 12 reproduced, 9 contradicted, 60 undecided, 12 not measured, 4 not examined`
 */
function summaryText(rows) {
  const counts = countVerdicts(rows);
  return `${plural(rows.length, 'claim')}: ${VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ')}.`;
}

/**
 * @param {ClaimRow} row
 * @returns {string[]} the cells of {@link COLUMNS}
 */
function cells({ claim, figure, conditions, verdict, counts, disagree, reason }) {
  const where = counts === null ? '' : `${counts.ours} (${counts.benchmark}, ${counts.run})`;
  const other = disagree.map((each) => `${each.verdict} in ${each.run} (${each.benchmark})`).join(', ');
  return [
    claim,
    theirsText({ claim, figure, conditions }),
    where,
    [
      counts === null || verdict === 'not measured' ? verdict : `${verdict} (${counts.bound})`,
      other && `other faults or runs disagree: ${other}`,
    ]
      .filter(Boolean)
      .join('; '),
    reason ?? counts?.differs ?? '',
  ];
}

/**
 * @param {readonly ClaimRow[]} rows
 * @param {number} runs that were read
 * @returns {string} Markdown
 */
export function claimsMarkdown(rows, runs) {
  const articles = [...new Set(rows.map(({ article }) => article))];
  /** @type {Block[]} */
  const blocks = [
    text(summaryText(rows)),
    list([`From ${plural(runs, 'run')}.`, RULES]),
    ...articles.flatMap((article) => [
      heading(2, article),
      table(COLUMNS, rows.filter((row) => row.article === article).map(cells), { compact: true }),
    ]),
  ];
  return `# ${TITLE}\n\n${renderBlocks(blocks, { figure: () => '' })}`;
}

/**
 * @param {readonly ClaimRow[]} rows
 * @param {{runs: number, columns: number}} options columns: width of the terminal
 * @returns {string} a table for each article, then the summary
 */
export function claimsTerminal(rows, { runs, columns }) {
  const articles = [...new Set(rows.map(({ article }) => article))];
  const shared = COLUMNS.map((title, i) => ({ title, share: WIDTHS[i] }));
  const width = Math.max(NARROWEST, columns);
  const tables = articles.map((article) => {
    const articleRows = rows.filter((row) => row.article === article).map(cells);
    return `${article}\n${terminalTable(makeTable(shared, articleRows), { frame: true, width })}`;
  });
  return [...tables, `${summaryText(rows)} From ${plural(runs, 'run')}.`, RULES].join('\n\n');
}
