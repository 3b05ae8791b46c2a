/** Five data nodes: how many replicas have to confirm a write so that no partition loses it? Sentinels elect wherever the data is. */
import { perform, scriptOf } from '../../src/run/perform.js';
import { LISTED, numbersOf } from './data.js';
import { separated, WITH_GROUPS } from './groups.js';
import { stepsOf } from './steps.js';

/** `with-2`: two replicas are separated along with the primary. */
const ALONG = /^with-(\d)$/;

/** @type {import('./types.js').Performed} */
export default {
  id: 'topology',
  async whyNot(theCase, stack) {
    const reason = (await WITH_GROUPS.whyNot(theCase, stack)) ?? null;
    if (reason !== null || stack.about.ours || stack.about.endsWithRun) return reason;
    return 'It starts stacks of five data nodes, but a stack is already up. Take it down with `sentinel-bench down` first.';
  },
  async script(scene, theCase) {
    const along = ALONG.exec(theCase.params.setting ?? '')?.[1];
    if (along === undefined) return scriptOf(stepsOf(LISTED['stale-replica-preferred'].steps))(scene, theCase);
    const fault = separated({ usual: 'apart', away: Number(along) + 1 });
    return perform(scene, [{ fault, lasts: numbersOf('topology').seconds }], theCase.params);
  },
};
