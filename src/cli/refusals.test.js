/**
 * Bad arguments: the command line says in one sentence what is wrong and in one what to do, with exit status 2, before anything starts.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sweepResultOf } from '../../bench/sweep/decision-fixture.js';
import { resultOf } from '../report/fixture.js';
import { refusalOf } from './refusal-fixture.js';

/** @param {string[]} args @param {RegExp} message */
async function assertRefused(args, message) {
  const { status, stdout, stderr } = await refusalOf(args);
  assert.deepEqual([status, stdout], [2, ''], args.join(' '));
  assert.match(stderr, message);
  const [what, remedy] = stderr.split('\n').filter((line) => !line.startsWith('(Did you mean'));
  assert.match(what, /^error: /);
  assert.match(remedy, /\.$/);
  assert.doesNotMatch(stderr, / at .*\.js:/, 'no stack trace');
}

/**
 * @param {string} command
 * @param {readonly [words: string, message: RegExp][]} refusals words: what follows, each after one blank
 */
function refuses(command, refusals) {
  describe(command, () => {
    for (const [words, message] of refusals)
      test(words, () => assertRefused(`${command} ${words}`.trimStart().split(' '), message));
  });
}

refuses('', [
  ['measure', /unknown command 'measure'/],
  ['list more', /too many arguments/],
  ['status --sentinel host:0', /must be HOST:PORT with a port from 1/],
  ['up --backend external', /needs the address of a Sentinel\.\n.*--sentinel HOST:PORT/],
  ['down --server redis-server', /unknown option '--server'/],
  ['report', /No run is named\..*\n.*sentinel-bench site/],
  ['report a b', /2 runs are named, but a report is about one run\..*\n.*one run/],
  ['report nowhere', /There is no nowhere.*\n.*folder of a run/],
  // Node.js takes an empty path for the current folder.
  ['site ', /argument is empty/],
  ['export run --format openmetrics --out ', /--out is empty/],
]);

test('an option that holds blanks', () =>
  assertRefused(
    ['link', 'observe', '--output-buffer', '1 1 1'],
    /--output-buffer is only used with --link-speed\.\nAdd/,
  ));

refuses('run', [
  ['--profle quick', /unknown option '--profle'/],
  ['nope', /There is no benchmark called nope\.\nChoose from: .*pipeline/],
  ['--suite nope', /'nope' is invalid\. Allowed choices are .*main/],
  ['--profile nope', /'nope' is invalid\. Allowed choices are quick, standard, full/],
  ['--backend nope', /'nope' is invalid\. Allowed choices are auto, docker, local, hosts, agents, external/],
  ['--client nope', /'nope' is invalid\. Allowed choices are native, redis, ioredis/],
  ['--out', /'--out <folder>' argument missing/],
  ['--seed x', /whole number below 4294967296\./],
  ['--sentinel host:1 --backend local', /only used with --backend external\.\nUse --backend external, or/],
  ['--sentinel host:1 --tls-ca /no/such/ca.pem', /\/no\/such\/ca\.pem.*cannot be read.*\n.*PEM/],
  ['--tls-ca /no/such/ca.pem', /--tls-ca is only used with --backend external.*\n.*--sentinel/],
  ['pipeline --down-after 1s', /--down-after is only used by --suite failure, .*\nRun one of them, or/],
  ['pipeline --slo p99<2ms', /--slo is only used by latency-curve\.\nRun latency-curve, or leave out --slo\./],
  ['copy --client native', /--client is only used by --suite main, engine, --suite failure, /],
  ['--backend local --image x', /--image is only used with --backend docker\.\nUse --backend/],
  ['--backend docker --server x', /--server is only used with --backend local or hosts\.\nUse/],
  ['--server x --image x', /--server is only used with --backend local or hosts\./],
  ['primary-killed --sentinel host:1 --lanes 2', /--lanes is only used with --backend local, hosts or docker\./],
  ['--user me', /--user is only used with --backend external\.\nAdd --sentinel HOST:PORT, or leave/],
  ['pipeline --suite main', /--suite is only used when no benchmark is named\.\nLeave out/],
  ['primary-killed --lanes 0', /--lanes.*between 1 and 16/],
  ['primary-killed --backend local --act pause=true', /--act is only used with --backend external/],
  ['primary-killed --sentinel host:1 --act pause=true', /none for resume, which undoes it/],
]);

