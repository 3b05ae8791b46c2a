/** @import { Snapshot } from './redis/observe.js' */

/**
 * The words every backend speaks. Types only.
 *
 * @typedef {{host: string, port: number}} Address
 *
 * @typedef {'redis' | 'sentinel'} NodeKind
 *
 * @typedef {Object} NodeInfo
 * @property {string} id `redis-1` … `redis-3`, `sentinel-1` … `sentinel-3`
 * @property {NodeKind} kind
 * @property {Address} address where this process reaches the node
 * @property {Address} announced what its peers and the Sentinels call it
 *
 * @typedef {'pause' | 'resume' | 'stop' | 'start' | 'kill' | 'cut' | 'isolate' | 'join'} Action
 *   pause/resume: the process hangs, its sockets stay open; stop: SIGTERM; kill: SIGKILL;
 *   start: after stop or kill; cut: a network partition: no traffic with its peers, clients still reach it; isolate: no traffic at all;
 *   join: undoes cut and isolate
 *
 * @typedef {'pause' | 'stop' | 'kill' | 'cut' | 'isolate' | 'slow-link' | 'failover' | 'configure' | 'stats' | 'logs'} Ability
 *   failover: SENTINEL FAILOVER on a healthy stack; for an existing deployment that is a fault like any other
 *
 * @typedef {Object} LinkShape how a link between two nodes is slowed
 * @property {number} latencyMs added to a round trip, half of it in each direction; ≥ 0
 * @property {number} [jitterMs] each direction's share varies by up to this, either way; the order of bytes stays; default 0
 * @property {number} [bytesPerSecond] in each direction; default: no limit
 *
 * @typedef {Object} ResourceSample one node, now; counters are totals since the node started
 * @property {string} id
 * @property {number} cpuSeconds CPU time used
 * @property {number} memoryBytes
 * @property {number} networkInBytes
 * @property {number} networkOutBytes
 * @property {number} blockInBytes read from block devices
 * @property {number} blockOutBytes written to block devices
 * @property {number} pids
 *
 * @typedef {Object} Credentials what it takes to log in; never printed, never stored
 * @property {string} [username]
 * @property {string} [password]
 * @property {string} [sentinelUsername]
 * @property {string} [sentinelPassword]
 * @property {TlsOptions} [tls] present when connections are encrypted
 *
 * @typedef {Object} TlsOptions file contents are read once, by the command line
 * @property {string} [ca] PEM
 * @property {string} [cert] PEM
 * @property {string} [key] PEM
 * @property {string} [serverName]
 * @property {boolean} [insecure] do not verify the server's certificate
 *
 * @typedef {'docker' | 'local' | 'external'} BackendName
 *
 * @typedef {Object} ClusterOptions
 * @property {BackendName | 'auto'} backend
 * @property {string} [server] local backend: the server to run, a name on PATH or a path
 * @property {string} [image] docker backend: the image to run
 * @property {Address[]} [sentinels] external backend: Sentinels to ask
 * @property {string} [masterName] what the Sentinels call the primary; default `mymaster`
 * @property {Credentials} [credentials]
 * @property {boolean} [links] the nodes' links with each other are to be cut and slowed: `local` then puts a relay between
 *   them, which clients do not pass
 * @property {Readonly<Record<string, string>>} [settings] docker and local: of every Redis node from its start on, instead of those of
 *   conf/redis.conf; for what CONFIG SET cannot change. Not with a stack that is up already
 * @property {string} [dataDir] docker and local: an existing directory; the Redis nodes keep their files in a new folder in it,
 *   which is removed with the stack
 * @property {Partial<Record<Action, string>>} [commands] external backend: the shell command that does what an action says;
 *   `$SENTINEL_BENCH_ID`, `$SENTINEL_BENCH_HOST` and `$SENTINEL_BENCH_PORT` are the node's, as are `{id}`, `{host}` and `{port}`
 * @property {string} [command] the command line, without secrets: shown to a run that finds the stack in use
 * @property {boolean} [detached] the stack outlives this process (`up`)
 * @property {(line: string) => void} [tell] reports each step in one plain line
 * @property {AbortSignal} [signal] abandon starting; what was started is taken down before the promise rejects
 *
 * @typedef {Object} NodeFiles what Redis nodes keep in their directories
 * @property {(id: string, name: string) => Promise<boolean>} has a file or folder of that name, directly in the node's directory
 * @property {(id: string, name: string) => Promise<void>} remove with all that is in it; idempotent
 *
 * @typedef {Object} Cluster a running stack
 * @property {BackendName} backend
 * @property {string} identity the same for the same stack in every process, different for any other; not for the result
 * @property {string} why one sentence: why this backend (recorded in the result)
 * @property {boolean} ours started by this process: `close` takes it down; else `close` leaves it running
 * @property {{name: string, version: string | null}} server `redis` or `valkey`, as the primary's INFO says; version null: it does not
 * @property {string} path how clients reach the nodes: `loopback`, `container address`, `published port`, `as announced`
 * @property {string} masterName
 * @property {Credentials} credentials
 * @property {readonly NodeInfo[]} nodes
 * @property {ReadonlySet<Ability>} can
 * @property {() => Promise<NodeInfo>} primary asked of the Sentinels, never assumed
 * @property {() => Promise<NodeInfo[]>} replicas the other Redis nodes that follow the primary now
 * @property {() => Promise<Snapshot>} observe what every node says now; never rejects, never hangs
 * @property {(announced: Address) => Address} reach where this process reaches what Sentinels call `announced`
 * @property {(id: string, action: Action) => Promise<void>} act
 * @property {(shape: LinkShape | null, id?: string) => Promise<void>} slow the links between all nodes, or on top of that those
 *   of one node with its peers; null: as fast as they are. Needs the ability `slow-link`
 * @property {() => Promise<void>} heal idempotent: every node runs, none is paused or cut, no link is slowed, roles agreed,
 *   replicas in sync
 * @property {() => Promise<ResourceSample[]>} stats
 * @property {(id: string, lines: number) => Promise<string[]>} logs the node's last log lines
 * @property {NodeFiles} [files] docker and local; the files of a deployment that exists are not ours
 * @property {() => Promise<void>} close idempotent: releases what this process holds; takes the stack down when it is `ours`
 * @property {() => Promise<void>} down idempotent: takes the stack down, also if another process started it; refused by `external`
 */

export {};
