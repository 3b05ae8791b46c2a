/** This tool's own version, from package.json. */
import { readFileSync } from 'node:fs';

/** @type {string} */
export const toolVersion = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
