/** How printed commands of redis-cli log in. */
import { PASSWORD_VARIABLE } from '../untrusted.js';

/** The options that say how to log in, and what redis-cli calls them. */
const OPTIONS = [
  ['user', '--user'],
  ['tlsCa', '--cacert'],
  ['tlsCert', '--cert'],
  ['tlsKey', '--key'],
  ['tlsServerName', '--sni'],
];

/**
 * @param {Record<string, any>} options as commander parsed them
 * @param {Readonly<Record<string, string | undefined>>} [environment] default: of this process
 * @returns {{login: string[], before: string[]}} login: words for each command; before: lines that come first. The password stays in the
 *   environment, because every user of the machine can read command lines
 */
export function redisCliLogin(options, environment = process.env) {
  const tls = ['tls', 'tlsCa', 'tlsCert', 'tlsKey', 'tlsServerName', 'tlsInsecure'].some((name) => options[name]);
  return {
    login: [
      ...(tls ? ['--tls'] : []),
      ...(options.tlsInsecure ? ['--insecure'] : []),
      ...OPTIONS.flatMap(([name, flag]) => (options[name] ? [`${flag} ${shellWord(options[name])}`] : [])),
    ],
    before: environment[PASSWORD_VARIABLE] ? [`export REDISCLI_AUTH="$${PASSWORD_VARIABLE}"`] : [],
  };
}

/** @param {string} text */
const shellWord = (text) => (/^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
