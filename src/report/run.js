/**
 * What was run, where and how: the last section of each page, with the command that repeats it.
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 */
import { isFailureBenchmark } from '../audit/of-trials.js';
import { limitsText, serverText } from '../format.js';
import { agentsText } from './agents.js';
import { serversOf } from './scope.js';

const MS_A_MINUTE = 60_000;
/** The most characters of a line to paste: more are wider than 1,200 pixels. */
const LINE_CHARACTERS = 120;

/** @param {Result} result @returns {Record<string, any> & {command: string}} `run` of run.md, and the command that repeats it */
export function runOf(result) {
  const { suite, stack, environment, startedAt, finishedAt, benchmarks, profile } = result;
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const timed = measured.filter((each) => !isFailureBenchmark(each));
  const cases = measured.flatMap((each) => each.cases.map(({ params }) => params));
  const trials = measured.filter(isFailureBenchmark).flatMap(trialsOfEach);
  const own = cases.flatMap(({ ownSettings = {} }) => Object.entries(ownSettings));
  const { cores, cpuModel, memoryBytes } = environment;
  return {
    ...{ suite, cores, cpuModel, memoryBytes, trials, backend: stack.backend, path: stack.path, profile: profile.name },
    servers: serversOf(result).map(serverText).join(', '),
    replicas: stack.nodes.filter(({ role }) => role === 'replica').length,
    sentinels: stack.nodes.filter(({ kind }) => kind === 'sentinel').length,
    // What an existing deployment has set itself.
    own: [...new Set(own.map(([name, value]) => `${name} ${value}`))].join(', '),
    limits: limitsText(environment),
    payloads: cases.map(({ payloadBytes }) => payloadBytes),
    connections: cases.map(({ connections }) => connections),
    depths: cases.map(({ pipeline }) => pipeline),
    rates: cases.flatMap(({ rate }) => rate ?? []),
    delays: cases.flatMap(({ downAfterMs }) => downAfterMs ?? []),
    agents: agentsText(result),
    rounds: timed.flatMap((each) => each.cases.map((one) => one.rounds.length)),
    lengths: timed.map(({ pace }) => pace?.seconds ?? profile.seconds),
    single: trials.every((number) => number === 1),
    lanes: result.trials?.lanes ?? 1,
    date: startedAt.slice(0, 10),
    minutes: Math.ceil((Date.parse(finishedAt) - Date.parse(startedAt)) / MS_A_MINUTE),
    command: wrapped(commandOf(result)),
  };
}

/** @param {BenchmarkResult} benchmark @returns {number[]} trials of each case */
function trialsOfEach({ cases, timeline = [] }) {
  return cases.flatMap(({ id }) => timeline.filter((trial) => trial.case === id).length || []);
}

/** @param {Pick<Result, 'command' | 'seed'>} result @returns {string} the command that repeats the run, with its seed */
function commandOf({ command, seed }) {
  // Results have no paths, and the place of the report does not change the figures.
  const short = command.replace(/ --out[ =]…/, '');
  return / --seed[ =]/.test(short) ? short : `${short} --seed ${seed}`;
}

/** @param {string} command @returns {string} on two lines if it is long */
function wrapped(command) {
  if (command.length <= LINE_CHARACTERS) return command;
  const at = command.lastIndexOf(' --', LINE_CHARACTERS);
  return at <= 0 ? command : `${command.slice(0, at)} \\\n  ${command.slice(at + 1)}`;
}
