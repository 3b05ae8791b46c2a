/**
 * Knowledge points one way: a word that belongs to one suite does not stand in src/. Rules of imports cannot see that.
 *
 * The words are taken from what the suites declare. A word that is quoted in src/ is an offence, and so is an option, and an identifier
 * that is no ordinary word because it consists of several.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { suites } from '../bench/index.js';
import { ownOptions } from '../src/cli/suite-options.js';
import { CustomParameters, LoadParameters, TrialParameters } from '../src/run/parameters.js';
import { PROFILES } from '../src/run/profiles.js';

/** Words that the engine uses in a meaning of its own, and why. */
const ALLOWED = new Map([
  ['async', 'no WAIT: the name of a case without a mode'],
  ['none', 'a plain word'],
  ['defaults', 'the options that a library has by default: a variant of drivers'],
  ['off', 'a plain word'],
  ['always', 'a value of appendfsync'],
  ['everysec', 'a value of appendfsync'],
  ['snapshot', 'what a node does in the background: `during` of a case'],
  ['split', 'a plain word'],
  ['dataDir', 'where a stack of ours keeps the files of its nodes'],
  ['preloadKeys', 'a parameter of cases with a loaded data set, and a number of every profile'],
  ['cores', 'CPUs: a unit of exported figures'],
  ['pattern', 'a plain word'],
  ['pairs', 'a plain word'],
  ['placement', 'a field of every fact, and a parameter that the schema of results has'],
  ['link', 'a plain word, and a command'],
  ['waitaof', 'an option of `load`'],
  ['writeShare', 'of the requests of any traffic'],
]);

/** Texts that name an option as a remedy. The places for files are the engine's; the options that choose them are a suite's. */
const REMEDIES = new Map([
  ['src/measure/limits.js', ['--preload-keys']],
  ['src/measure/storage.js', ['--data-dir', '--preload-keys']],
]);

/** The words of before, which a result of an earlier version has. */
const CONVERTER = 'src/result/earlier/convert.js';

const KINDS = { load: LoadParameters, trial: TrialParameters, custom: CustomParameters };
const OPTIONS = { server: { name: 'valkey', version: '9.0.0' }, storages: [{ label: 'tmp', emulated: false }] };

/**
 * @param {import('../src/run/types.js').Suite} suite
 * @returns {Set<string>} the names of its parameters, modes and figures
 */
function wordsOf({ params = {}, roundFigures = {}, benchmarks }) {
  const ofBenchmarks = benchmarks.flatMap((benchmark) => {
    const cases = Object.values(PROFILES).flatMap((profile) => benchmark.cases({ ...OPTIONS, profile }));
    const { shape: taken } = benchmark.parameters ?? KINDS[benchmark.kind];
    return [
      ...Object.keys(taken).filter((name) => !Object.values(KINDS).some(({ shape }) => name in shape)),
      ...cases.flatMap(({ params: { mode } }) => mode ?? []),
    ];
  });
  return new Set([params, roundFigures].flatMap((part) => Object.keys(part)).concat(ofBenchmarks));
}

const words = [...new Set(suites.flatMap((suite) => [...wordsOf(suite)]))].filter((word) => !ALLOWED.has(word));
const flags = ownOptions.map(({ flag }) => flag);
const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => path.join('src', file))
  .filter((file) => file.endsWith('.js') && !/\.test\.js$|fixture\.js$|conformance/.test(file));

/** @param {string} word */
const escaped = (word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const QUOTED = new RegExp(`(['"])(${words.map(escaped).join('|')})\\1`, 'g');
const IDENTIFIER = new RegExp(`\\b(${words.filter((word) => /^[a-z]+[A-Z]\w*$/.test(word)).join('|')})\\b`, 'g');
const OPTION = new RegExp(`(?<![\\w-])(${flags.map(escaped).join('|')})(?![\\w-])`, 'g');

/** @param {string} file */
function foundIn(file) {
  const allowed = REMEDIES.get(file) ?? [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      [QUOTED, IDENTIFIER, OPTION].flatMap((pattern) =>
        [...line.matchAll(pattern)]
          .map(([text]) => text)
          .filter((text) => !allowed.includes(text))
          .map((text) => `${file}:${index + 1}: ${text}`),
      ),
    );
}

describe('words of suites', () => {
  test('are known from their declarations', () => {
    for (const word of ['after-sync', 'wait1-min1', 'scanCount', 'linkShare', 'tunnel', 'slo', 'slowVolume', 'cores'])
      assert.ok(words.includes(word) || ALLOWED.has(word), word);
    assert.ok(flags.includes('--slo') && files.length > 100);
  });

  test('do not stand in src/', () => {
    assert.deepEqual(files.filter((file) => file !== CONVERTER).flatMap(foundIn), []);
  });
});
