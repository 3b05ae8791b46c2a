/** The files of experiments that need code. A new file goes into this list. Other experiments are in catalogue.yaml only. */
export { default as primaries } from './primaries.js';
export { default as primaryLoading } from './primary-loading.js';
export { default as powerLost } from './primary-power-lost.js';
export { default as replicas } from './replicas.js';
export { default as rollingRestart } from './rolling-restart.js';
export { default as withReplica } from './with-replica.js';
