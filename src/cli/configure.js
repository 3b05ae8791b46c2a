/** `sentinel-bench configure`: gives a running deployment other settings of durability, with the checks that pasted commands leave out. */
import { CHOSEN_SETTINGS } from '../../bench/choices.js';
import { applyPlan, nodesToLeaveOut, readNodes } from '../configure/apply.js';
import { commandsOf, parseSetting, planChanges, redisCliLogin, SETTING_NAMES, undoOf } from '../configure/plan.js';
import { abortable } from '../run/interruption.js';
import { attachStack } from '../stacks/index.js';
import { typedOptions } from './applicable.js';
import { stackOptions } from './options.js';
import { print, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { Command } from 'commander' */

export const commands = {
  configure: {
    run: configure,
    readings: { set: { parse: collectSettings }, for: { choices: Object.keys(CHOSEN_SETTINGS) } },
    values: { settings: SETTING_NAMES.join(', ') },
  },
};

/** @param {string} text @param {Record<string, string>} [earlier] */
function collectSettings(text, earlier = {}) {
  const [name, value] = parseSetting(text);
  if ((earlier[name] ?? value) !== value) throw refusal('set-twice', { name, one: earlier[name], other: value });
  return { ...earlier, [name]: value };
}

/**
 * @param {Record<string, any> & {set?: Record<string, string>, for?: string, apply?: boolean, without?: string[], untilRestart?: boolean}} options
 * @param {Command} command
 */
async function configure(options, command) {
  const keep = !options.untilRestart;
  const wanted = { ...(options.for && CHOSEN_SETTINGS[options.for]), ...options.set };
  if (Object.keys(wanted).length === 0) throw refusal('nothing-to-set');
  const stack = await attachStack({ ...stackOptions(options, typedOptions(command)), tell });
  if (!stack) throw refusal('no-deployment');
  try {
    const without = await nodesToLeaveOut(stack, options.without ?? []);
    const nodes = await readNodes(stack, Object.keys(wanted), { without });
    const plan = planChanges(nodes, wanted, { keep });
    if (plan.refusals.length > 0) throw refusal('not-configured', { why: plan.refusals.join(' ') });
    const { login, before } = redisCliLogin(options);
    const changes = plan.nodes.flatMap((each) => commandsOf(each, { keep, login }));
    for (const id of without) tell(`${id} is left out: run this again when it is back.`);
    if (changes.length === 0) {
      print('Every node has these settings already.');
      if (!options.apply || !keep) return;
    } else {
      const undo = undoOf(plan, { keep, login });
      print(['# To do, node by node:', ...before, ...changes, '', '# To undo:', ...before, ...undo, ''].join('\n'));
    }
    for (const note of plan.notes) tell(note);
    if (options.apply) await abortable((signal) => applyPlan(stack, plan, { keep, without, tell, signal }), tell);
    else tell('Nothing was changed. Add --apply to do it.');
  } finally {
    await stack.close();
  }
}
