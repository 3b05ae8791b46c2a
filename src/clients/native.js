/**
 * The `native` client: RESP on a plain socket, made so that the client is not what is measured.
 */
import { toolVersion } from '../measure/version.js';
import { dial } from './dial.js';
import { NativeConnection } from './native-connection.js';

/** @import { Client } from './types.js' */

/** @type {Client} */
export const native = {
  name: 'native',
  version: toolVersion,
  connect: (target, shape) => dial(target, (socket) => new NativeConnection(socket, shape)),
};
