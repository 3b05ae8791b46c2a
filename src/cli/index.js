#!/usr/bin/env node
/** Checks what the program needs before it loads it: without that, loading already fails with a stack trace. */
import { readFileSync } from 'node:fs';
import { ExitStatus } from '../errors.js';
import { whyTooFewFiles, whyTooOld } from './prerequisites.js';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const why = whyTooOld(process.versions.node, engines.node) ?? whyTooFewFiles();
if (why === null) {
  const { main } = await import('./program.js');
  await main();
} else {
  console.error(`error: ${why}`);
  process.exitCode = ExitStatus.environment;
}
