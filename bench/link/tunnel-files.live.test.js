import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { freePort } from '../../src/stacks/ports.js';
import { needs, skipFor } from '../../test/needs.js';
import { openSsh, sshdAccount, whyNoSsh } from './paths/ssh.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { AddressInfo, Socket } from 'node:net'
 */

const folder = await ownTemporaryFolder();
const skip = skipFor(whyNoSsh());
const skipUnit = await needs('systemd-analyze');

const LOOPBACK = '127.0.0.1';
const page = readFileSync(new URL('../../docs/link.md', import.meta.url), 'utf8');

/**
 * @param {string} language of a block of the page
 * @returns {string} its text
 */
function block(language) {
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1];
  assert.ok(found, `docs/link.md has a block of ${language}`);
  return found;
}

/**
 * @param {number} port
 * @param {string} text
 * @returns {Promise<string>} what the other end answers; empty: it does not
 */
async function ask(port, text) {
  const socket = connect({ host: LOOPBACK, port });
  socket.on('error', () => {});
  socket.setTimeout(2000, () => socket.destroy());
  socket.write(text);
  let answer = '';
  for await (const part of socket.setEncoding('utf8')) {
    answer += part;
    if (answer.length >= text.length) break;
  }
  return answer;
}

/** A server that answers what it is sent, and a wire to `port` that can go dark: nothing passes, and nothing is closed. */
async function listening() {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  /** @type {(handle: (socket: Socket) => void) => Promise<{port: number, close: () => void}>} */
  const listen = async (handle) => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      handle(socket);
    });
    await once(server.listen(0, LOOPBACK), 'listening');
    return { port: /** @type {AddressInfo} */ (server.address()).port, close: () => server.close() };
  };
  let dark = false;
  const echo = await listen((socket) => socket.pipe(socket));
  /** @type {(() => void)[]} */
  const closers = [echo.close];
  return {
    echo,
    async wire(/** @type {number} */ port) {
      const own = await listen((socket) => {
        const far = connect({ host: LOOPBACK, port }).on('error', () => {});
        sockets.add(far);
        for (const [from, to] of [
          [socket, far],
          [far, socket],
        ]) {
          from.on('data', (data) => dark || to.write(data)).on('close', () => dark || to.destroy());
        }
      });
      closers.push(own.close);
      return own.port;
    },
    goDark() {
      dark = true;
    },
    close() {
      for (const close of closers) close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('the files of docs/link.md', () => {
  test('the unit is one that systemd accepts', { skip: skipUnit }, () => {
    const unit = join(mkdtempSync(join(folder, 'unit-')), 'redis-tunnel.service');
    // The program is there only where ssh is installed.
    writeFileSync(unit, block('ini').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/sh'));
    execFileSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', unit], { stdio: 'pipe' });
  });

  test('the tunnel passes what it is sent, compressed, and ends when the wire goes dark', { skip }, async () => {
    const account = sshdAccount();
    assert.ok(account);
    const net = await listening();
    const own = mkdtempSync(join(folder, 'tunnel-test-'));
    const to = { host: LOOPBACK, port: net.echo.port };
    const server = await openSsh({ to, compress: true, folder: own, restartAfterMs: 0, tell() {} });
    /** @type {ChildProcess | undefined} */
    let ssh;
    try {
      const [port, wirePort] = [await freePort(), await net.wire(server.wireTo.port)];
      const keys = join(own, readdirSync(own)[0]);
      const config = join(own, 'ssh_config');
      const here = block('sshconfig')
        .replace('primary.example.com', LOOPBACK)
        .replace('User redis-tunnel', `User ${account.name}`)
        .replace('/etc/redis-tunnel/key', join(keys, 'client_key'))
        .replace('127.0.0.1:6280 127.0.0.1:6379', `127.0.0.1:${port} 127.0.0.1:${to.port}`)
        // The test does not wait for 15 s.
        .replace('ServerAliveInterval 5', 'ServerAliveInterval 1');
      const more = [
        `Port ${wirePort}`,
        'HostKeyAlias sentinel-bench-tunnel',
        `UserKnownHostsFile ${join(keys, 'known_hosts')}`,
        'GlobalKnownHostsFile /dev/null',
      ];
      writeFileSync(config, `${[here.trimEnd(), ...more].join('\n  ')}\n`);

      const command = /^ExecStart=(\S+) (.+)$/m.exec(block('ini'));
      assert.ok(command, 'the unit has a command');
      const [, program, args] = command;
      const argv = args.replace('/etc/redis-tunnel/ssh_config', config).split(' ');
      const resolved = execFileSync(program, ['-G', ...argv], { encoding: 'utf8' });
      assert.match(resolved, /^compression yes$/m);

      ssh = spawn(program, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      ssh.stderr?.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      await eventually(
        'the tunnel passes bytes',
        async () => (await ask(port, 'PING\r\n').catch(() => '')) === 'PING\r\n',
      );
      const ended = once(ssh, 'exit');
      net.goDark();
      await eventually('ssh ends, so that systemd starts it again', () => ssh?.exitCode !== null);
      await ended;
      assert.match(said, /Timeout, server .* not responding/);
    } finally {
      ssh?.kill('SIGKILL');
      await server.close();
      net.close();
    }
  });
});
