/**
 * What lies between a replica and the node it follows. Types only.
 *
 * @typedef {import('../cluster/types.js').Address} Address
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 * @typedef {import('../cluster/types.js').LinkShape} LinkShape
 * @typedef {import('../cluster/types.js').NodeInfo} NodeInfo
 *
 * @typedef {'none' | 'ssh' | 'ssh-C' | `zstd-${number}`} Tunnel
 *   none: plain, the replication stream as it is; ssh: encrypted, not compressed; ssh-C: `ssh -C`; zstd-N: a stream relay that compresses
 *   with Zstandard at level N
 *
 * @typedef {Object} PathOptions
 * @property {NodeInfo} replica who is to follow
 * @property {NodeInfo} primary whom; a replica when replicas are chained
 * @property {Tunnel} [tunnel] default `none`
 * @property {boolean} [shaped] its wire is going to be shaped; on Docker that takes Toxiproxy. Default false
 * @property {number} [restartAfterMs] what ends in the tunnel is started again so much later, as a supervisor does; default: nobody does
 * @property {(line: string) => void} [tell]
 * @property {AbortSignal} [signal]
 *
 * @typedef {Object} WireUse totals since the path was opened
 * @property {number} atMs on this process's monotonic clock
 * @property {number} toReplicaBytes on the wire, between both ends of the tunnel; of `none`, what the replica was sent
 * @property {number} toPrimaryBytes
 * @property {number | null} primaryEndCpuSeconds of all processes at the primary's end of the tunnel; null: there are none, or not known
 * @property {number | null} replicaEndCpuSeconds
 *
 * @typedef {Object} Path
 * @property {Address} address what the replica is told to follow
 * @property {string} by what carries and shapes it, for the report: “relay of this tool”, “Toxiproxy”, “ssh -C (OpenSSH 9.2)”
 * @property {'stream' | 'packets'} counts what the bytes on the wire are: payload of TCP, or packets with their headers,
 *   which inside one machine are few: a packet there may hold 64 KB
 * @property {(shape: LinkShape | null) => Promise<void>} shape of its wire, in force when it resolves; null: as fast as it is. Rejects
 *   unless it was opened `shaped`
 * @property {() => Promise<WireUse>} use
 * @property {() => Promise<void>} kill the tunnel, as a crash does (SIGKILL); with `restartAfterMs` it comes back
 * @property {() => number} restarts so often the supervisor has started it again since the path was opened
 * @property {() => Promise<void>} cut no more bytes pass and what is under way is lost; for good
 * @property {() => Promise<void>} close idempotent: nothing of it is left
 */

export {};
