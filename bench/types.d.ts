/** The types of the engine that suites name. */
export type { Ledger } from '../src/audit/ledger.js';
export type { Connection } from '../src/clients/connection.js';
export type { Target } from '../src/clients/types.js';
export type { DriverEntry } from '../src/drivers/manifest.js';
export type { Fact } from '../src/facts/fact.js';
export type { CaseFigures } from '../src/facts/query.js';
export type { Fault } from '../src/faults/types.js';
export type { Traffic } from '../src/load/traffic.js';
export type { TrialPlan } from '../src/load/trial-thread.js';
export type { Block, TableBlock } from '../src/report/blocks.js';
export type { Chart } from '../src/report/charts/chart.js';
export type { CostFigure } from '../src/report/costs.js';
export type { ColumnSpec, FigureColumn } from '../src/report/specs.js';
export type { TemplateData } from '../src/report/template.js';
export type { Reply } from '../src/resp/reader.js';
export type { Word } from '../src/resp/writer.js';
export type { AuditResult } from '../src/result/failure-schema.js';
export type {
  BenchmarkResult,
  CaseParams,
  CaseResult,
  Check,
  Finding,
  IntervalValue,
  Result,
  RoundResult,
} from '../src/result/schema.js';
export type { CaseVariation } from '../src/result/variation.js';
export type { ChooseFault, Course, Step, Varies, Wait } from '../src/run/perform.js';
export type { OwnSample } from '../src/run/round.js';
export type {
  Benchmark,
  Case,
  CaseOptions,
  CompanySite,
  CustomBenchmark,
  LoadBenchmark,
  Measure,
  OptionGroup,
  Profile,
  RoundSite,
  Scene,
  Script,
  Suite,
  Titles,
  TrialBenchmark,
} from '../src/run/types.js';
export type { Placement } from '../src/stacks/network/placement.js';
export type { Ability, Address, Credentials, NodeInfo, Stack } from '../src/stacks/types.js';
