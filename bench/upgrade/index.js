/**
 * The suite `upgrade`: nodes change their server one after the other while clients write.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { MODE_STYLES } from '../modes.js';
import { params } from './document.js';
import { upgradePage } from './page.js';
import { downgrade, migrate, rollingUpgrade } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'upgrade',
  params,
  styles: MODE_STYLES,
  benchmarks: [rollingUpgrade, migrate, downgrade],
  frontPage: upgradePage,
};
