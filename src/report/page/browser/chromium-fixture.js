/** For tests only: a page in a real browser without a window. */
import { chromium } from 'playwright-core';
import { skipFor } from '../../../../test/needs.js';
import { programPath } from '../../../programs.js';

/** @import { Browser } from 'playwright-core' */

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const path = PROGRAMS.map((program) => programPath(program)).find((found) => found !== null) ?? null;

/** Far more than a busy machine needs: for Chromium's start, and for each thing that is waited for on a page. */
export const PATIENCE_MS = 120_000;

/** Why tests with a browser cannot run here; false: they can. */
export const skip = skipFor(path === null && `none of ${PROGRAMS.join(', ')} is installed`);

/** @returns {Promise<Browser>} to be closed */
export async function startChromium() {
  if (path === null) throw new Error(`none of ${PROGRAMS.join(', ')} is installed`);
  // Chromium refuses its sandbox to root, who runs tests in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: path, args, timeout: PATIENCE_MS });
}
