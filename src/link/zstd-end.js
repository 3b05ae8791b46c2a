/**
 * One end of a compressing stream relay, a program of its own: whoever dials its port is led to an address, packed on one side
 * and plain on the other. It ends with its parent, which holds its standard input.
 *
 * Arguments: the side that is packed (`dialled`: of those who dial it; `dials`: where it dials), its port, the host and the
 * port it dials, the level.
 */
import { connect, createServer } from 'node:net';
import { openCodec } from './zstd-codec.js';

/** @typedef {import('node:net').Socket} Socket */

const LOOPBACK = '127.0.0.1';

const [packedSide, port, host, remotePort, level] = process.argv.slice(2);

process.stdin.resume().on('close', () => process.exit());

/**
 * @param {Socket} from
 * @param {Socket} to
 * @param {(bytes: Buffer) => Buffer[]} turn
 */
function carry(from, to, turn) {
  from.on('data', (/** @type {Buffer} */ bytes) => {
    try {
      for (const part of turn(bytes)) to.write(part);
    } catch (error) {
      from.destroy(/** @type {Error} */ (error));
    }
    if (to.writableNeedDrain) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', (error) => process.stderr.write(`${error.message}\n`));
  // After an orderly end too: the other side of a connection that is gone must not stay open for good.
  from.on('close', () => to.destroySoon());
}

/** @param {Socket} inbound */
async function relay(inbound) {
  const codec = await openCodec(Number(level));
  if (inbound.destroyed) {
    codec.release();
    return;
  }
  const outbound = connect({ host, port: Number(remotePort), allowHalfOpen: true });
  const [packed, plain] = packedSide === 'dialled' ? [inbound, outbound] : [outbound, inbound];
  for (const socket of [inbound, outbound]) {
    socket.setNoDelay(true);
    socket.on('close', () => {
      if (packed.closed && plain.closed) codec.release();
    });
  }
  carry(plain, packed, (bytes) => [codec.pack(bytes)]);
  carry(packed, plain, codec.unpack);
  inbound.resume();
}

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inbound) => {
  // Heard of in time, also while the library is loaded.
  inbound.on('error', () => {});
  relay(inbound).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
});
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
// The first connection is not to wait for the library.
(await openCodec(Number(level))).release();
server.listen({ host: LOOPBACK, port: Number(port) });
