/** The names of drivers as writers of a trial: `driver.NAME`, `driver.NAME.VARIANT`. */
const PREFIX = 'driver.';
const DEFAULT_VARIANT = 'defaults';

/** @param {string} name of a driver @param {string} [variant] @returns {string} of its writer */
export function driverWriter(name, variant = DEFAULT_VARIANT) {
  return variant === DEFAULT_VARIANT ? `${PREFIX}${name}` : `${PREFIX}${name}.${variant}`;
}

/** @param {string} writer @returns {{driver: string, variant: string} | null} null: it is another kind of writer */
export function driverOf(writer) {
  if (!writer.startsWith(PREFIX)) return null;
  const [driver, variant = DEFAULT_VARIANT] = writer.slice(PREFIX.length).split('.');
  return { driver, variant };
}
