/** What a container has used, as `docker stats` counts. */
/** @import { Used } from '../host.js' */
/** @import { Engine } from './engine.js' */
import { sum } from '../../../stats/statistics.js';
import { NS_A_SECOND } from '../../../units.js';

/** @param {Engine} engine @param {string} container @returns {Promise<Partial<Used>>} empty: it has just ended */
export async function usageIn(engine, container) {
  // One shot takes up to a second; otherwise the engine would look twice, a second apart.
  const stats = await engine.getContainer(container).stats({ stream: false, 'one-shot': true });
  if (!stats.pids_stats?.current) return {};
  const networks = Object.values(stats.networks ?? {});
  const blocks = stats.blkio_stats?.io_service_bytes_recursive ?? [];
  /** @param {string} operation */
  const blockBytes = (operation) => sum(blocks.map(({ op, value }) => (op.toLowerCase() === operation ? value : 0)));
  const { usage, stats: details } = stats.memory_stats;
  return {
    cpuSeconds: stats.cpu_stats.cpu_usage.total_usage / NS_A_SECOND,
    memoryBytes: usage - (details?.total_inactive_file ?? details?.inactive_file ?? 0),
    networkInBytes: sum(networks.map(({ rx_bytes }) => rx_bytes)),
    networkOutBytes: sum(networks.map(({ tx_bytes }) => tx_bytes)),
    blockInBytes: blockBytes('read'),
    blockOutBytes: blockBytes('write'),
    pids: stats.pids_stats.current,
  };
}
