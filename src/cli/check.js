/** `sentinel-bench check`: what an existing deployment can lose. It only reads. */
import { InvalidArgumentError } from 'commander';
import { evidence } from '../../bench/evidence.js';
import { openMetricsVerdict } from '../check/exports.js';
import { readAccepted, readSaved, readZones } from '../check/files.js';
import { judge } from '../check/judge.js';
import { placed, strangersIn } from '../check/machines.js';
import { readDeployments } from '../check/read.js';
import { changesSince, jsonVerdict, markdownVerdict, terminalVerdict } from '../check/render.js';
import { ExitStatus } from '../errors.js';
import { outputFile } from '../output-file.js';
import { collectAddresses, credentials } from './options.js';
import { print, printJson, tell } from './output.js';

/** @import { Address } from '../stacks/types.js' */

export const commands = {
  check: {
    run: check,
    readings: { 'host:port': { parse: collectAddresses }, masterName: { parse: collectNames } },
  },
};

/** @param {string} text @param {string[]} [earlier] */
function collectNames(text, earlier = []) {
  if (!/^\S{1,200}$/.test(text)) throw new InvalidArgumentError('It must be a name without spaces.');
  return [...earlier, text];
}

/** @param {Address[]} sentinels @param {Record<string, any>} options */
async function check(sentinels, { wait, cache, format, force = false, ...options }) {
  // Files are read before a server is asked.
  const zones = options.zones === undefined ? [] : await readZones(options.zones);
  const accepted = options.accept === undefined ? [] : await readAccepted(options.accept);
  const earlier = options.since === undefined ? null : await readSaved(options.since);
  const place = options.save === undefined ? null : await outputFile(options.save, { option: '--save', force });
  const deployments = await readDeployments(sentinels, {
    credentials: credentials(options),
    masterNames: options.masterName,
    onlyInfo: options.only === 'info',
    trace: options.trace ? tell : undefined,
  });
  for (const member of strangersIn(deployments, zones))
    tell(`No node and no Sentinel has the address ${member} of --zones.`);
  const now = new Date();
  const judgements = deployments.map((each) => judge(placed(each, zones), { wait, cache, accepted, evidence, now }));
  const document = jsonVerdict(judgements, { wait, now });
  await place?.write(`${JSON.stringify(document, null, 1)}\n`);
  if (format === 'json') printJson(document);
  else if (format === 'markdown') print(markdownVerdict(judgements, { wait }));
  else if (format === 'openmetrics') print(openMetricsVerdict(judgements).trimEnd());
  else print(terminalVerdict(judgements, { wait, width: process.stdout.columns }));
  if (earlier) for (const line of changesSince(earlier, judgements)) tell(line);
  if (judgements.some(({ findings }) => findings.some((each) => each.accepted === null)))
    process.exitCode = ExitStatus.checkFailed;
}
