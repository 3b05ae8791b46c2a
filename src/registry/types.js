/**
 * What the lists of this folder hold: data, which reports can read. What needs a library or a server is loaded when it is used.
 * @typedef {Object} Look how something is drawn in every chart
 * @property {'grey' | 'sky' | 'blue' | 'orange' | 'red' | 'green' | 'purple' | 'olive'} colour a name of the palette
 * @property {'circle' | 'rect' | 'triangle' | 'diamond'} [symbol] default: circle
 * @property {'solid' | 'dashed' | 'dotted'} [dash] default: solid
 * @typedef {Object} WriterKind what writes in a trial
 * @property {string} name in results and in the parameters of a case; fits `NAME` of src/result/ranges.js, without an `@`
 * @property {string} title in reports @property {Look} style
 * @property {boolean} appends it writes with APPEND, so that a write that was applied twice shows in its value; false: each write has a
 *   key of its own and is never repeated
 * @property {string} create URL of a module. The thread of the writers loads it and calls its `createWriter(plan, trial, options)`, a
 *   {@link import('../load/writers/index.js').CreateWriter}
 * @property {Readonly<Record<string, unknown>>} [options] for `createWriter`; structured-cloneable
 * @property {string} client what it writes through: `native`, or a library. Writers of one client write side by side
 * @property {Variant} [variant] how it differs from the defaults of its library
 * @typedef {Object} Variant
 * @property {string} word that marks it in titles and notes
 * @property {string} how for a sentence: such as ``with `failoverDetector: true` ``
 * @property {string} what for a list: such as `` `failoverDetector: true` ``
 * @property {boolean} confirms it promises that each acknowledged write was confirmed by the WAIT that followed it
 * @typedef {Object} ClientKind what makes the load of a round: a client in the load thread (`connect`), or a program (`program`)
 * @property {string} name in results and for `--client` @property {string} title in reports @property {Look} style
 * @property {'redis' | 'mariadb'} system the database that it speaks to
 * @property {boolean} library it shows what an application gets, and not the server alone
 * @property {() => string} [version] for results; absent: that of this tool, or unknown
 * @property {string} [connect] URL of the module of a client in the load thread; it exports `client`, a
 *   {@link import('../clients/types.js').Client}
 * @property {string} [program] URL of the module that starts a program and reads its output; it exports `program`, a
 *   {@link import('../load/types.js').Program}
 * @property {number} [catchUpSeconds] how long replicas may take to apply what was written; default: as long as a load thread takes to begin
 * @property {number} [firstKey] the lowest key number that it writes; default: 0
 */

export {};
