/** A reporter that ends the process at the first test that failed: the defect is noticed. */

/** @param {AsyncIterable<{type: string}>} events */
export default async function* stopAtFailure(events) {
  for await (const { type } of events) if (type === 'test:fail') process.exit(1);
  yield '';
}
