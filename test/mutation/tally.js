/**
 * A reporter for Stryker. It keeps the outcome of each planted defect, so that a run that ends early can still print them.
 */
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** @import { MutantResult } from '@stryker-mutator/api/core' */

/** In the order in which they were tried. @type {MutantResult[]} */
export const tested = [];

class Tally {
  /** @param {MutantResult} result */
  onMutantTested(result) {
    tested.push(result);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'tally', Tally)];
