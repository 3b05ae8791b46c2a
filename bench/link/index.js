/** The suite `link`: replication over a link that is slow, long, compressed, or breaks. */
/** @import { Suite } from '../types.js' */

import linkCompression from './compression.js';
import linkDark from './dark.js';
import linkDemand from './demand.js';
import { params, roundFigures } from './document.js';
import linkMemory from './memory.js';
import { pageData } from './page.js';
import linkShortfall from './shortfall.js';
import { linkLoss, linkSupervisors } from './tunnels.js';

/** @type {Suite} */
export default {
  name: 'link',
  params,
  roundFigures,
  benchmarks: [linkDemand, linkShortfall, linkMemory, linkCompression, linkLoss, linkSupervisors, linkDark],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.links, pageData(result).tables.compression],
};
