/**
 * The answer of each claim, from the facts of one or more runs.
 * @import { Fact } from '../../facts/fact.js' @import { ClaimAnswer } from './answer.js' @import { ClaimReading } from './read.js'
 * @import { Article, Claim, ClaimMeasure } from './schema.js'
 * @typedef {Object} ClaimRow
 * @property {string} id @property {string} article its title @property {string} claim in our words
 * @property {string | null} quote @property {string | null} conditions theirs @property {number | null} number theirs
 * @property {string} theirs their figure; empty: they give none @property {string} ours our figure; empty: not measured
 * @property {number | null} value ours @property {ClaimAnswer} answer
 * @property {string} text the answer with what belongs to it, such as `only if by SIGTERM`
 * @property {string} differs how our conditions differ; empty: they do not, or nothing was measured
 * @property {{run: string, experiment: string, cases: string[], n: number}[]} evidence what the answer rests on; run: when it began
 */
import { plural } from '../../format.js';
import { addCounts } from '../../stats/statistics.js';
import { answerOfAll, answerOfWays, ENOUGH, isGood } from './answer.js';
import { readMeasure } from './read.js';

/** @param {Claim} claim @returns {ClaimMeasure[]} */
export function measuresOf({ ways, all, number, none, band, unit }) {
  return (ways ?? all ?? []).map((measure) => ({ number, none, band, unit, ...measure }));
}

/**
 * @param {readonly Article[]} articles @param {RegExp} [metrics] default: any
 * @returns {Set<string>} the benchmarks of which the claims need facts with such metrics
 */
export function experimentsOf(articles, metrics = /./) {
  const queries = articles
    .flatMap(({ claims }) => claims.flatMap(measuresOf))
    .flatMap(({ where, of, over }) => [of, over].map((query) => ({ ...where, ...query })));
  return new Set(
    queries.filter(({ metric }) => metrics.test(String(metric))).map(({ experiment }) => String(experiment)),
  );
}

/** @param {Article} article @param {Claim} claim @param {readonly Fact[][]} runs the facts of each run @returns {ClaimRow} */
export function rowOf({ title }, claim, runs) {
  const measures = measuresOf(claim);
  const readings = measures.map((measure) => strongest(measure, runs));
  const known = readings.filter((reading) => reading !== null);
  const isWhole = claim.all ? known.length === measures.length : known.length > 0;
  const { id, claim: text, quote = null, figure = '', conditions = null, number = null } = claim;
  return {
    ...{ id, article: title, claim: text, quote, theirs: figure, conditions, number },
    ...(claim.cannotBeCompared
      ? { answer: 'cannot be compared', text: `cannot be compared: ${claim.cannotBeCompared}` }
      : isWhole
        ? answered(claim, readings)
        : { answer: 'not measured', text: `not measured: run \`${claim.run ?? commandOf(measures)}\`` }),
    ours: isWhole ? oursOf(claim, readings) : '',
    value: isWhole ? known[0].value : null,
    differs: isWhole ? [claim.differs, ...circumstances(claim, readings)].filter(Boolean).join('; ') : '',
    evidence: isWhole ? known.map(evidenceOf) : [],
  };
}

/** More rounds or trials before the backend and the date. @param {ClaimMeasure} measure @param {readonly Fact[][]} runs @returns {ClaimReading | null} null: no run has its facts */
function strongest(measure, runs) {
  const readings = runs.flatMap((facts) => readMeasure(measure, facts) ?? []);
  const rank = (/** @type {ClaimReading} */ { n, failing, facts: [fact] }) => [
    fact.server.startsWith('valkey') ? 0 : 1,
    n >= (failing === undefined ? ENOUGH.rounds : ENOUGH.trials) ? 1 : 0,
    n,
    fact.conditions.backend === 'docker' ? 1 : 0,
    Date.parse(fact.run),
  ];
  const compare = (/** @type {ClaimReading} */ a, /** @type {ClaimReading} */ b) => {
    const [ranks, others] = [rank(a), rank(b)];
    const i = ranks.findIndex((value, place) => value !== others[place]);
    return i < 0 ? 0 : others[i] - ranks[i];
  };
  return readings.sort(compare)[0] ?? null;
}

