/** @import { Shape } from './types.js' */

/** @param {Partial<Shape>} [changes] @returns {Shape} of single writes that wait for no replica */
export function shapeOf(changes) {
  return {
    payloadBytes: 64,
    pipeline: 1,
    waitReplicas: 0,
    waitTimeoutMs: 1000,
    waitMode: 'pipelined',
    keyPrefix: 'sentinel-bench:test:',
    ...changes,
  };
}
