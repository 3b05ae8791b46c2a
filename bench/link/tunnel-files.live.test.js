/**
 * The tunnel of docs/link.md, from the very files that people copy: systemd accepts the unit, and its command carries a replica.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentForPrograms } from '../../src/programs.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { freePort } from '../../src/stacks/ports.js';
import { follow, untilInSync } from '../../src/stacks/redis/replication.js';
import { needs, skipFor } from '../../test/needs.js';
import { openPair } from './fixture.js';
import { findProgram, HOST_ALIAS, openSshd, whyNoSsh } from './paths/ssh.js';
import { startMeter } from './paths/wire.js';
import { controlOf, nodesOf } from './round.js';

/** @import { ChildProcess } from 'node:child_process' */

const execute = promisify(execFile);
const folder = await ownTemporaryFolder();
const noServer = await needs('server');
const DEADLINE_MS = 60_000;

/** @param {string} name */
const pathOf = (name) => fileURLToPath(new URL(`../../conf/tunnel/${name}`, import.meta.url));
const unit = readFileSync(pathOf('redis-tunnel.service'), 'utf8');
const config = readFileSync(pathOf('ssh_config'), 'utf8');
const command = (/^ExecStart=(.+)$/m.exec(unit)?.[1] ?? '').split(' ');

test('docs/link.md shows both files as they are', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/link.md', import.meta.url)), 'utf8');
  assert.ok(page.includes(`\`\`\`ini\n${unit}\`\`\``));
  assert.ok(page.includes(`\`\`\`sshconfig\n${config}\`\`\``));
});

test('systemd accepts the unit, and would start it for ever', {
  skip: (await needs('systemd-analyze')) || skipFor(whyNoSsh()),
}, async () => {
  const copy = join(folder, 'redis-tunnel.service');
  // systemd looks for the program at its usual place, which this machine may not have.
  writeFileSync(copy, unit.replace(command[0], findProgram('ssh') ?? command[0]));
  const { stdout, stderr } = await execute('systemd-analyze', ['verify', '--man=no', copy]);
  // A setting that it does not understand is a warning only.
  assert.equal(`${stdout}${stderr}`, '');
  assert.match(unit, /^Restart=always$/m);
  assert.match(unit, /^StartLimitIntervalSec=0$/m);
});

describe('the command of the unit', { skip: noServer || skipFor(whyNoSsh()) }, () => {
  /** @type {(() => Promise<unknown>)[]} what to do in the end, the last first */
  const endings = [];
  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  /** @param {string} file a configuration @returns {string[]} its arguments, with that in place of the one in /etc */
  const argumentsWith = (file) => command.slice(1).map((word) => (word.startsWith('/etc/') ? file : word));

  test('ssh understands every line of the configuration', async () => {
    const file = join(folder, 'as-it-is');
    copyFileSync(pathOf('ssh_config'), file);
    const { stdout } = await execute(findProgram('ssh') ?? 'ssh', ['-G', ...argumentsWith(file)]);
    const options = new Set(stdout.split('\n'));
    for (const line of [
      'hostname primary.example.com',
      'user redis-tunnel',
      'identitiesonly yes',
      'compression yes',
      'exitonforwardfailure yes',
      'serveraliveinterval 5',
      'serveralivecountmax 3',
      'batchmode yes',
      'localforward [127.0.0.1]:6280 [127.0.0.1]:6379',
      'userknownhostsfile /etc/redis-tunnel/known_hosts',
      'identityfile /etc/redis-tunnel/key',
    ])
      assert.ok(options.has(line), line);
  });

  test('carries a replica; ends when the wire goes dark, so that systemd starts it again', {
    timeout: 300_000,
  }, async () => {
    const stage = await openPair({ 'min-replicas-to-write': '0' });
    endings.push(stage.close);
    const { primary, replica } = nodesOf(stage.testbed);
    const ends = { primary: controlOf(stage.testbed, primary), replica: controlOf(stage.testbed, replica) };
    const server = await openSshd({ to: primary.address, folder });
    endings.push(server.close);
    const wire = await startMeter(server.address);
    endings.push(wire.close);

    const port = await freePort();
    const file = join(folder, 'ssh_config');
    const here = config
      .replace('primary.example.com', wire.address.host)
      .replace('User redis-tunnel', `User ${server.user}\n  Port ${wire.address.port}\n  HostKeyAlias ${HOST_ALIAS}`)
      .replaceAll('/etc/redis-tunnel/key', join(server.keys, 'client_key'))
      .replaceAll('/etc/redis-tunnel/known_hosts', join(server.keys, 'known_hosts'))
      .replace('6280', String(port))
      .replace('6379', String(primary.address.port));
    assert.doesNotMatch(here, /\/etc\/|example|6280|:6379/);
    writeFileSync(file, here);

    function startUnit() {
      /** @type {ChildProcess} */
      const child = spawn(findProgram('ssh') ?? 'ssh', argumentsWith(file), {
        env: environmentForPrograms(),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const ended = once(child, 'exit');
      endings.push(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      return { ended, said: () => said };
    }
    const isUp = async () => (await ends.replica.info('replication')).master_link_status === 'up';

    const first = startUnit();
    await follow(ends.replica, { host: '127.0.0.1', port });
    await eventually('the replica is connected', isUp, DEADLINE_MS);
    await ends.primary.call('SET', 'through', 'the tunnel');
    await untilInSync(ends.primary, ends.replica);
    assert.equal(await ends.replica.call('GET', 'through'), 'the tunnel');
    assert.ok((await wire.counts()).toReplicaBytes > 0, 'through the wire');

    await wire.dark(true);
    const [status] = await first.ended;
    assert.equal(status, 255, first.said());
    assert.match(first.said(), /not responding/);

    await wire.dark(false);
    startUnit();
    await eventually('the replica is connected again', isUp, DEADLINE_MS);
    await ends.primary.call('SET', 'through', 'the next');
    await untilInSync(ends.primary, ends.replica);
    assert.equal(await ends.replica.call('GET', 'through'), 'the next');
  });
});
