/**
 * The part of a server's configuration that may be published.
 */

const SECRET = /pass|auth|secret|^(master|primary)user$/;
/** What says where the server is or what it is called. */
const PLACE = /announce|bind|^(replica|slave)of$|^availability-zone$|^syslog-ident$|^proc-title-template$/;
const PATH = /file$|dir$|^unixsocket/;

/** A path in a value whose name nobody thought of: a slash at the start of a word. */
const ABSOLUTE_PATH = /(^|[\s"'=,:])(\/|[A-Za-z]:\\)/;
const IPV4 = /\b\d{1,3}(\.\d{1,3}){3}\b/;
const IPV6 = /([0-9a-f]*:){2,}[0-9a-f]*/i;

/**
 * Leaves out secrets, paths, addresses and names of hosts: by the name of the setting, and, for settings that are not
 * known yet, by what the value looks like.
 *
 * @param {Readonly<Record<string, string>>} config as CONFIG GET * gives it
 * @returns {Record<string, string>} sorted by name
 */
export function publicConfig(config) {
  return Object.fromEntries(
    Object.entries(config)
      .filter(
        ([name, value]) =>
          ![SECRET, PLACE, PATH].some((pattern) => pattern.test(name.toLowerCase())) && isPublic(value),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** @param {string} value */
function isPublic(value) {
  return ![ABSOLUTE_PATH, IPV4, IPV6].some((pattern) => pattern.test(value));
}
