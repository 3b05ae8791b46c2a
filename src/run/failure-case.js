/**
 * Making the cases of a failure benchmark.
 */
import { DEFAULT_PARAMS } from './case.js';
import { isPossible, LEVELS } from './levels.js';

/**
 * @typedef {import('./levels.js').LevelName} LevelName
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('../client/types.js').ClientName} ClientName
 */

/** Enough that one slow answer does not hold up the rest; few enough that a stall shows at once. */
const CONNECTIONS = 10;
/** Writes that an application may have under way at once through a library's one connection. */
const LIBRARY_CONCURRENCY = 10;
/** A write each 5 ms: an application, not a load generator. */
const LIBRARY_RATE = 200;

/** @type {readonly LevelName[]} */
const USUAL_LEVELS = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'];

/** Both kinds of writer of our own write side by side, each to keys of its own. */
const OWN_WRITERS = ['stays', 'follows'];

/**
 * @param {Pick<import('./types.js').CaseOptions, 'profile' | 'client' | 'server'>} options
 * @param {Object} wanted
 * @param {readonly LevelName[]} wanted.levels of our own writers; those that the server does not know are left out
 * @param {boolean} [wanted.everyLevel] the larger profiles measure all the usual levels as well; default false
 * @param {readonly LevelName[]} [wanted.libraries] levels with which the libraries' Sentinel clients write; default: none
 * @param {string} [wanted.variant] what is done differently in these cases
 * @param {Record<string, string>} [wanted.settings] of every Redis node, beside the level's
 * @param {number} [wanted.connections] of each of our own writers
 * @returns {Case[]}
 */
export function failureCases(
  { profile, client, server },
  { levels, everyLevel = false, libraries = [], variant, settings, connections },
) {
  const usual = everyLevel && profile.name !== 'quick' ? USUAL_LEVELS : [];
  const own = [...new Set([...levels, ...usual])]
    .filter((level) => isPossible(level, server))
    .map((level) =>
      makeFailureCase(level, {
        variant,
        settings,
        connections,
        writers: OWN_WRITERS,
        client: 'native',
        rate: profile.writesPerSecond,
      }),
    );
  const theirs = /** @type {ClientName[]} */ (['redis', 'ioredis']).flatMap((name) =>
    libraries.map((level) =>
      makeFailureCase(level, { variant, settings, writers: [name], client: name, rate: LIBRARY_RATE }),
    ),
  );
  return [...own, ...theirs].filter(({ params }) => client === undefined || params.client === client);
}

/**
 * @param {LevelName} name
 * @param {{variant?: string, settings?: Record<string, string>, connections?: number, writers: string[], client: ClientName, rate: number}} how
 * @returns {Case}
 */
function makeFailureCase(name, { variant, settings, connections = CONNECTIONS, writers, client, rate }) {
  const level = LEVELS[name];
  const own = client === 'native';
  return {
    id: [name, ...(variant ? [variant] : []), ...(own ? [] : [client])].join('-'),
    params: {
      ...DEFAULT_PARAMS,
      client,
      wait: level.wait,
      ...(level.waitLocal !== undefined && { waitLocal: level.waitLocal }),
      // An application awaits its write before it asks for the WAIT.
      habit: own ? 'one-flush' : 'awaited',
      connections: own ? connections : LIBRARY_CONCURRENCY,
      rate,
      level: name,
      ...(variant && { variant }),
      writers,
      settings: { ...level.settings, ...settings },
    },
  };
}