refuses('load', [
  ['--payload 0', /between 1b and 512m/],
  ['--connections 1.5', /whole number/],
  ['--pipeline -3', /between 1 and 10,000/],
  ['--rate fast', /between 0\.1\/s and 100m\/s/],
  ['--duration 0s', /between 10ms and 24h/],
  ['--threads 65', /whole number between 1 and 64, for instance 1 or 4\./],
  ['--read-ratio 2', /between 0 and 1/],
  ['--waitaof 2,1', /LOCAL,REPLICAS/],
  ['--target localhost', /HOST:PORT/],
  ['--threads 4 --connections 2', /cannot share 2 connections/],
  ['--wait 1 --waitaof 1,1', /exclude each other/],
  ['--target 127.0.0.1:1 --sentinel 127.0.0.1:2', /both name the node/],
  ['--arrivals poisson', /--arrivals is only used with --rate\.\nAdd --rate, or leave out --arrivals\.\n$/],
  ['--wait-mode sequential', /--wait-mode is only used with --wait or --waitaof\.\nAdd --wait 1, or/],
  ['--wait-timeout 5s', /--wait-timeout is only used with --wait or --waitaof\./],
  ['--target 127.0.0.1:1 --master-name main', /--master-name is only used with --sentinel\./],
  ['--sentinel-user me', /--sentinel-user is only used with --sentinel\./],
  ['--wait 1 --read-ratio 1', /--wait is only used with loads that write\.\nLower --read-ratio, or/],
]);

refuses('search', [
  ['--mode wait9', /argument 'wait9' is invalid/],
  ['--mode wait1 --replay reboot:primary@0+1', /its kind must be one of kill/],
  ['--mode wait1 --replay kill:replica-7@0+1', /names a host that does not exist/],
  ['--mode wait1 --steps kill,reboot', /There is no step called reboot/],
  ['--mode wait1 --faulty-nodes 3', /between 1 and 2/],
]);

describe('commands that read results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-refusals-'));
  before(() => {
    const skipped = sweepResultOf();
    for (const benchmark of skipped.benchmarks)
      Object.assign(benchmark, { status: 'skipped', reason: 'it cannot be.', cases: [] });
    const [other, failed, single] = [resultOf(), resultOf(), resultOf()];
    other.benchmarks[0].name = 'another';
    Object.assign(failed.benchmarks[0], { status: 'failed', reason: 'the primary went away.', cases: [] });
    for (const one of single.benchmarks[0].cases) one.rounds.length = 1;
    const damaged = { ...sweepResultOf(), benchmarks: [{ name: 'sweep-partition' }] };
    const results = { sweep: sweepResultOf(), skipped, damaged, run: resultOf(), other, failed, single };
    for (const [name, result] of Object.entries(results)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'result.json'), JSON.stringify(result));
    }
  });
  after(() => rmSync(folder, { recursive: true }));
  const run = join(folder, 'run');
  const sweep = join(folder, 'sweep');

  refuses('recommend', [
    [
      `${folder}/other`,
      /other has no configuration sweep\.\nMeasure one with `sentinel-bench run --suite config-sweep`/,
    ],
    [
      `${folder}/skipped`,
      /No configuration was measured in .*skipped\.\n[\s\S]*sweep-partition skipped: it cannot be\./,
    ],
    [`${folder}/damaged`, /damaged\/result\.json is damaged at benchmarks/],
    [`${sweep} --max-loss none`, /0 and 1,000,000,000,000/],
    [`${sweep} --max-loss 101%`, /between 0 and 1 \(or 0% and 100%\)/],
    [`${sweep} --max-p99 soon`, /0\.001ms and 60s/],
    [`${sweep} --min-throughput -1`, /1\/s and/],
    [`${sweep} --faults kill,fire`, /Allowed choices are kill, machine, partition, /],
    [`${sweep} --faults kill,stop,kill`, /kill is named twice\./],
    [`${sweep} --faults power`, /sweep has no trial of power\.\n/],
    [`${sweep} --faults coordinated`, /sweep has no trial of coordinated\.\n.*a server that has them, or ask/],
    [`${sweep} --min-throughput 0%`, /give a share above 0\./],
    [`${sweep} --max-p99 5ms --max-unavailable 1ms`, /--max-unavailable is shorter than --max-p99\./],
    [`${sweep} --faults-per-year usual`, /belong together\.\n/],
    [`${sweep} --faults-per-year kill=-1 --writes-per-second 9`, /0\.001 and 1,000,000/],
    [`${sweep} --survive fire`, /Allowed choices are one-replica-down, both-replicas-down\./],
    [`${sweep} --pipeline 7`, /Allowed choices are 1, 100\./],
  ]);

  refuses('compare', [
    [`${run} ${folder}/other`, /run and .*other have no case in common\.\n/],
    [`${run} ${folder}/failed`, /no case in common[\s\S]*B: async-vs-wait failed: the primary went away\./],
    [`${folder}/single ${run}`, /No case can be compared by throughput; the first: too few rounds/],
    [`${run} ${folder}/nowhere`, /There is no .*nowhere\.\n/],
    [`${run} ${run} --metric speed`, /Allowed choices are throughput, p50/],
    [`${run} ${run} --threshold 5`, /between 0 and 1 \(or 0% and 100%\)/],
    [run, /missing required argument 'B'/],
  ]);
});
