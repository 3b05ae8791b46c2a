import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evidence } from '../../bench/evidence.js';
import { judge } from '../check/judge.js';
import { plainDeployment } from '../check/plain-fixture.js';
import { casesOf, reading } from './run-request-fixture.js';

describe('run takes every command that check prints', () => {
  /** @type {Record<string, string>[]} */
  const FILES = [
    { appendonly: 'no', save: '' },
    { appendonly: 'no', save: '3600 1 300 100' },
    { appendonly: 'yes', appendfsync: 'always' },
    { appendonly: 'yes', appendfsync: 'everysec', save: '$(reboot)' },
  ];
  const SIZES = [
    { nodes: [{}, { priority: 1 }] },
    { quorum: 1 },
    { sentinelsOn: [1, 3, 3], nodes: [{}, { minReplicas: 0 }, { settings: {} }] },
    { sentinelsOn: [1, 2], nodes: [{}, {}, {}, {}], downAfter: 3600 },
    { sentinelsOn: [1, 2, 3, 4, 5], nodes: [{}, {}, {}, {}, {}], downAfter: 2.5 },
  ];
  const deployments = [
    ...FILES.flatMap((file) => [0, 1, 5].map((minimum) => ({ file, minimum, size: {} }))),
    ...SIZES.map((size) => ({ file: FILES[3], minimum: 1, size })),
  ].map(({ file, minimum, size }) =>
    plainDeployment({
      ...size,
      settings: { ...file, 'min-replicas-to-write': String(minimum), 'min-replicas-max-lag': '10' },
      minReplicas: minimum,
      aof: file.appendonly === 'yes',
    }),
  );
  const commands = new Set(
    deployments.flatMap((each) =>
      [0, 2].flatMap((wait) => judge(each, { wait, evidence, now: new Date() }).findings.map(({ command }) => command)),
    ),
  );

  test('they have these settings', () => {
    const settings = "--set appendonly=no --set 'save=3600 1 300 100' --set min-replicas-to-write=0";
    assert.ok(commands.has(`sentinel-bench run primary-partition ${settings} --down-after 30s`));
    // The quick profile has no such case without WAIT.
    assert.ok(
      [...commands].some((each) => each.startsWith('sentinel-bench run partition-with-replica --profile standard')),
    );
  });

  for (const command of commands)
    test(command, async () => {
      const words = command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
      assert.ok(words.every((word) => !/[$`;&|]/.test(word)));
      const [, , name, ...options] = words;
      if (command !== '') await casesOf(reading(options)(name));
    });
});
