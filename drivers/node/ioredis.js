/** ioredis with Sentinels. */
import { Redis } from 'ioredis';
import { runWith } from './io.js';

runWith(Redis, 'ioredis');
