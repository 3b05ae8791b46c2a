/**
 * What a file in `bench/` exports, and what a profile is. Types only.
 *
 * @typedef {import('../cluster/types.js').Ability} Ability
 * @typedef {import('../cluster/types.js').NodeInfo} NodeInfo
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../report/schema.js').CaseResult} CaseResult
 * @typedef {import('../report/schema.js').RoundResult} RoundResult
 * @typedef {import('../report/schema.js').Finding} Finding
 * @typedef {import('../report/schema.js').Check} Check
 * @typedef {import('../report/schema.js').CaseParams} CaseParams
 *
 * @typedef {Object} Profile how much to measure
 * @property {'quick' | 'standard' | 'full'} name
 * @property {number} rounds timed runs a case
 * @property {number} seconds length of a round
 * @property {number} warmUpSeconds before each round
 * @property {number} trials timed runs a case of failure benchmarks
 * @property {number} healthySeconds of load before a fault, and after all is well again
 * @property {number} writesPerSecond of each writer of a failure benchmark
 * @property {number} preloadKeys of benchmarks that load a data set first
 *
 * @typedef {Pick<Profile, 'rounds' | 'seconds' | 'warmUpSeconds'>} Pace
 *
 * @typedef {Object} StorageClass where the nodes of a stack of ours keep their files
 * @property {string} label
 * @property {string} path an existing directory that this process may write to
 * @property {boolean} emulated
 *
 * @typedef {Object} Case one cell of a benchmark's matrix
 * @property {string} id unique in its benchmark, fit for a file name
 * @property {CaseParams} params
 * @property {string} [baseline] id of the case its cost is relative to, paired by round
 *
 * @typedef {Object} Column of a benchmark's table
 * @property {string} title
 * @property {'left' | 'right'} align
 * @property {(result: CaseResult) => string} cell plain text, no markup
 *
 * @typedef {Object} Slo what response times are to keep to
 * @property {'p50' | 'p90' | 'p95' | 'p99' | 'p999'} percentile
 * @property {number} ns
 * @property {string} text as the user wrote it
 *
 * @typedef {Object} CaseOptions
 * @property {Profile} profile
 * @property {import('../client/types.js').ClientName} [client] the one the user asked for; else the benchmark chooses
 * @property {{name: string, version: string}} server what is measured: not every server knows every command
 * @property {readonly Pick<StorageClass, 'label' | 'emulated'>[]} storages at least one; the first is what others are compared with
 *
 * @typedef {(scene: Scene, theCase: Case) => Promise<void>} Script what is done to the stack while the writers write. Whatever
 *   it throws, everything is undone
 *
 * @typedef {Object} Scene what a script sees of the trial
 * @property {NodeInfo} primary when the trial began
 * @property {NodeInfo[]} replicas when the trial began
 * @property {NodeInfo[]} sentinels
 * @property {number} downAfterMs of the Sentinels
 * @property {Profile} profile
 * @property {(seconds: number) => Promise<void>} write lets the writers write
 * @property {(fault: import('../fault/types.js').Fault, id: string) => Promise<import('../fault/types.js').Undo>} inject a
 *   fault to a node. Its `Undo` may be left out: what is not undone is undone at the end
 * @property {Scene['inject']} prepare the same, for what comes before the failure that is to be measured
 * @property {() => boolean} switched a Sentinel has said +switch-master in this trial
 * @property {(id: string) => Promise<boolean>} demoted the node says that it is a replica
 * @property {(id: string) => Promise<void>} follow tells a node to follow the primary that the Sentinels name now
 * @property {(holds: () => boolean | Promise<boolean>, seconds: number) => Promise<boolean>} until the writers write meanwhile;
 *   false: it did not come to hold in that time
 * @property {(id: string, section: string) => Promise<Record<string, string>>} info INFO of a node that answers
 * @property {(id: string) => Promise<void>} readFormer reads what the primary of before holds while it still is one
 * @property {(what: string, detail?: string) => void} mark for the timeline
 *
 * @typedef {(site: RoundSite) => Promise<RoundResult>} Measure one round of one case, from preparing it to putting back what it did
 *   to the nodes; what it started has ended when it resolves or rejects
 *
 * @typedef {Object} RoundSite
 * @property {import('./rounds.js').Bench} bench with `primary` and `replicas`
 * @property {Case} theCase its `settings` are in force
 * @property {string} keyPrefix
 * @property {(text: string) => void} now what goes on, for the progress display
 *
 * @typedef {Object} Benchmark
 * @property {string} name
 * @property {string} suite
 * @property {string} question one sentence that ends with a question mark; the report prints it
 * @property {string} method one or two sentences: what a round does and what its figures mean
 * @property {Ability[]} needs checked before anything starts
 * @property {'writes' | 'read-after-write' | 'trials' | 'own'} generator trials: what `script` does, under the load of writers whose
 *   every write is audited; own: what `measure` does
 * @property {Measure} [measure] of generator `own`
 * @property {Script} [script] of generator `trials`
 * @property {boolean} [needsFailover] of generator `trials`: where the Sentinels tried and elected nobody it learns nothing; the
 *   trial is made again, and the report says so
 * @property {boolean} [alone] of generator `trials`: it is about response times, which trials beside it would change
 * @property {(options: CaseOptions) => Case[]} cases
 * @property {Profile['name'][]} [profiles] those in which it belongs to its suite; default: all. By its name it runs in any.
 * @property {boolean} [ownStacks] its cases differ in what runs and where its files are (`replicas`, `storage`, `preloadKeys`,
 *   `payloadBytes`): those that agree in this are measured side by side on a stack of their own, never on one that exists
 * @property {boolean} [withoutSentinels] with ownStacks: they are stopped, so that replicas follow whomever they are told to
 * @property {(theCase: Case, cluster: import('../cluster/types.js').Cluster) => Promise<string | null>} [whyNotCase] a case that
 *   this machine cannot measure: why, and the remedy, in two sentences; null: it can. Only its rows are missing then
 * @property {boolean} [usesStorage] its cases name storage classes; then there is at least one
 * @property {Readonly<Record<string, string>>} [stackSettings] with ownStacks: of every Redis node from its start on
 * @property {(profile: Profile) => Pace} [pace] instead of the profile's number and length of rounds
 * @property {{rounds: number, seconds: number}} [least] what it needs to say anything; a profile with less is raised to that
 * @property {(result: BenchmarkResult, options: {slo?: Slo}) => Case[]} [more] further cases that follow from what was
 *   measured; asked again when they have been measured, until there are none
 * @property {Column[]} table
 * @property {(result: BenchmarkResult, run: import('../report/schema.js').Result) => (import('../report/charts/types.js').Chart | null)[]} [charts]
 *   of its section, each showing what the table does not; null: there is too little to show
 * @property {(result: BenchmarkResult, options: {slo?: Slo, storages?: CaseOptions['storages']}) => Finding[]} findings sentences
 *   computed from the numbers. storages: as for `cases`; what is emulated has to be called so
 * @property {(result: BenchmarkResult) => Check[]} checks claims that can fail
 */

export {};
