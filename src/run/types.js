/**
 * @import { ClientName } from '../clients/types.js'
 * @import { Fault, Undo } from '../faults/types.js'
 * @import { Claim } from '../report/articles.js'
 * @import { Block } from '../report/blocks.js'
 * @import { Chart } from '../report/charts/chart.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check, Finding, Result, RoundResult } from '../result/schema.js'
 * @import { Ability, Cluster, NodeInfo } from '../stacks/types.js'
 * @import { ZodObject } from 'zod'
 * @import { Bench } from './rounds.js'
 */

/**
 * The contract of `bench/`: suites, benchmarks, cases, profiles. Types only.
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
 * @property {ClientName} [client] the one the user asked for; else the benchmark chooses
 * @property {{name: string, version: string | null}} server what is measured: not every server knows every command
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
 * @property {(fault: Fault, id: string) => Promise<Undo>} inject a
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
 * @property {Bench} bench with `primary` and `replicas`
 * @property {Case} theCase its `settings` are in force
 * @property {string} keyPrefix
 * @property {(text: string) => void} now what goes on, for the progress display
 *
 * A benchmark is one question. Its kind says how a round or trial of it is measured.
 *
 * @typedef {LoadBenchmark | TrialBenchmark | CustomBenchmark} Benchmark
 *
 * @typedef {LoadBenchmark | CustomBenchmark} RoundBenchmark measured in timed rounds
 *
 * @typedef {BenchmarkBase & LoadKind} LoadBenchmark rounds of load from the load threads
 * @typedef {BenchmarkBase & TrialKind} TrialBenchmark trials of a failure, in which every write is audited
 * @typedef {BenchmarkBase & CustomKind} CustomBenchmark rounds that it measures itself
 *
 * @typedef {Object} LoadKind
 * @property {'load'} kind
 * @property {'writes' | 'read-after-write'} [load] default: writes
 * @property {{rounds: number, seconds: number}} [least] what it needs to say anything; a profile with less is raised to that
 * @property {(result: BenchmarkResult, options: {slo?: Slo}) => Case[]} [more] further cases that follow from what was
 *   measured; asked again when they have been measured, until there are none
 *
 * @typedef {Object} TrialKind
 * @property {'trial'} kind
 * @property {Script} script
 * @property {boolean} [needsFailover] a trial in which the Sentinels elected nobody shows nothing: it is repeated, and the
 *   report says so
 * @property {boolean} [alone] its trials measure response times, so no other trial runs beside them
 * @property {Titles} [titles] of its cases and writers in reports; default: ids
 *
 * @typedef {Object} Titles
 * @property {(params: CaseParams) => string} case such as `WAIT 1 + min-replicas 1`
 * @property {(writer: string) => string} writer such as `sticky`
 *
 * @typedef {Object} CustomKind
 * @property {'custom'} kind
 * @property {Measure} measure
 *
 * @typedef {Object} OwnStacks the cases differ in `replicas`, `storage`, `preloadKeys` or `payloadBytes`. Cases that agree in
 *   these are measured side by side, on a stack started for them
 * @property {false} [sentinels] Sentinels are stopped, so that a replica follows whichever node it is told to
 * @property {true} [storage] the cases name storage classes; there is at least one
 * @property {Readonly<Record<string, string>>} [settings] of every Redis node, from its start
 *
 * @typedef {Object} BenchmarkBase
 * @property {string} name
 * @property {string} question one sentence that ends with a question mark
 * @property {string} method one or two sentences: what a round does and what its figures mean
 * @property {Ability[]} needs checked before anything starts
 * @property {(options: CaseOptions) => Case[]} cases
 * @property {Profile['name'][]} [profiles] those in which the suite includes it; default: all. By name it runs in any
 * @property {ZodObject} [parameters] what a user may ask of it, from `parameters.js`; default: what its kind takes
 * @property {OwnStacks} [stacks] it needs stacks of its own, and never uses one that is up
 * @property {(theCase: Case, cluster: Cluster) => Promise<string | null>} [whyNotCase] why this
 *   machine cannot measure the case, and the remedy, in two sentences; null: it can
 * @property {(profile: Profile) => Pace} [pace] replaces the profile's number and length of rounds
 * @property {(result: BenchmarkResult, options: {slo?: Slo, storages?: CaseOptions['storages']}) => Finding[]} findings
 *   sentences computed from the numbers, most important first. `storages`: as for `cases`
 * @property {(result: BenchmarkResult) => Check[]} checks claims that can fail
 * @property {Column[]} table every case a row, for details.md; empty: no table
 * @property {true} [usePerNode] details.md shows what each node used; default: each role, folded
 * @property {(result: BenchmarkResult, run: Result) => (Chart | null)[]} [charts] for details.md; null: too little to show
 * @property {(result: BenchmarkResult, run: Result) => Block[]} [details] for details.md, below the table
 * @property {(result: BenchmarkResult, run: Result) => Block[]} [brief] its short section of report.md, below at most three
 *   findings: one table or one chart. Default: the first chart
 *
 * A suite is a set of benchmarks that are run and reported together.
 *
 * @typedef {Object} Suite
 * @property {string} name
 * @property {readonly Benchmark[]} benchmarks in the order in which they run
 * @property {(result: Result) => FrontPage} [frontPage] what report.md begins with, of a result that holds this suite's benchmarks
 *   only; default: the first finding of each benchmark
 * @property {(result: Result) => Block[]} [details] what details.md begins with
 * @property {readonly Claim[]} [claims] of articles, which its benchmarks examine
 * @property {(result: Result) => string[]} [terminal] blocks of text for the end of a run, above the findings
 *
 * @typedef {Object} FrontPage the first screen of report.md, in this order
 * @property {string[]} answer three to six whole sentences, most important first; plain text, code between backticks
 * @property {Block[]} evidence one chart and the deciding table, of at most six columns
 * @property {Block[]} [actions] what to do: configuration, client code, commands
 * @property {string[]} [limits] what this run cannot show; plain text
 */

export {};
