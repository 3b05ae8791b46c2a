/** CIEDE2000; 2 is what an eye just tells apart side by side. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  wcagContrast,
} from 'culori';
import { PALETTES } from './styles.js';

/** @import { Color } from 'culori' */

const FAR_ENOUGH = 15;
/** WCAG 2.1, 1.4.11 for lines and symbols, 1.4.3 for text. */
const CONTRAST = { series: 3, text: 4.5 };

/** @type {[string, (colour: any) => any][]} */
const EYES = [
  ['full colour vision', (colour) => colour],
  ['deuteranopia', filterDeficiencyDeuter(1)],
  ['protanopia', filterDeficiencyProt(1)],
  ['tritanopia', filterDeficiencyTrit(1)],
];

const { series: SERIES, ...themes } = PALETTES;
for (const [theme, palette] of Object.entries(themes)) {
  const colourOf = (/** @type {string} */ name) =>
    /** @type {Color} */ (parse(/** @type {Record<string, string>} */ (palette)[name]));

  for (const [eyes, see] of EYES) {
    test(`${theme}, ${eyes}: no two series look alike`, () => {
      const difference = differenceCiede2000();
      for (const [i, one] of SERIES.entries()) {
        for (const other of SERIES.slice(i + 1)) {
          const apart = difference(see(colourOf(one)), see(colourOf(other)));
          assert.ok(apart >= FAR_ENOUGH, `${one} and ${other}: ${apart.toFixed(1)}`);
        }
      }
    });
  }

  test(`${theme}: series and text stand out from the background`, () => {
    const background = colourOf('background');
    for (const name of SERIES) {
      const contrast = wcagContrast(colourOf(name), background);
      assert.ok(contrast >= CONTRAST.series, `${name}: ${contrast.toFixed(2)}`);
    }
    for (const name of ['ink', 'muted', 'good', 'bad']) {
      const contrast = wcagContrast(colourOf(name), background);
      assert.ok(contrast >= CONTRAST.text, `${name}: ${contrast.toFixed(2)}`);
    }
  });
}
