/** Which modules import which, so that only those that depend on a changed file are loaded again. */
import { build } from 'esbuild';

/**
 * @param {string[]} entries paths of modules, relative to the working directory
 * @param {string[]} changed likewise
 * @returns {Promise<string[]>} the modules that the entries reach and that reach a changed one, in no order; changed ones included
 */
export async function dependents(entries, changed) {
  const { metafile } = await build({
    entryPoints: entries,
    bundle: true,
    metafile: true,
    write: false,
    outdir: 'none',
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const modules = Object.entries(metafile.inputs);
  const found = new Set(changed.filter((path) => path in metafile.inputs));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [path, { imports }] of modules) if (imports.some((each) => found.has(each.path))) found.add(path);
  }
  return [...found];
}
