/** What the suite adds to the parameters of a case. */
import { Name } from '../../src/result/ranges.js';

export const params = { nextServer: Name.optional() };
