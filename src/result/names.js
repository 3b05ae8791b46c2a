/** Names of what writes: clients of rounds and writers of trials. The set is open: a result may name what this version does not know. */
import { z } from 'zod';

/** Such as `native`, `sticky@minority` or `driver:redis-py/defaults`: fit for a key, and for a file name once it is escaped. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,79}$/;

export const Name = z.string().regex(NAME);
