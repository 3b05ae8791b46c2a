/**
 * A reporter for node:test that writes what `test/run.js` sums up: how many passed, which failed, which were skipped and why.
 * @param {AsyncIterable<{type: string, data: any}>} events
 */
export default async function* summary(events) {
  let pass = 0;
  /** @type {string[]} */
  const failed = [];
  /** @type {{name: string, reason: string}[]} */
  const skipped = [];
  for await (const { type, data } of events) {
    // A suite counts by its tests; one that is skipped has none.
    const isSuite = data?.details?.type === 'suite';
    if (type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed')
      failed.push(`${data.name} (${data.file})`);
    if (type !== 'test:pass') continue;
    if (data.skip !== undefined)
      skipped.push({ name: data.name, reason: data.skip === true ? 'no reason given' : data.skip });
    else if (!isSuite) pass++;
  }
  yield JSON.stringify({ pass, failed, skipped });
}
