import { SENTINEL_EVENTS } from '../../result/events.js';
import { askNode } from '../ask.js';
import { keepBusy, settled } from './background-work.js';
import { connectControl, isReplyError, loginFor } from './control.js';
import { whyNoFailover } from './no-failover.js';
import { toRecord } from './observe.js';
import { readNode } from './reader.js';
import { whyNotReady } from './readiness.js';
import { removeByPrefix, removeKeys, unlink } from './remove-keys.js';
import { watchSentinels } from './sentinel-events.js';
import { redisSettings } from './settings.js';
import { sampleCpu, sampleRemovals, sampleRoom, sampleState } from './usage.js';

/** @import { Control, System } from '../types.js' */

const DOWN_AFTER = 'down-after-milliseconds';
const WAIT_TIMEOUT_MS = 1000;

/** @type {System} */
export const redis = Object.freeze({
  name: 'redis',
  connect: (node, credentials, limits) => connectControl(node.address, loginFor(credentials, node.kind), limits),
  isReplyError,
  silentNodes: (snapshot) =>
    [...snapshot.redis, ...snapshot.sentinels].flatMap(({ id, error }) => (error === null ? [] : { id, error })),
  whyNotReady,
  configuration: async (control) => toRecord(await control.call('CONFIG', 'GET', '*')),
  settings: redisSettings,
  samples: { cpu: sampleCpu, state: sampleState, removals: sampleRemovals, room: sampleRoom },
  keys: { remove: removeKeys, removeByPrefix },
  read: readNode,
  failover: {
    watch: ({ nodes, access: { credentials } }, onEvent) =>
      watchSentinels({ nodes, credentials }, ({ at, sentinel, event, about }) => {
        const kind = SENTINEL_EVENTS.get(event);
        if (kind !== undefined) onEvent({ at, who: sentinel, kind, about });
      }),
    detectionSettings: (downAfterMs) => ({ [DOWN_AFTER]: String(downAfterMs) }),
    async downAfterMs(stack) {
      const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
      if (!sentinel) throw new Error('the stack has no Sentinel');
      const read = (/** @type {Control} */ control) => redisSettings.read(stack, sentinel, control, [DOWN_AFTER]);
      return Number((await askNode(stack, sentinel.id, read))[DOWN_AFTER]);
    },
    isReplica: async (control) => /** @type {string[]} */ (await control.call('ROLE'))[0] === 'slave',
    follow: (control, { host, port }) => control.call('REPLICAOF', host, port),
    async writeToReplica(control, key) {
      await control.call('SET', key, '1');
      return Number(await control.call('WAIT', 1, WAIT_TIMEOUT_MS)) >= 1;
    },
    whyNone: whyNoFailover,
    forget: (control, key) => unlink(control, [key]),
  },
  backgroundWork: { keepBusy, settled },
  writers: new URL('../../load/writers/index.js', import.meta.url).href,
});
