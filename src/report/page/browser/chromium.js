/**
 * For tests only: a page in a real browser without a window.
 */
import { chromium } from 'playwright-core';
import { programPath } from '../../../programs.js';

/** @import { Browser } from 'playwright-core' */

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const path = PROGRAMS.map((program) => programPath(program)).find((found) => found !== null) ?? null;

/** Far more than a busy machine needs: for Chromium's start, and for each thing that is waited for on a page. */
export const PATIENCE_MS = 120_000;

/** For `skip` of a test: why it cannot run; false: it can, or has to. @type {string | false} */
export const skip =
  path === null && process.env.SENTINEL_BENCH_NO_SKIP !== '1' ? `none of ${PROGRAMS.join(', ')} is installed` : false;

/** @returns {Promise<Browser>} to be closed */
export async function startChromium() {
  if (path === null) throw new Error(`none of ${PROGRAMS.join(', ')} is installed`);
  // Chromium refuses its sandbox to root, who runs tests in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: path, args, timeout: PATIENCE_MS });
}
