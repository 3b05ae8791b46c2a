/** The form of an experiment. Types only. */
/** @import { Ability, CaseParams, Course, Profile, Scene, Script, Step, TrialBenchmark } from '../types.js' */
/** @typedef {Performed & {needs: Ability[]} & ExperimentTexts} Experiment one failure, whatever suite measures it */
/**
 * @typedef {Object} Performed what happens
 * @property {string} id also the name of its benchmark in the suite `failure`
 * @property {Ability[]} [needs] in its file or in catalogue.yaml
 * @property {readonly Step[] | ((scene: Scene, params: CaseParams) => readonly Step[])} [steps] what happens, and when
 * @property {Course} [course] what surrounds the steps
 * @property {Script} [script] instead of steps, for an experiment that branches on what it sees
 * @property {TrialBenchmark['needsFailover']} [promotes] a trial without a promotion shows nothing, unless it found that nobody could promote a replica
 * @property {TrialBenchmark['beforeFailover']} [late] it is over before a Sentinel misses the primary; a trial with a promotion shows something else
 * @property {number} [downAfterMs] of the Sentinels, in suites that select it
 * @property {'all'} [disks] whose disks fail; default: that of the first primary
 * @property {true} [oneLane] its trials measure response times, so none runs beside another
 * @property {true} [placed] one client is on each side of a partition
 * @property {TrialBenchmark['parameters']} [parameters] default: the parameters of trials
 * @property {TrialBenchmark['whyNotCase']} [whyNot] why this machine cannot measure a case
 * @property {(profile: Profile) => string[]} [lengths] of the fault, beside the usual one if it has one. See lengths.js
 *
 * @typedef {Object} ExperimentTexts what reports say of it, in its file or in catalogue.yaml
 * @property {string} title such as `network partition`
 * @property {string} [explained] what a reader of a table may not guess from the title
 * @property {string} [avoid] what keeps it from happening, or from losing much, as a trial or a rule of `check` shows
 * @property {string} question one sentence that ends with a question mark
 * @property {string} method what happens, in a few sentences
 * @property {string} [varied] what its variations do, for a suite that measures them
 * @property {number} [perYear] how often it happens in a year: an assumption that `--faults-per-year` changes. Default: nobody weighs it
 * @property {string} [blind] why it may show no loss with any mode on this machine; after a colon
 * @property {Readonly<Record<string, Variation>>} [durations] further lengths, by name
 * @property {Readonly<Record<string, Variation>>} [placements] which nodes are where
 * @property {Readonly<Record<string, Variation>>} [settings] of servers
 * @property {Readonly<Record<string, Variation>>} [ways] of failing over, or of coming back
 *
 * @typedef {Object} Variation of an experiment. Its name is that of the fields of a case, see `variationName`
 * @property {string} title such as `by runbook`
 * @property {string} [fault] title, if it is a fault of its own
 * @property {string} [explained]
 * @property {string} [avoid]
 * @property {string} [question] instead of the experiment's, for a suite that measures it alone
 * @property {string} [method] likewise
 * @property {Ability[]} [needs] beside the experiment's
 * @property {true} [script] by examples/planned-failover.sh
 * @property {number} [perYear]
 * @property {true} [graded] the same fault under another setting: of all of them the worst counts
 */

export {};
