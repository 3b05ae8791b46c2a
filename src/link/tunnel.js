/**
 * A tunnel of the local backend: processes at both ends of a wire. Types only.
 *
 * @typedef {import('../cluster/types.js').Address} Address
 *
 * @typedef {Object} TunnelOptions
 * @property {Address} to where it leads
 * @property {number} [restartAfterMs]
 * @property {(line: string) => void} [tell]
 *
 * @typedef {Object} Tunnel
 * @property {string} by what it is, for the report
 * @property {Address} wireTo the primary's end
 * @property {(wire: Address) => Promise<Address>} dial starts the replica's end, once; returns what the replica is to dial, later
 * @property {() => boolean} runs both ends do; it may not be up yet
 * @property {() => number} restarts of the replica's end by its supervisor
 * @property {() => string} said last words of both ends
 * @property {() => {primaryEndCpuSeconds: number | null, replicaEndCpuSeconds: number | null}} cpu never falls
 * @property {() => Promise<void>} kill the replica's end
 * @property {() => Promise<void>} close idempotent: no process and no file of it is left
 */

export {};
