/** Makes everything that a client does dial from a chosen address: no library has an option for all of its connections. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';

/** The address for what runs now, and for all that it begins: timers, promises and sockets. @type {AsyncLocalStorage<string>} */
const here = new AsyncLocalStorage();

let watching = false;

/** @template T @param {string | undefined} address of this machine; undefined: the system chooses @param {() => T} work @returns {T} */
export function dialFrom(address, work) {
  if (address === undefined) return work();
  watch();
  return here.run(address, work);
}

/** Only a thread with such a client needs it. */
function watch() {
  if (watching) return;
  watching = true;
  const { connect } = Socket.prototype;
  /** @this {Socket} @param {any[]} args */
  const connectFromHere = function (...args) {
    const localAddress = here.getStore();
    // `net.connect` passes its arguments as one list.
    const options = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (localAddress !== undefined && typeof options === 'object' && options !== null && options.path === undefined) {
      options.localAddress ??= localAddress;
    }
    return Reflect.apply(connect, this, args);
  };
  Socket.prototype.connect = /** @type {typeof connect} */ (connectFromHere);
}
