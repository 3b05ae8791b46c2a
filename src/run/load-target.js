/**
 * @import { Address, Control, Stack } from '../stacks/types.js'
 * @import { LoadOptions } from './load.js'
 * @typedef {Awaited<ReturnType<typeof findTarget>>} LoadTarget
 */
import { formatAddress, NoAddress, readAddress } from '../stacks/address.js';
import { openStack } from '../stacks/index.js';
import { checkUnlocked } from '../stacks/locks/stack-lock.js';
import { attachNode } from '../stacks/redis/external/index.js';
import { SENTENCES } from './sentences.js';

/** @param {LoadOptions} options */
export async function findTarget({ target, stack, credentials, keyPrefix, command, progress, signal }) {
  if (target) {
    const { stack: node, control, info } = await attachNode(target, credentials, keyPrefix);
    const close = () => closeBoth(control, node);
    try {
      await checkUnlocked(node, target);
      return { stack: node, address: target, control, info, replicas: followers(target, info), close };
    } catch (error) {
      await close();
      throw error;
    }
  }
  // Another run on the same deployment would spoil both.
  const found = await openStack({ ...stack, keyPrefix, backend: 'external', command, tell: progress.tell, signal });
  try {
    const { address } = await found.database.primary();
    const replicas = (await found.database.replicas()).map((replica) => replica.address);
    const { stack: node, control, info } = await attachNode(address, credentials);
    await node.close();
    return { stack: found, address, control, info, replicas, close: () => closeBoth(control, found) };
  } catch (error) {
    await found.close();
    throw error;
  }
}

/** @param {Pick<Control, 'close'>} control @param {Pick<Stack, 'close'>} stack */
function closeBoth(control, stack) {
  control.close();
  return stack.close();
}

/** @param {Address} address @param {Record<string, string>} info INFO replication of it @throws {UserError} a replica has no address */
function followers(address, info) {
  return Object.entries(info).flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const { ip, port, state } = Object.fromEntries(value.split(',').map((field) => field.split('=')));
    if (state !== 'online') return [];
    try {
      return [readAddress(ip, port)];
    } catch (error) {
      if (!(error instanceof NoAddress)) throw error;
      throw SENTENCES.problem('address-in-info', { address: formatAddress(address), why: error.message });
    }
  });
}
