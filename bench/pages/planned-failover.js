/** A planned failover, as pages tell people to do it. */

/** @param {string} name of the primary, as the Sentinels know it @returns {string} for a shell, in a clone of this repository */
export function failoverCommand(name) {
  return `examples/planned-failover.sh --sentinel SENTINEL-HOST:26379 --name ${name}`;
}

/**
 * The failover without loss as a command.
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell: a comment, and the command on a line of its own, because some shells take what follows it for arguments
 */
export function failoverRunbook(name) {
  return `# In a clone of this repository. Fails over at once. Passwords are in REDISCLI_AUTH and SENTINEL_AUTH\n${failoverCommand(name)}`;
}

/**
 * That of Valkey 9.0 and later as a command.
 * @param {string} name of the primary, as the Sentinels know it
 * @returns {string} for a shell: a comment, and the command on a line of its own, because some shells take what follows it for arguments
 */
export function coordinatedCommand(name) {
  return `# Fails over at once: the primary holds writes and hands over by itself\nvalkey-cli -h SENTINEL-HOST -p 26379 SENTINEL FAILOVER ${name} COORDINATED`;
}
