/**
 * The names of writers that live in a group of the network: `kind@place`.
 */

/**
 * @param {string} name such as `native@minority`, or a kind of writer alone
 * @returns {{kind: string, place?: string}} place: the client of the network that the writer is; absent: it reaches everybody
 */
export function placedWriter(name) {
  const [kind, place] = name.split('@');
  return place === undefined ? { kind } : { kind, place };
}
