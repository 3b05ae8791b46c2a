/**
 * The suite `proxy`: clients of a deployment that is behind a proxy.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { MODE_STYLES } from '../failure/modes.js';
import behindHaproxy from './behind-haproxy.js';
import { proxyPage } from './page.js';

/** @type {Suite} */
export default { name: 'proxy', styles: MODE_STYLES, benchmarks: [behindHaproxy], frontPage: proxyPage };
