import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { openFirewall, whyNoFirewall } from './firewall.js';
import { canDial } from './firewall-fixture.js';

/** @import { AddressInfo } from 'node:net' */

/** No stack has this network: the lowest begins with 127.16. */
const NET = '127.9.9';
const [ONE, TWO, THREE] = [1, 2, 3].map((last) => `${NET}.${last}`);

describe('rules between addresses', { skip: await needs('firewall') }, () => {
  const firewall = openFirewall(NET);
  const server = createServer((socket) => socket.on('error', () => {}));
  let port = 0;

  before(async () => {
    await once(server.listen(0, TWO), 'listening');
    port = /** @type {AddressInfo} */ (server.address()).port;
  });
  after(async () => {
    await firewall.remove();
    server.close();
  });

  const reaches = (/** @type {string} */ from) => canDial({ host: TWO, port }, from);

  test('packets from one address to another are lost, in either direction; others pass', async () => {
    assert.equal(await whyNoFirewall(), null);
    assert.ok(await reaches(ONE));
    await firewall.set([{ from: [ONE], to: [TWO] }]);
    assert.equal(await reaches(ONE), false);
    assert.ok(await reaches(THREE));
    await firewall.set([{ from: [TWO], to: [THREE] }]);
    assert.ok(await reaches(ONE));
    assert.equal(await reaches(THREE), false, 'the answer is lost');
    await firewall.remove();
    await firewall.remove();
    assert.ok(await reaches(THREE));
  });

  test('no blocks: no rules, also where there were none', async () => {
    await firewall.set([{ from: [ONE], to: [TWO] }]);
    await firewall.set([]);
    await firewall.set([]);
    assert.ok(await reaches(ONE));
  });

  test('an address that is none is an error of nftables', async () => {
    await assert.rejects(firewall.set([{ from: ['nowhere.invalid'], to: [TWO] }]));
    assert.ok(await reaches(ONE));
  });
});
