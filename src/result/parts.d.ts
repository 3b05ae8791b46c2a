/**
 * What suites add to the types of `result.json`. A suite that declares `params` or `roundFigures` extends these in its own folder; see
 * bench/link/parts.d.ts.
 */

// biome-ignore lint/suspicious/noEmptyInterface: suites extend it
export interface SuiteParams {}

// biome-ignore lint/suspicious/noEmptyInterface: suites extend it
export interface SuiteFigures {}
