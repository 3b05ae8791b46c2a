import { Found, valueMaker } from '../../audit/value.js';
import { ENTRIES, openMysql, query } from '../../clients/mysql.js';
import { KEY_DIGITS } from '../../clients/native-batch.js';
import { messageOf } from '../../errors.js';
import { REPLICA_STATUS } from './control.js';

/** @import { KeysToRead, NodeReading } from '../../audit/value.js' */
/** @import { Target } from '../../clients/types.js' */

const BATCH = 5000;
const PAGE = `SELECT k, v FROM ${ENTRIES} WHERE k > ? AND k LIKE ? ORDER BY k LIMIT ${BATCH}`;

/**
 * @param {Target} target any node, replicas included @param {KeysToRead & {signal?: AbortSignal}} options
 * @returns {Promise<NodeReading>} `primary`: it followed no other node before and after @throws {Error} it cannot be reached, or refuses
 */
export async function readNode(target, { keyPrefix, count, payloadBytes, signal }) {
  const makeValue = valueMaker(keyPrefix, payloadBytes);
  const found = new Uint8Array(count).fill(Found.absent);
  let surplus = 0;
  const connection = await openMysql(target);
  try {
    const before = await followsNobody();
    for (let last = keyPrefix; ; ) {
      signal?.throwIfAborted();
      const rows = await query(connection, PAGE, [last, `${keyPrefix}%`]);
      for (const row of rows) {
        last = String(row.k);
        const number = numberOf(last.slice(keyPrefix.length));
        if (number === null || number >= count) surplus++;
        else found[number] = String(row.v) === makeValue(number) ? Found.right : Found.wrong;
      }
      if (rows.length < BATCH) break;
    }
    return { found, surplus, primary: before && (await followsNobody()) };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${target.host}:${target.port} could not be read: ${messageOf(error)}`, { cause: error });
  } finally {
    connection.destroy();
  }

  async function followsNobody() {
    return (await query(connection, REPLICA_STATUS)).length === 0;
  }
}

/** @param {string} digits @returns null: not the number of an entry */
const numberOf = (digits) => (digits.length === KEY_DIGITS && /^\d+$/.test(digits) ? Number(digits) : null);
