/**
 * One end of a compressing stream relay, a program of its own. It listens at a port and connects each client to an address; one
 * of the two sides is packed, the other plain. It ends with its parent, which holds its standard input.
 *
 * Arguments: which side is packed (`dialled`: the clients'; `dials`: the address's), the port, the host and the port of the
 * address, the level.
 */
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { packer, unpacker } from './zstd.js';

const [packedSide, port, host, remotePort, level] = process.argv.slice(2);

process.stdin.resume().on('close', () => process.exit());

const server = createServer({ allowHalfOpen: true }, (inbound) => {
  const outbound = connect({ host, port: Number(remotePort), allowHalfOpen: true });
  const [packed, plain] = packedSide === 'dialled' ? [inbound, outbound] : [outbound, inbound];
  for (const socket of [inbound, outbound]) socket.setNoDelay(true);
  /** @param {Error | null | undefined} error */
  const ended = (error) => {
    if (!error) return;
    process.stderr.write(`${error.message}\n`);
    // The other direction must not stay open for good.
    inbound.destroy();
    outbound.destroy();
  };
  pipeline(plain, packer(Number(level)), packed, ended);
  pipeline(packed, unpacker(), plain, ended);
});
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen({ host: LOOPBACK, port: Number(port) });
