import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { programPath } from '../../../programs.js';
import { askOnce } from '../../ask.js';
import { ownTemporaryFolder } from '../../fixture.js';
import { freePort } from '../../hosts/ports.js';
import { doubts, eventually } from '../conformance-help.js';
import { connectControl } from '../control.js';
import { primaryAddress, toRecord } from '../observe.js';
import { attachExternal } from './index.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { AddressInfo, Server, Socket } from 'node:net'
 * @import { Address } from '../../types.js'
 */

/**
 * Existing deployments whose nodes go by other addresses than 127.0.0.1 and their own port: host names, IPv6, and behind NAT.
 *
 * @typedef {Object} Way how nodes are addressed
 * @property {string} bind address that nodes listen on
 * @property {string} host that nodes and Sentinels announce
 * @property {boolean} [nat] each node announces another port, which forwards to its own
 * @property {string[]} [sentinel] lines of each Sentinel's configuration
 */

const folder = await ownTemporaryFolder();
const skip = await needs('server');
const noIpv6 = await needs('server', 'ipv6');
const NODES = 3;
const LONG_MS = 90_000;

/** @type {{name: string, way: Way, skip: string | false}[]} */
const WAYS = [
  {
    name: 'host names (resolve-hostnames, announce-hostnames)',
    way: {
      bind: '127.0.0.1',
      host: 'localhost',
      sentinel: ['sentinel resolve-hostnames yes', 'sentinel announce-hostnames yes'],
    },
    skip,
  },
  { name: 'IPv6', way: { bind: '::1', host: '::1' }, skip: noIpv6 },
  { name: 'NAT (announce-ip, announce-port)', way: { bind: '127.0.0.1', host: '127.0.0.1', nat: true }, skip },
];

for (const { name, way, skip: reason } of WAYS) {
  describe(`a deployment by ${name}`, { skip: reason }, () => {
    /** @type {Awaited<ReturnType<typeof deploy>> | undefined} */
    let deployment;
    after(() => deployment?.close());

    test('one Sentinel finds all nodes; a failover is followed', { timeout: LONG_MS }, async () => {
      deployment = await deploy(way);
      const [one] = deployment.sentinels;
      const { sentinels } = deployment;
      await eventually('all Sentinels are connected to each other and the replicas', async () =>
        (await Promise.all(sentinels.map(knowsAll))).every(Boolean),
      );
      const stack = await attachExternal({ sentinels: [one], tell: () => {} });
      try {
        const found = stack.nodes.map(({ address: { host, port } }) => `${host} ${port}`);
        const announced = [...deployment.data, ...deployment.sentinels].map(({ host, port }) => `${host} ${port}`);
        assert.deepEqual(found.sort(), announced.sort());
        await eventually('the deployment is whole', async () => (await doubts(stack)).length === 0);

        const control = await connectControl(one);
        await control.call('SENTINEL', 'FAILOVER', 'mymaster');
        const [first] = deployment.data;
        await eventually('another node is the primary', async () => {
          return (await primaryAddress(control, 'mymaster'))?.port !== first.port;
        });
        control.close();
        await eventually('the deployment is whole again', async () => (await doubts(stack)).length === 0);
      } finally {
        await stack.close();
      }
    });
  });
}

/**
 * @param {Address} sentinel
 * @returns {Promise<boolean>} it is connected to both replicas and both other Sentinels; those it has just heard of are flagged
 *   `disconnected`, and attaching would leave them out
 */
function knowsAll(sentinel) {
  return askOnce(connectControl(sentinel), async (control) => {
    for (const [kind, flags] of Object.entries({ REPLICAS: 'slave', SENTINELS: 'sentinel' })) {
      const peers = /** @type {unknown[]} */ (await control.call('SENTINEL', kind, 'mymaster')).map(toRecord);
      if (peers.length !== NODES - 1 || peers.some((peer) => peer.flags !== flags)) return false;
    }
    return true;
  });
}

/**
 * Starts three nodes and three Sentinels.
 *
 * @param {Way} way
 */
async function deploy({ bind, host, nat = false, sentinel = [] }) {
  const server = String(programPath('redis-server') ?? programPath('valkey-server'));
  /** @type {ChildProcess[]} */
  const processes = [];
  /** @type {Server[]} */
  const forwards = [];
  /** @type {Set<Socket>} */
  const sockets = new Set();

  /** @param {number} port of a node @returns {Promise<number>} the port that peers and clients use */
  async function announcedPort(port) {
    if (!nat) return port;
    const forward = createServer((socket) => {
      const onward = connect(port, bind);
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ]) {
        sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    forward.listen(0, bind);
    await once(forward, 'listening');
    forwards.push(forward);
    return /** @type {AddressInfo} */ (forward.address()).port;
  }

  /**
   * @param {string[]} lines
   * @param {string[]} args
   */
  function start(lines, ...args) {
    const home = join(folder, `node-${processes.length}-${bind.length}-${host.length}-${nat}`);
    mkdirSync(home);
    writeFileSync(join(home, 'node.conf'), `${lines.join('\n')}\n`);
    processes.push(spawn(server, [join(home, 'node.conf'), ...args], { cwd: home, stdio: 'ignore' }));
  }

  /**
   * @param {(announced: number, index: number) => string[]} linesOf
   * @param {...string} args
   * @returns {Promise<Address[]>}
   */
  async function startThree(linesOf, ...args) {
    const addresses = [];
    for (let i = 0; i < NODES; i++) {
      const port = await freePort();
      const announced = await announcedPort(port);
      start([`port ${port}`, `bind ${bind}`, ...linesOf(announced, i)], ...args);
      addresses.push({ host, port: announced });
    }
    return addresses;
  }

  let primary = 0;
  const data = await startThree((port, index) => {
    if (index === 0) primary = port;
    const follows = index > 0 ? [`replicaof ${host} ${primary}`] : [];
    return [
      ...['save ""', 'repl-diskless-sync-delay 0'],
      ...[`replica-announce-ip ${host}`, `replica-announce-port ${port}`, ...follows],
    ];
  });
  const sentinels = await startThree(
    (port) => [
      ...sentinel,
      ...[`sentinel announce-ip ${host}`, `sentinel announce-port ${port}`],
      ...[`sentinel monitor mymaster ${host} ${primary} 2`, 'sentinel down-after-milliseconds mymaster 20000'],
    ],
    '--sentinel',
  );
  return {
    data,
    sentinels,
    async close() {
      for (const child of processes) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      for (const socket of sockets) socket.destroy();
      for (const forward of forwards) forward.close();
    },
  };
}
