import { obtainImage, openEngine, runDocker } from '../../hosts/docker/engine.js';
import { problem } from '../../texts.js';
import { readVersion } from '../local/server.js';

/** Some images have both programs, of which one is a link to the other. */
const ASK = 'valkey-server --version 2>/dev/null || redis-server --version';
const DEADLINE_MS = 60_000;

/**
 * Runs the server of an image once, to learn what it is. @param {string} image is pulled if it is not here
 * @throws {UserError} the image cannot be had, or has no server that can be used
 */
export async function lookAtImage(image) {
  await obtainImage(await openEngine(), image, {});
  const args = ['run', '--rm', '--network', 'none', '--entrypoint', 'sh', image, '-c', ASK];
  const { status, stdout, stderr } = await runDocker(args, { timeoutMs: DEADLINE_MS });
  if (status !== 0) throw problem('image-without-server', { image }, { detail: stderr.trim() });
  return { path: image, ...readVersion(image, stdout) };
}
