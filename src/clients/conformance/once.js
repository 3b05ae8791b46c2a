/**
 * A process of its own: connects, writes one batch, closes, and ends when nothing keeps it.
 * Arguments: a client's name and a port on the loopback address.
 */
import { shapeOf } from '../fixture.js';
import { loadClient } from '../index.js';

const [name, port] = process.argv.slice(2);
const client = await loadClient(name);
const connection = await client.connect({ host: '127.0.0.1', port: Number(port) }, shapeOf({ pipeline: 10 }));
await new Promise((resolve) => {
  connection.onBatch = () => resolve(undefined);
  connection.write();
});
await connection.close();
console.log('written, closed');
