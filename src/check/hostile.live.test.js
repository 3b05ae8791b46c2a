/**
 * Servers that answer as no server should: `check` ends in time, shows nothing that a terminal acts on, and contacts few addresses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidence } from '../../bench/evidence.js';
import { array, bulk, info, PRIMARY_INFO, record, serve, serveSentinel } from '../hostile-fixture.js';
import { judge } from './judge.js';
import { readDeployments } from './read.js';
import { jsonVerdict, markdownVerdict } from './render.js';

const ESCAPE = '\u001b[2J\u202e';
const now = new Date();

/** @param {import('./types.js').Deployment[]} deployments */
const verdictsOf = (deployments) => deployments.map((each) => judge(each, { wait: 0, evidence, now }));

test('a Sentinel that names a thousand nodes and a node with a poisoned INFO', async (t) => {
  const node = await serve(t, ([command, sub]) => {
    if (command === 'INFO')
      return info({
        ...PRIMARY_INFO,
        redis_version: `9${ESCAPE}`,
        connected_clients: 1,
        slave0: `ip=$(reboot),port=1,state=online,lag=0`,
      });
    if (command === 'CONFIG') return array([bulk('save'), bulk(ESCAPE), bulk('appendonly')]);
    if (sub === 'LIST') return bulk(`id=1 addr=x name= lib-name=${ESCAPE}<script> cmd=get flags=N`);
    return array([]);
  });
  const replicas = Array.from({ length: 1000 }, (_, index) => ({ host: '127.0.0.1', port: 1 + (index % 5) }));
  const crowd = await serveSentinel(t, { primary: node, replicas });
  await assert.rejects(readDeployments([crowd], { credentials: {} }), /it names more than 100 nodes/);

  const sentinel = await serveSentinel(t, { primary: node });
  /** @type {string[]} */
  const trace = [];
  const verdicts = verdictsOf(
    await readDeployments([sentinel], { credentials: {}, sampleMs: 0, trace: (line) => trace.push(line) }),
  );
  const shown = JSON.stringify(jsonVerdict(verdicts, { wait: 0, now })) + markdownVerdict(verdicts, { wait: 0 });
  assert.ok(!shown.includes('\u001b') && !shown.includes('\u202e'), shown);
  assert.ok(trace.every((line) => !line.includes('reboot')));
});

test('a Sentinel whose peers name ever more peers', async (t) => {
  let contacted = 0;
  const endless = await serve(t, ([command, sub]) => {
    if (command === 'INFO') return info({ redis_version: '7.0.15' });
    if (sub === 'MYID') return bulk(String(contacted++).padStart(40, '0'));
    if (sub === 'MASTERS') return array([record({ name: 'mymaster', ip: '127.0.0.1', port: 1, flags: 'master' })]);
    const peers = Array.from({ length: 20 }, () =>
      record({
        runid: `${Math.random()}`,
        ip: `127.9.${contacted % 250}.${1 + Math.floor(Math.random() * 250)}`,
        port: endless.port,
        flags: 'sentinel',
      }),
    );
    return sub === 'SENTINELS' ? array(peers) : array([]);
  });
  const [deployment] = await readDeployments([endless], { credentials: {} });
  assert.ok(deployment.sentinels.length <= 50);
});
