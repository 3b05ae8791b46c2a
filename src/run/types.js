/**
 * What a file in `bench/` exports, and what a profile is. Types only.
 *
 * @typedef {import('../cluster/types.js').Ability} Ability
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../report/schema.js').CaseResult} CaseResult
 * @typedef {import('../report/schema.js').Finding} Finding
 * @typedef {import('../report/schema.js').Check} Check
 * @typedef {import('../report/schema.js').CaseParams} CaseParams
 *
 * @typedef {Object} Profile how much to measure
 * @property {'quick' | 'standard' | 'full'} name
 * @property {number} rounds timed runs a case
 * @property {number} seconds length of a round
 * @property {number} warmUpSeconds before each round
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
 * @typedef {Object} Benchmark
 * @property {string} name
 * @property {string} suite
 * @property {string} question one sentence that ends with a question mark; the report prints it
 * @property {string} method one or two sentences: what a round does and what its figures mean
 * @property {Ability[]} needs checked before anything starts
 * @property {'writes' | 'read-after-write'} generator
 * @property {(options: {profile: Profile, client?: import("../client/types.js").ClientName}) => Case[]} cases `client`: the one the user asked for; else the benchmark chooses
 * @property {Profile['name'][]} [profiles] those in which it belongs to its suite; default: all. By its name it runs in any.
 * @property {{rounds: number, seconds: number}} [least] what it needs to say anything; a profile with less is raised to that
 * @property {(result: BenchmarkResult, options: {slo?: Slo}) => Case[]} [more] further cases that follow from what was
 *   measured; asked again when they have been measured, until there are none
 * @property {Column[]} table
 * @property {(result: BenchmarkResult, options: {slo?: Slo}) => Finding[]} findings sentences computed from the numbers
 * @property {(result: BenchmarkResult) => Check[]} checks claims that can fail
 */

export {};
