/**
 * @import { ClientName } from '../clients/types.js'
 * @import { Fault, Undo } from '../faults/types.js'
 * @import { Block } from '../report/blocks.js'
 * @import { Chart } from '../report/charts/chart.js'
 * @import { TrialPlan } from '../load/trial-thread.js'
 * @import { TemplateData } from '../report/template.js'
 * @import { EventKind } from '../result/events.js'
 * @import { TrialEvent, TrialResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check, Finding, Result, RoundResult } from '../result/schema.js'
 * @import { Ability, NamedServer, Stack, NodeInfo, SystemName } from '../stacks/types.js'
 * @import { Column } from '../table.js'
 * @import { ZodObject, ZodRawShape } from 'zod'
 * @import { Testbed } from './rounds.js'
 * @import { StorageChoice } from './storages.js'
 *
 * The contract of `bench/`: suites, benchmarks, cases, profiles. Types only.
 * @typedef {Object} Profile how much to measure
 * @property {'quick' | 'standard' | 'full'} name @property {number} rounds a case @property {number} seconds of a round
 * @property {number} warmUpSeconds before each round @property {number} trials a case
 * @property {number} healthySeconds of load before a fault, and after all is well again
 * @property {number} writesPerSecond of each writer in trials @property {number} preloadKeys of benchmarks that load a data set first
 * @typedef {Pick<Profile, 'rounds' | 'seconds' | 'warmUpSeconds'>} Pace
 * @typedef {Object} Precision how narrow the intervals of a benchmark's headline costs have to be
 * @property {(theCase: Case) => boolean} headline its cost decides something; it has a baseline
 * @property {number} halfWidth of the 95% interval of its throughput over its baseline's: 0.1 is ± 10 points
 * @property {number} least rounds of a headline case, after the pilot: the rounds of the profile or the pace, which all cases get
 * @property {number} most rounds of a headline case
 * @property {number} seconds for all rounds of the benchmark; the pilot is completed even if it takes longer
 * @typedef {{label: string, path: string, emulated: boolean}} StorageClass a place where nodes of our stacks keep their files; path: an
 *   existing directory that this process may write to
 * @typedef {{id: string, params: CaseParams, baseline?: string}} Case one cell of a benchmark's matrix. id: unique in its benchmark, fit for
 *   a file name; baseline: id of the case that its cost is compared with, round by round
 * @typedef {Readonly<Record<string, any>>} SuiteParameters values of the suite's own options, by parameter, as its schemas have checked them
 * @typedef {Object} CaseOptions
 * @property {Profile} profile @property {ClientName} [client] that the user asked for; default: the benchmark chooses
 * @property {{name: string, version: string | null}} server under test: not every server knows every command
 * @property {number} [replicas] of the stack; default 2
 * @property {readonly Pick<NamedServer, 'id' | 'name' | 'version'>[]} [servers] that the user named, if these are several
 * @property {readonly Pick<StorageClass, 'label' | 'emulated'>[]} storages at least one; the others are compared with the first
 * @property {SuiteParameters} [parameters]
 * @typedef {(scene: Scene, theCase: Case) => Promise<void>} Script disturbs the stack while the writers write. All is undone afterwards
 * @typedef {Object} Scene what a script sees and may do in a trial
 * @property {NodeInfo} primary when the trial began @property {NodeInfo[]} replicas when the trial began
 * @property {NodeInfo[]} sentinels
 * @property {string[][] | null} hosts of an existing deployment: ids of the nodes on each, the primary's first; null: trials choose the placement
 * @property {number} downAfterMs of the Sentinels @property {Profile} profile
 * @property {(seconds: number) => Promise<void>} write lets the writers write
 * @property {(fault: Fault, id: string) => Promise<Undo>} inject a fault into a node; at the end every fault is undone that still lasts
 * @property {Scene['inject']} prepare the same, for faults that only prepare the failure to be measured
 * @property {(kind: EventKind) => boolean} heard the stack said so in this trial
 * @property {() => boolean} switched a replica was promoted in this trial
 * @property {(id: string) => Promise<boolean>} demoted the node says that it is a replica
 * @property {(id: string) => Promise<void>} follow makes a node a replica of the current primary
 * @property {(id: string) => Promise<void>} promote makes the node the primary; only of systems without Sentinels
 * @property {(holds: () => boolean | Promise<boolean>, seconds: number) => Promise<boolean>} until it holds; false: not in time
 * @property {(id: string, section: string) => Promise<Record<string, string>>} info the node's state, such as INFO
 * @property {(id: string) => Promise<void>} readFormer reads what the old primary holds while it still is a primary
 * @property {(kind: EventKind, node?: string, more?: Pick<TrialEvent, 'fault' | 'planned' | 'value' | 'detail'>) => void} mark an event in the timeline
 * @typedef {(site: RoundSite) => Promise<RoundResult>} Measure one round of one case, from preparing it to putting back what it did
 *   to the nodes. Everything that it started has ended when it resolves or rejects
 * @typedef {{testbed: Testbed, theCase: Case, keyPrefix: string, now: (text: string) => void}} RoundSite testbed: with `primary` and
 *   `replicas`; theCase: its `settings` are in force; now: shown on the progress display
 *
 * A benchmark is one question. Its kind says how a round or trial of it is measured.
 * @typedef {LoadBenchmark | TrialBenchmark | CustomBenchmark} Benchmark
 * @typedef {LoadBenchmark | CustomBenchmark} RoundBenchmark measured in timed rounds
 * @typedef {BenchmarkBase & LoadKind} LoadBenchmark rounds of load that the load threads make
 * @typedef {BenchmarkBase & TrialKind} TrialBenchmark trials of a failure; every write is audited
 * @typedef {BenchmarkBase & CustomKind} CustomBenchmark rounds that it measures itself
 * @typedef {Object} LoadKind
 * @property {'load'} kind @property {'writes' | 'read-after-write'} [load] default: writes
 * @property {{rounds: number, seconds: number}} [least] that can answer the question; a smaller profile is raised to that
 * @property {true} [turns] a case and its baseline take turns within a round. They are writes in closed loop, without settings of their own
 * @property {(profile: Profile) => Precision} [precision] headline cases get further rounds until their costs are decided
 * @property {(result: BenchmarkResult, options: {parameters?: SuiteParameters}) => Case[]} [more] further cases, chosen from what was
 *   measured so far; asked again after they were measured, until it returns none
 * @typedef {Object} TrialKind a trial that does not count is repeated, and the report says so
 * @property {'trial'} kind @property {Script} script
 * @property {boolean | ((params: CaseParams) => boolean)} [needsFailover] a trial of the case counts only if a replica was promoted
 * @property {boolean | ((params: CaseParams) => boolean)} [beforeFailover] it counts only if none was: the fault has to end before that
 * @property {'all'} [disks] of a benchmark whose disks fail: every data node has one of its own; default: the first primary only
 * @property {(profile: Profile) => number} [mostLanes] so many of its trials run side by side at most, ≥ 1; default: as many as the run has lanes
 * @property {(trial: Pick<TrialResult, 'events'>, params: CaseParams) => string | null} [whyNoEffect] why the failure did not happen as the script meant
 *   it, so that the trial does not count; null: it happened
 * @property {Titles} [titles] of its cases and writers in reports; default: ids
 * @property {(site: CompanySite) => Promise<Company>} [company] what else works on the nodes, in the same failure; it begins before the writers.
 *   What it counted goes into the round of the trial
 * @typedef {{stack: Stack, theCase: Case, plan: TrialPlan, prefix: string}} CompanySite plan: of the writers; prefix: of its keys
 * @typedef {{stop: () => Promise<void>, drain: () => Promise<CompanyOutcome>, close: () => Promise<void>}} Company stop: no more operations
 *   begin. drain: once the nodes are healed. close: idempotent; ends everything, whatever it is doing
 * @typedef {Object} CompanyOutcome
 * @property {Record<string, unknown>} figures further fields of the round, which the suite declares in `roundFigures`
 * @property {string} inShort what it counted, in a few words; empty: nothing to tell
 * @property {readonly {name: string, lines: readonly object[]}[]} histories to be kept beside the result
 * @typedef {{case: (params: CaseParams) => string, writer: (writer: string) => string, fault?: (params: CaseParams) => string}} Titles such as
 *   `WAIT 1 + min-replicas 1` and `sticky`; fault: without its length. Of cases with one of these the page draws the timeline of the worst
 * @typedef {{kind: 'custom', measure: Measure, stacks: OwnStacks & {sentinels: false}}} CustomKind no Sentinel changes roles in its rounds, so
 *   `testbed.primary` is fixed
 * @typedef {Object} OwnStacks of a benchmark whose cases differ in `replicas`, `storage`, `replicaStorage`, `preloadKeys` or `payloadBytes`. Cases
 *   that agree in these are measured side by side on a stack started for them
 * @property {false} [sentinels] Sentinels are stopped, so that a replica follows any node that REPLICAOF names
 * @property {(parameters: SuiteParameters) => StorageChoice} [storage] the cases name storage classes; there is at least one
 * @property {true} [shards] the nodes of each stack form a Redis Cluster of three primaries; `replicas` are the second and third of them
 * @property {true} [links] the nodes' links with each other can be slowed: each round has the `linkLatencyMs` of its case
 * @property {true} [interleaved] all its stacks are up at once, and the rounds of all are in one random order; default: one after the other
 * @property {Readonly<Record<string, string>>} [settings] of every Redis node, from its start
 * @typedef {Object} BenchmarkBase
 * @property {string} name @property {string} [title] how reports call what it measures, such as `network partition`; default: its name
 * @property {string} question ends with a question mark @property {string} method what a round does and what the figures mean
 * @property {SystemName} [system] that it measures; default: redis @property {Ability[]} [needs] checked before anything starts
 * @property {(options: CaseOptions) => Case[]} cases
 * @property {Profile['name'][]} [profiles] the profiles in which the suite includes it; default: all. Named on the command line it runs in any
 * @property {ZodObject} [parameters] what a user may ask of it, also by options of its suite; default: those of its kind in `parameters.js`
 * @property {true} [servers] its cases may name servers, so it takes several: `--server` repeated
 * @property {OwnStacks} [stacks] it needs stacks of its own and never uses one that is already up
 * @property {(theCase: Case, stack: Stack) => Promise<string | null>} [whyNotCase] why this machine cannot measure it, and the remedy
 * @property {(profile: Profile) => Pace} [pace] replaces the profile's number and length of rounds
 * @property {number} [overheadSeconds] what a round takes besides; default: almost nothing
 * @property {(result: BenchmarkResult, options: {parameters?: SuiteParameters, storages?: CaseOptions['storages'], server?: CaseOptions['server']}) => Finding[]} [findings] default: none
 *   sentences computed from the numbers, most important first. `parameters`, `storages`, `server`: as for `cases`
 * @property {true} [askedFindings] its findings depend on what the user asked, which a result does not have: reports show those of the run
 * @property {(result: BenchmarkResult, options?: {server?: CaseOptions['server']}) => Check[]} checks claims that the numbers may refute
 * @property {Column<CaseResult>[]} [table] one row a case, for details.md; empty: no table; default: what every round has, and no table of trials
 * @property {true} [usePerNode] details.md shows what each node used, also in rounds of less than a second; default: each role, folded
 * @property {(result: BenchmarkResult, run: Result) => (Chart | null)[]} [charts] for details.md; null: too little data
 * @property {(result: BenchmarkResult, run: Result) => Block[]} [details] for details.md, below the table
 * @typedef {Object} Suite benchmarks that are run and reported together
 * @property {string} name
 * @property {ZodRawShape} [params] fields that it adds to the parameters of a case, each of them optional. Its folder declares their types,
 *   as bench/link/parts.d.ts does
 * @property {ZodRawShape} [roundFigures] fields that it adds to a round, likewise
 * @property {OptionGroup} [options] of `run`, for its benchmarks
 * @property {readonly Benchmark[]} benchmarks in the order in which they run
 * @property {{template: URL, data: (result: Result) => TemplateData}} [page] its part of report.md: a template, and what it shows of a result that holds
 *   this suite's benchmarks only
 * @property {(result: Result) => Block[]} [details] what details.md begins with
 * @property {RecordedHistories} [histories] of the workloads that ran beside the writers of its trials
 * @property {(result: Result) => Block[]} [terminal] for the end of a run, printed above the findings
 * @typedef {{recorded: (round: RoundResult) => readonly {name: string, figures: Record<string, number>}[],
 *   count: (name: string, lines: readonly any[]) => Record<string, number>}} RecordedHistories recorded: figures in a round; count: counts them again
 * @typedef {{title: string, options: readonly RunOption[], examples?: readonly string[]}} OptionGroup title: in the help of `run`, such as
 *   `Suite copy`; examples: arguments of `run`
 * @typedef {Object} RunOption its long flag in camel case is the name of a parameter of benchmarks
 * @property {string} flags such as `--name <value>` @property {string} description
 * @property {(text: string, earlier?: any) => unknown} [parse] earlier: the value so far, if the option is repeated. Throws commander's
 *   InvalidArgumentError; default: the text
 * @property {{value: unknown, text: string}} [byDefault]
 * @property {(value: any) => void} [check] of the whole value, once all options are read; throws a UserError
 * @property {true} [isPrivate] its value names people, machines or places, so a result does not record it
 */

export {};
