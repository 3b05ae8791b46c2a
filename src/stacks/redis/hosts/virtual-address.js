/** One more address of the primary. After a failover each Sentinel's `client-reconfig-script` gives it to its host, or takes it away. */
/** @import { Ability, Address } from '../../types.js' */
/** @import { StackRecord } from '../../hosts/local/record.js' */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../private-files.js';
import { programPath, SYSTEM_FOLDERS } from '../../../programs.js';
import { identityOf } from '../../hosts/local/record.js';
import { giveAddress, INTERFACE, PREFIX_LENGTH, whyNoNamespaces } from '../../network/namespaces.js';
import { confWord, fillIn } from '../conf.js';
import { MASTER_NAME } from '../topology.js';

/** @type {readonly Ability[]} */
export const VIRTUAL_ADDRESS_ABILITIES = ['virtual-address'];

const NUMBER = 250;
/** It announces the address to others' caches. */
const ANNOUNCER = 'busybox';

/** @returns why a stack here cannot have one, and the remedy, without a full stop; null: it can */
export async function whyNoVirtualAddress() {
  if (programPath(ANNOUNCER) === null)
    return 'there is no busybox, whose arping tells where an address is, so install it';
  const folder = temporaryFolder();
  // A Sentinel does not quote the path of a script when it rewrites its file.
  if (confWord(folder) !== folder)
    return `a Sentinel cannot keep the path of a script in ${folder}, so set TMPDIR to a path of letters and digits`;
  return whyNoNamespaces();
}

/** @param {StackRecord} record of a stack on hosts @returns {Address} */
export function virtualAddressOf({ net, nodes: [first] }) {
  return Object.freeze({ host: `${net}.${NUMBER}`, port: first.port });
}

/** Before the Sentinels start. @param {StackRecord} record */
export async function placeVirtualAddress(record) {
  const { host } = virtualAddressOf(record);
  const script = fillIn(readFileSync(new URL('move-address.sh', import.meta.url), 'utf8'), {
    HOST: host,
    INTERFACE,
    PREFIX_LENGTH,
    IP: programPath('ip', SYSTEM_FOLDERS) ?? 'ip',
    ANNOUNCER: programPath(ANNOUNCER) ?? ANNOUNCER,
  });
  writeFileSync(scriptOf(record), script);
  chmodSync(scriptOf(record), 0o700);
  await giveAddress(identityOf(record), 0, host);
}

/** @param {StackRecord} record @returns none: its stack has no such address */
export function sentinelLines(record) {
  return record.virtual ? [`sentinel client-reconfig-script ${MASTER_NAME} ${confWord(scriptOf(record))}`] : [];
}

const scriptOf = (/** @type {StackRecord} */ { folder }) => join(folder, 'move-address');
