/**
 * One suite for all clients, on a real stack. It checks what src/clients/types.js promises, and nothing that only one client can do.
 */
import { after, describe } from 'node:test';
import { clientNames, findClient } from '../registry/clients.js';
import { logins, silence } from './conformance/login.js';
import { losses } from './conformance/loss.js';
import { reads } from './conformance/reads.js';
import { refusals } from './conformance/refusals.js';
import { startStack } from './conformance/stack.js';
import { transactions } from './conformance/transactions.js';
import { writes } from './conformance/writes.js';
import { loadClient } from './index.js';

const stack = await startStack();
after(() => stack.close());

const clients = await Promise.all(clientNames.map(loadClient));

silence(clients);
for (const client of clients) {
  describe(client.name, () => {
    describe('writes', () => writes(client, stack));
    describe('reads', () => reads(client, stack));
    describe('refusals', () => refusals(client, stack));
    describe('losses', () => losses(client, stack));
    if (findClient(client.name)?.library) describe('transactions', () => transactions(client, stack));
    describe('logins', () => logins(client));
  });
}
