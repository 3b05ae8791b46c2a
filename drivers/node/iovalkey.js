/** iovalkey with Sentinels. */
import { Redis } from 'iovalkey';
import { runWith } from './io.js';

runWith(Redis, 'iovalkey');
