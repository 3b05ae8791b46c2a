/**
 * For tests only: commands that separate hosts by a table of nftables, as a user of an existing deployment could.
 */
import { programPath, SYSTEM_FOLDERS } from '../../../programs.js';
import { firewallTables } from '../../network/firewall-fixture.js';

/**
 * @returns {{commands: {divide: string, unite: string}, tables: () => string[]}} tables: of nftables that the commands have made and not removed
 */
export function groupCommands() {
  // Debian keeps it out of the PATH of users.
  const nft = programPath('nft', SYSTEM_FOLDERS);
  const name = `groups_test_${process.pid}`;
  const block = (/** @type {string} */ from, /** @type {string} */ to) =>
    `add rule ip ${name} side ip saddr { $${from} } ip daddr { $${to} } drop;`;
  const divide = [
    `${nft} "add table ip ${name}; add chain ip ${name} side { type filter hook input priority -300; }; flush chain ip ${name} side;`,
    block('1', '2'),
    '"',
    `&& { [ -n "$SENTINEL_BENCH_ONE_WAY" ] || ${nft} "${block('2', '1')}"; }`,
  ].join(' ');
  return {
    commands: { divide, unite: `${nft} "add table ip ${name}; delete table ip ${name}"` },
    tables: () => firewallTables().filter((each) => each === name),
  };
}
