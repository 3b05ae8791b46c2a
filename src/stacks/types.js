/**
 * The contract of stacks: what every backend and every system offers to the engine. Types only.
 * @import { KeysToRead, NodeReading } from '../audit/value.js'
 * @import { ClientName, Target } from '../clients/types.js'
 * @import { UndoStep } from '../faults/types.js'
 * @import { CounterTotals } from '../measure/nodes.js'
 * @import { EventKind } from '../result/events.js'
 * @import { TrialEvent } from '../result/failure-schema.js'
 * @import { Disturbing, GroupAction, Undoing } from './actions.js'
 * @import { Network } from './network/network.js'
 * @import { Snapshot } from './redis/observe.js'
 * @typedef {{host: string, port: number}} Address
 * @typedef {'redis' | 'sentinel' | 'mariadb'} NodeKind
 * @typedef {'redis' | 'mariadb'} SystemName
 * @typedef {'docker' | 'local' | 'external'} BackendName
 * @typedef {{name: string, version: string | null}} ServerFacts version null: the server does not say it
 * @typedef {{id: string, kind: NodeKind, address: Address, announced: Address}} NodeInfo id: `redis-1`, `sentinel-1`, `mariadb-1` and so
 *   on; address: where this process reaches the node; announced: what its peers and the Sentinels call it
 * @typedef {{id: string, kind: 'redis' | 'sentinel', address: Address, why: string, names?: Address}} LeftOut a node of an existing deployment
 *   that its Sentinels know and that cannot be used. why: as the end of a sentence; names: the primary of a Sentinel that contradicts the majority
 * @typedef {Disturbing | Undoing | 'power-loss'} Action pause/resume: the process hangs, its sockets stay open; stop: SIGTERM; kill:
 *   SIGKILL; lose: the machine is gone, and so is all that it had sent and its peers had not received; power-loss: SIGKILL, and the cache
 *   of the node's disk is lost; start: after stop, kill, lose or power-loss; partition: no traffic with its peers, clients still reach it;
 *   isolate: no traffic at all; join: undoes partition and isolate
 * @typedef {Disturbing | 'power-loss' | 'group-partition' | 'sentinel-partition' | 'blocking-command' | 'narrow-link' | 'slow-link' | 'slow-all'
 *   | 'failover' | 'coordinated-failover' | 'configure' | 'stats' | 'logs' | 'virtual-address'} Ability
 *   blocking-command: a node may be kept busy by one long command; an existing deployment may not;
 *   narrow-link: the links of one node with its peers, or all links, can be limited to a number of bytes a second; slow-link: and be delayed;
 *   virtual-address: its primary has one more address, which moves with the role;
 *   group-partition: its network can be divided into groups of nodes and clients;
 *   sentinel-partition: deployments by agents only: Sentinels can be separated from a server on their own machine;
 *   failover: SENTINEL FAILOVER on a healthy stack; for an existing deployment that is a fault like any other;
 *   coordinated-failover: the Sentinels know its argument COORDINATED (Valkey 9.0 and later)
 *
 * @typedef {Object} LinkShape how a link between two nodes is slowed
 * @property {number} latencyMs added to a round trip, half of it in each direction; ≥ 0
 * @property {number} [jitterMs] each direction's share varies by up to this, either way; the order of bytes stays; default 0
 * @property {number} [bytesPerSecond] in each direction; default: no limit
 * @typedef {{id: string, cpuSeconds: number, memoryBytes: number, networkInBytes: number, networkOutBytes: number, blockInBytes: number,
 *   blockOutBytes: number, pids: number}} ResourceSample one node, now; counters are totals since the node started; block: of block devices
 * @typedef {{username?: string, password?: string, sentinelUsername?: string, sentinelPassword?: string, tls?: TlsOptions}} Credentials
 *   never printed, never stored; tls: present when connections are encrypted
 * @typedef {{ca?: string, cert?: string, key?: string, serverName?: string, insecure?: boolean}} TlsOptions ca, cert, key: PEM, read
 *   once, by the command line; insecure: do not verify the server's certificate
 * @typedef {{id: string, name: string, version: string, path: string}} NamedServer one of several servers of a run; id: such as
 *   `redis-8.0.2`, fit for a file name; path: absolute; docker backend: the image
 * @typedef {OpenOptions & HostOptions & DatabaseOptions & NetworkOptions & ExistingOptions} StackOptions by who uses them
 *
 * @typedef {Object} OpenOptions of every stack
 * @property {BackendName | 'auto'} backend
 * @property {SystemName} [system] the database to start; default: redis
 * @property {string} [command] the command line, without secrets: shown to a run that finds the stack in use
 * @property {(line: string) => void} [tell] reports each step in one plain line
 * @property {AbortSignal} [signal] abandon starting; what was started is taken down before the promise rejects
 *
 * @typedef {Object} HostOptions where `docker` and `local` run the nodes, and where these keep their files
 * @property {string} [server] local: the server to run, a name on PATH or a path
 * @property {string} [image] docker: the image to run
 * @property {readonly NamedServer[]} [servers] that cases may name; a node of a local stack of ours may change to one
 * @property {boolean} [detached] the stack outlives this process (`up`)
 * @property {string} [dataDir] an existing directory; the Redis nodes keep their files in a new folder in it, which is removed with the
 *   stack
 * @property {string} [replicaDataDir] local, with `dataDir`: the same for the nodes that begin as replicas, instead of it
 * @property {readonly string[]} [volatileDisks] not `detached`: ids of data nodes with a disk of their own, whose power can be cut
 *   (`power-loss`)
 *
 * @typedef {Object} DatabaseOptions what the nodes of `docker` and `local` are
 * @property {Readonly<Record<string, string>>} [settings] of every Redis node from its start on, instead of those of conf/redis.conf; for
 *   what CONFIG SET cannot change. Not with a stack that is up already
 * @property {number} [replicas] Redis nodes beside the first primary: 1, 2 or 4; default 2. Not together with `shards`
 * @property {number} [sentinelCount] 3 or 5; default 3
 * @property {true} [shards] not `detached`: the Redis nodes form a Redis Cluster of three primaries; no Sentinel starts
 *
 * @typedef {Object} NetworkOptions what lies between the nodes of `docker` and `local`
 * @property {boolean} [links] the nodes' links with each other are to be slowed: `local` then puts a relay between them, which can
 *   partition them, too, and `docker` Toxiproxy. Clients pass neither
 * @property {boolean} [network] every node has an address of its own, and groups of nodes and clients can be separated
 *   (`group-partition`). Not together with `links` or `shards`
 * @property {boolean} [hosts] local: the nodes run on hosts made of network namespaces, each with one Redis node and one Sentinel. Needs
 *   root. It has a network of groups, and no `links` or `shards`
 * @property {boolean} [virtualAddress] with `hosts`: its primary has a virtual address (`virtual-address`)
 * @property {string} [neighbour] with `hosts`: identity of other hosts, which reach the stack and are reached by it
 *
 * @typedef {Object} ExistingOptions of deployments that are there, or that agents start
 * @property {Address[]} [sentinels] to ask
 * @property {string} [masterName] what the Sentinels call the primary; default `mymaster`
 * @property {Credentials} [credentials]
 * @property {string} [keyPrefix] what the names of our keys begin with, for users who may use no others
 * @property {Partial<Record<Action | GroupAction, string>>} [commands] the shell command that does what an action says;
 *   `$SENTINEL_BENCH_ID`, `$SENTINEL_BENCH_HOST` and `$SENTINEL_BENCH_PORT` are the node's
 * @property {readonly 'failover'[]} [allow] what may be done to the deployment without a command for it
 * @property {OpenFaults} [faults] what else injects faults, beside the commands
 * @property {boolean} [onAgents] agents start the nodes for this run
 * @property {Deployed} [deployed] what agents started, so no Sentinel is asked
 * @typedef {{nodes: readonly NodeInfo[], identity: string, can: readonly Ability[], server: ServerFacts, rebuild: (id: string) => Promise<void>}}
 *   Deployed nodes that agents started. can: beside faults; rebuild: MariaDB: the node begins again with an empty database
 *
 * @typedef {Object} NodeFiles what Redis nodes keep in their directories
 * @property {(id: string, name: string) => Promise<boolean>} has a file or folder of that name, directly in the node's directory
 * @property {(id: string, name: string) => Promise<void>} remove with all that is in it; idempotent
 *
 * @typedef {Object} MemoryLimit a limit for single nodes of a stack that is ours. It is in no journal: it goes with the stack
 * @property {string} by what is limited, for the report
 * @property {() => Promise<string | null>} whyNot why memory cannot be limited here, and the remedy, in two sentences; null: it can
 * @property {(id: string, moreBytes: number) => Promise<void>} set the node may take so much more than now, or it ends
 * @property {(id: string) => Promise<void>} lift idempotent; also of a node that has ended
 *
 * @typedef {Object} FaultProvider injects faults into an existing deployment
 * @property {readonly Ability[]} abilities
 * @property {NodeHost['act']} act
 * @property {Network} [network]
 * @property {(shape: LinkShape | null, id?: string, dials?: boolean) => Promise<void>} [slow] as `StackNetwork.slow`; dials: the node
 *   connects to others itself, as a replica does
 * @property {() => AbortSignal} [lost] aborted when it is lost
 * @property {() => Promise<void>} undo what this process did and did not undo yet
 * @typedef {(nodes: readonly NodeInfo[], tell: (line: string) => void) => Promise<FaultProvider>} OpenFaults
 *
 * @typedef {Object} Stack a running stack
 * @property {StackFacts} about
 * @property {Access} access
 * @property {readonly NodeInfo[]} nodes
 * @property {ReadonlySet<Ability>} can
 * @property {Database} database
 * @property {NodeHost} host
 * @property {StackNetwork} network
 * @property {() => Promise<void>} heal idempotent: every node runs, no link is slowed or cut, roles agreed, replicas in sync
 * @property {() => Promise<void>} close idempotent: releases what this process holds; takes the stack down when it is `ours`
 * @property {() => Promise<void>} down idempotent: takes the stack down, also if another process started it; refused by `external`
 * @typedef {Pick<Stack, 'about' | 'nodes' | 'host' | 'network'> & {can: readonly Ability[], revive: () => Promise<void>,
 *   remove: () => Promise<void>}} Backend all of a stack but its database: what runs its nodes, and what lies between them. revive:
 *   idempotent: every node runs, none is paused or partitioned, no link is slowed; remove: see `Stack.down`
 *
 * @typedef {Object} StackFacts what does not change while the stack runs
 * @property {BackendName} backend
 * @property {string} identity the same for the same stack in every process, different for any other; not for the result
 * @property {string} why one sentence: why this backend (recorded in the result)
 * @property {boolean} ours started by this process: `close` takes it down; else `close` leaves it running
 * @property {ServerFacts} server
 * @property {string} path how clients reach the nodes, such as `loopback`
 * @property {boolean} [inMemory] local stacks: the files of its nodes are in memory; default: not, or not known
 * @property {readonly LeftOut[]} [leftOut] external: what the Sentinels know and this stack leaves out
 * @property {string} [whyNotConfigure] external: why it lacks `configure`, and what to allow, in two sentences
 * @property {true} [endsWithRun] agents started its nodes, and end them before they start others, and when the run ends
 *
 * @typedef {Object} Access what clients need beside the addresses of the nodes
 * @property {string} masterName
 * @property {Credentials} credentials
 * @property {string} [keyPrefix] what the names of our keys begin with, before their namespace; default: nothing
 * @property {Address} [virtualAddress] of its primary, whichever node that is (`virtual-address`)
 * @typedef {System & Roles} Database the database that runs on the nodes
 * @typedef {Object} Roles
 * @property {() => Promise<NodeInfo>} primary asked of the Sentinels, never assumed
 * @property {() => Promise<NodeInfo[]>} replicas the other Redis nodes that follow the primary now
 * @property {() => Promise<Snapshot>} observe what every node says now; never rejects, never hangs
 *
 * @typedef {Object} NodeHost what runs the nodes
 * @property {(id: string, action: Action) => Promise<void>} act
 * @property {() => Promise<ResourceSample[]>} stats
 * @property {(id: string, lines: number) => Promise<string[]>} logs the node's last log lines
 * @property {(id: string, server: string) => void} [changeServer] local stacks of ours: the node runs the server of that id, one of
 *   `HostOptions.servers`, from its next start on
 * @property {MemoryLimit} [memoryLimit] local
 * @property {NodeFiles} [files] docker and local; the files of an existing deployment are not ours
 * @property {() => AbortSignal} [faultsLost] aborted when who injects its faults is lost: the trial is invalid
 *
 * @typedef {Object} StackNetwork what lies between the nodes
 * @property {(shape: LinkShape | null, id?: string) => Promise<void>} slow the links between all nodes, or on top of that those of one
 *   node with its peers; null: as fast as they are. Needs the ability `slow-all`, or for one node `slow-link`, of which `narrow-link` is
 *   enough for a limit of bytes
 * @property {Network | null} groups null: it cannot be divided into groups
 *
 * @typedef {Object} System the database under test: everything that depends on it and that `run`, `audit`, `faults` or `measure` needs
 * @property {string} name such as `redis`
 * @property {(node: NodeInfo, credentials: Credentials, limits?: {timeoutMs?: number}) => Promise<Control>} connect
 * @property {(error: unknown) => error is Error} isReplyError false: the connection failed
 * @property {(snapshot: Snapshot) => {id: string, error: string}[]} silentNodes the nodes that did not answer
 * @property {(snapshot: Snapshot) => string[]} whyNotReady empty: the stack is well
 * @property {(control: Control) => Promise<Record<string, string>>} configuration every setting of a node, secrets included
 * @property {SettingsOf} settings
 * @property {SamplesOf} samples
 * @property {KeysOf} keys
 * @property {(target: Target, keys: KeysToRead & {signal?: AbortSignal}) => Promise<NodeReading>} read what a node holds of one writer
 * @property {FailoverOf} failover
 * @property {Pick<typeof import('./redis/background-work.js'), 'keepBusy' | 'settled'>} [backgroundWork]
 * @property {ClientName} [client] loads data sets; default: native
 * @property {string} writers URL of the module of the writers of trials: `createWriter` and `openReader`, see `src/load/writers/index.js`
 *
 * @typedef {Object} Control a connection for few commands, each answered soon or not at all. Nothing is retried
 * @property {(command: string, ...args: (string | number)[]) => Promise<unknown>} call a command in the system's language; rejects on an
 *   error reply, a lost connection, or no reply in time
 * @property {(...sections: string[]) => Promise<Record<string, string>>} info what the node says about its state, flat
 * @property {() => boolean} lost the connection is gone
 * @property {() => void} close idempotent; what is under way rejects
 * @typedef {Readonly<Record<string, string>>} Settings name → value, in the node's spelling
 *
 * @typedef {Object} SettingsOf reading and changing the settings of one node
 * @property {readonly string[]} barred settings, in lower case, that decide who may log in: they are never changed
 * @property {(settings: Settings) => number} timeoutMs how long connecting and each command may take when these are changed
 * @property {(stack: Stack, node: NodeInfo, control: Control, names: string[]) => Promise<Partial<Record<string, string>>>} read those it knows
 * @property {(stack: Stack, node: NodeInfo, control: Control, name: string, value: string) => Promise<void>} write resolves when the
 *   value is in force
 * @property {(stack: Stack, node: NodeInfo, control: Control, former: Record<string, string>) => Promise<UndoStep>} undoStep what puts
 *   the former values back, before they are changed
 * @property {(stack: Stack, step: SettingsStep) => Promise<void>} restore does such a step; again does no harm
 * @property {(values: Settings) => Record<string, string>} [ownOf] of all settings in force those that change what a failure costs
 * @property {(control: Control) => Promise<unknown>} persist the settings in force survive a restart of the node
 * @property {(stack: Stack, controls: Iterable<Pick<Control, 'call'>>) => Promise<(settings: Settings) => boolean>} mayChange false:
 *   changing these would destroy data of somebody else's deployment
 * @typedef {Extract<UndoStep, {kind: 'config' | 'sentinel' | 'settings'}>} SettingsStep
 *
 * @typedef {Object} SamplesOf what a node uses
 * @property {(control: Pick<Control, 'info'>) => Promise<{cpuSeconds: number | null, mainThreadCpuSeconds: number | null}>} cpu totals of
 *   the process, and of the thread that executes commands; null: not known
 * @property {(control: Pick<Control, 'info'>) => Promise<{runId: string, memoryBytes: number | null, counters: CounterTotals | null}>}
 *   state runId: changes with a restart; memoryBytes: resident
 * @property {(control: Pick<Control, 'info'>) => Promise<RemovalCounters>} [removals] of systems that remove keys by themselves
 * @property {(control: Pick<Control, 'info'>) => Promise<MemoryRoom>} [room]
 * @typedef {{runId: string, evicted: number | null, expired: number | null, flushes: number, expiring: number}} RemovalCounters what one
 *   process of a node has removed by itself since it started, in keys; null: not counted; flushes: commands that emptied a database;
 *   expiring: keys that have a TTL now
 * @typedef {{maxBytes: number, usedBytes: number, policy: string}} MemoryRoom `maxmemory` (0: no limit), what counts towards it, and its
 *   policy
 * @typedef {{prefix: string, count: number, starts?: number[]}} Keys `prefix` and a number from 0 to `count - 1`, as `keyName` puts them
 *   together; starts: `count` numbers from each of these on
 * @typedef {{signal?: AbortSignal, onRemoved?: (keys: number) => void}} Removal signal: ends it after the command under way; it rejects
 *   with the reason; onRemoved: told how many more were removed
 *
 * @typedef {Object} KeysOf removing keys that we wrote. Both resolve to the number of keys that were there
 * @property {(primary: Pick<Control, 'call'>, keys: Keys, options?: Removal) => Promise<number>} remove
 * @property {(primary: Pick<Control, 'call'>, prefix: string, options?: Removal) => Promise<number>} removeByPrefix for when nobody knows
 *   any more which keys were written
 * @typedef {{at: number, who: string, kind: EventKind, about: string}} StackEvent something that a node said about a failover; at:
 *   `clockMs()` of its arrival; about: id of the node that it is about, or its address when it is not part of the stack; empty: about no
 *   node
 *
 * @typedef {Object} FailoverOf how the system detects a failure and promotes a replica
 * @property {(stack: Stack, onEvent: (event: StackEvent) => void) => Promise<{close: () => void}>} watch resolves when it listens to all
 * @property {(downAfterMs: number) => Record<string, string>} detectionSettings of the Sentinels
 * @property {(stack: Stack) => Promise<number>} downAfterMs how long a node is silent before it is called down
 * @property {(control: Control) => Promise<boolean>} isReplica
 * @property {(control: Control, primary: Address) => Promise<unknown>} follow makes the node a replica of the primary
 * @property {(control: Control, key: string) => Promise<boolean>} writeToReplica false: no replica had the key in time
 * @property {(control: Control, key: string) => Promise<unknown>} forget that key
 * @property {(stack: Stack, trial: {events: readonly TrialEvent[], seconds: number}) => Promise<string[]>} [whyNone] why no replica was
 *   promoted in a trial that began so many seconds ago, in sentences
 * @property {(stack: Stack, id: string) => Promise<void>} [promote] of systems without Sentinels: the harness decides when this node
 *   becomes the primary
 */

export {};
