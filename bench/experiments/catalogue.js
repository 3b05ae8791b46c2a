/** Every experiment that needs code: a new one is a file here, and a line in this list. The others are in catalogue.yaml only. */
export { default as paused } from './paused.js';
export { default as primaryBlocked } from './primary-blocked.js';
export { default as primaryLoading } from './primary-loading.js';
export { default as powerLost } from './primary-power-lost.js';
export { default as restartedEmpty } from './primary-restarted-empty.js';
export { default as replicaRestart } from './replica-restart.js';
export { default as replicasPaused } from './replicas-paused.js';
export { default as resyncInterrupted } from './resync-interrupted.js';
export { default as rollingRestart } from './rolling-restart.js';
export { default as sentinelsLost } from './sentinels-lost.js';
export { default as settingsOnPrimary } from './settings-on-primary.js';
export { default as staleReplicaPreferred } from './stale-replica-preferred.js';
export { default as topology } from './topology.js';
export { default as withReplica } from './with-replica.js';
