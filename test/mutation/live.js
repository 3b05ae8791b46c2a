/** For Stryker: leaves out functions that only real servers can exercise. */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { LIVE_FUNCTIONS } from './areas.js';

const ignorer = {
  /**
   * @param {{node: {type: string, id?: {name: string} | null}}} path
   * @returns {string | undefined} why its defects are not planted
   */
  shouldIgnore({ node: { type, id } }) {
    return type === 'FunctionDeclaration' && id ? LIVE_FUNCTIONS[id.name] : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'live', ignorer)];
