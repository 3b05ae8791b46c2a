/**
 * The suite `proxy`: clients that do not ask the Sentinels, because a proxy or a virtual IP address leads them to the primary.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { MODE_STYLES } from '../modes.js';
import { proxyPage } from './page.js';
import { behindHaproxy, virtualIpFailover, virtualIpPartition } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'proxy',
  styles: MODE_STYLES,
  benchmarks: [behindHaproxy, virtualIpPartition, virtualIpFailover],
  frontPage: proxyPage,
};
