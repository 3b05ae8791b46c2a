/** Every experiment that needs code: a new one is in a file here, and its file in this list. The others are in catalogue.yaml only. */
export { default as primaries } from './primaries.js';
export { default as primaryLoading } from './primary-loading.js';
export { default as powerLost } from './primary-power-lost.js';
export { default as replicas } from './replicas.js';
export { default as rollingRestart } from './rolling-restart.js';
export { default as withReplica } from './with-replica.js';
