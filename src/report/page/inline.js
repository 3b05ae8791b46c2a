/**
 * Modules as one script for a page: their imports and exports taken away, one after the other in one scope.
 */
import { readFileSync } from 'node:fs';

const IMPORT = /^import (?:type )?\{([^}]*)\} from '([^']+)';\n/gm;
const DECLARATION = /^(?:export )?(?:async )?(?:const|let|var|function\*?|class) +([\w$]+|[{[])/gm;

/**
 * @param {readonly URL[]} files each after those it imports; they import nothing else, and each other's names unchanged
 * @returns {string} a script that leaves nothing behind in the page's global scope
 * @throws {Error} what this does not do: a name declared twice, another form of import or export, an import of a file that does
 *   not stand before
 */
export function inlineModules(files) {
  /** @type {Map<string, string>} */
  const declaredIn = new Map();
  /** @type {Set<string>} */
  const before = new Set();
  const parts = files.map((file) => {
    const name = file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
    const source = readFileSync(file, 'utf8');
    for (const [, names, from] of source.matchAll(IMPORT)) {
      if (!before.has(new URL(from, file).href))
        throw new Error(`${name} imports ${from}, which does not stand before`);
      if (/\bas\b/.test(names)) throw new Error(`${name} gives another name to what it imports from ${from}`);
    }
    for (const [, declared] of source.matchAll(DECLARATION)) {
      if (/[{[]/.test(declared)) throw new Error(`${name} takes apart at its top level`);
      const other = declaredIn.get(declared);
      if (other !== undefined) throw new Error(`${other} and ${name} both declare ${declared}`);
      declaredIn.set(declared, name);
    }
    before.add(file.href);
    const script = source.replace(IMPORT, '').replace(/^export (?=(?:async )?(?:const|let|function|class)\b)/gm, '');
    const left = /^(?:import|export)\b.*/m.exec(script);
    if (left) throw new Error(`${name} has an import or export that is not understood: ${left[0]}`);
    return script.trim();
  });
  return `(() => {\n'use strict';\n${parts.join('\n')}\n})();`;
}