/** @param {Claim} claim @param {readonly (ClaimReading | null)[]} readings those of `all` are whole @returns {{answer: ClaimAnswer, text: string}} */
function answered({ ways }, readings) {
  if (!ways) {
    const answer = answerOfAll(readings.flatMap((reading) => reading?.answer ?? []));
    return { answer, text: answer };
  }
  const found = readings.flatMap((reading, i) => (reading === null ? [] : { ...reading, by: ways[i].by }));
  const { answer, holding, against } = answerOfWays(found);
  if (answer === 'only if') {
    const failing = waysText(against, (each) => AGAINST[each] ?? 'not');
    return { answer, text: `only if ${namesOf(holding)}; ${failing}` };
  }
  const isOne =
    answer === 'too noisy' || found.every((each) => each.answer === answer || (isGood(answer) && isGood(each.answer)));
  return { answer, text: isOne ? answer : waysText(found, String) };
}

/** What a way shows that does not hold. @type {Partial<Record<ClaimAnswer, string>>} */
const AGAINST = { 'same direction, larger': 'larger', 'same direction, smaller': 'smaller' };

/** @param {readonly {by: string}[]} ways */
const namesOf = (ways) => ways.map(({ by }) => by).join(' or ');

/** @param {readonly {by: string, answer: ClaimAnswer}[]} ways @param {(answer: ClaimAnswer) => string} wordOf @returns {string} such as `larger with MULTI; not in a pipeline` */
function waysText(ways, wordOf) {
  const words = [...new Set(ways.map(({ answer }) => wordOf(answer)))];
  return words.map((word) => `${word} ${namesOf(ways.filter(({ answer }) => wordOf(answer) === word))}`).join('; ');
}

/** @param {Claim} claim @param {readonly (ClaimReading | null)[]} readings */
function oursOf({ ways }, readings) {
  const texts = readings.map((reading, i) => reading && `${ways ? `${ways[i].by}: ` : ''}${reading.ours}`);
  return texts.filter((text) => text !== null).join('; ');
}

/** @param {Claim} claim @param {readonly (ClaimReading | null)[]} readings @returns {string[]} what only the runs say of their conditions */
function circumstances({ ways }, readings) {
  const facts = readings.flatMap((reading) => reading?.facts ?? []);
  const others = readings.flatMap((reading, i) => {
    const server = reading?.facts[0].server ?? '';
    return server.startsWith('valkey') ? [ways ? `${ways[i].by}: ${server}` : server] : [];
  });
  const limits = [...new Set(facts.map(({ conditions }) => conditions.limitedBy))];
  const busy = limits.filter((each) => each === 'machine' || each === 'client');
  return [...new Set(others), ...(busy.length === 0 ? [] : [`limited by the ${busy.join(' and the ')} here`])];
}

/** @param {ClaimReading} reading */
function evidenceOf({ n, facts }) {
  const [{ run, experiment }] = facts;
  return { run, experiment, cases: [...new Set(facts.map(({ caseId }) => caseId))], n };
}

/** @param {readonly ClaimMeasure[]} measures */
const commandOf = ([{ where }]) => `sentinel-bench run ${where.experiment} --profile standard`;

/** @param {readonly ClaimRow[]} rows @returns {string} such as `138 claims: 60 same, 20 about the same` */
export function summaryOf(rows) {
  const counts = Object.entries(countAnswers(rows)).map(([answer, count]) => `${count} ${answer}`);
  return `${plural(rows.length, 'claim')}: ${counts.join(', ')}.`;
}

/** @param {readonly ClaimRow[]} rows @returns {Partial<Record<ClaimAnswer, number>>} the most frequent first */
export function countAnswers(rows) {
  const counts = addCounts({}, ...rows.map(({ answer }) => ({ [answer]: 1 })));
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}
