/** Files that the user gives or keeps: zones, accepted findings, a saved check. YAML or JSON, read strictly. */
import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { badInput, codeOf, messageOf } from '../errors.js';
import { FINDINGS } from './findings/index.js';

/** @typedef {readonly {name: string, members: readonly string[]}[]} Zones members: hosts, or `host:port` */

const MOST_BYTES = 4 * 2 ** 20;

const Zones = z
  .record(z.string().min(1).max(100), z.array(z.string().min(1).max(300)).min(1))
  .transform((zones) => Object.entries(zones).map(([name, members]) => ({ name, members })));

const Accepted = z
  .array(
    z.strictObject({
      id: z.string().refine((id) => FINDINGS.some((each) => each.id === id), 'there is no finding with this id'),
      reason: z.string().min(1).max(500),
      until: z.iso.date('a date such as 2027-01-31').optional(),
    }),
  )
  .max(1000);

const Saved = z.object({
  version: z.literal(1),
  deployments: z.array(
    z.object({
      masterName: z.string(),
      findings: z.array(z.object({ id: z.string(), text: z.string(), severity: z.string() })),
    }),
  ),
});

/** @typedef {z.infer<typeof Accepted>[number]} Acceptance */
/** @typedef {z.infer<typeof Saved>} SavedCheck */

/** @param {string} file @returns {Promise<Zones>} */
export const readZones = (file) =>
  read(file, Zones, { option: '--zones', example: 'rack-a: [10.0.0.1, 10.0.0.2:6379]' });
/** @param {string} file @returns {Promise<Acceptance[]>} */
export const readAccepted = (file) =>
  read(file, Accepted, { option: '--accept', example: '- { id: power-loses, reason: a cache, until: 2027-01-31 }' });
/** @param {string} file @returns {Promise<SavedCheck>} */
export const readSaved = (file) => read(file, Saved, { option: '--since', example: 'a file that --save has written' });

/** @template T @param {string} file @param {z.ZodType<T>} schema @param {{option: string, example: string}} naming */
async function read(file, schema, { option, example }) {
  const remedy = `Name a YAML or JSON file with ${option}, such as: ${example}.`;
  let document;
  try {
    if ((await stat(file)).size > MOST_BYTES) throw new Error('it is larger than 4 MiB');
    // Aliases can make a small file a huge document.
    document = parse(await readFile(file, 'utf8'), { maxAliasCount: 0 });
  } catch (error) {
    const why = /** @type {NodeJS.ErrnoException} */ (error).syscall ? codeOf(error) : messageOf(error).split('\n')[0];
    throw badInput(`The file ${file} cannot be read (${why}).`, remedy);
  }
  const { success, data, error } = schema.safeParse(document);
  if (success) return data;
  const [{ path, message }] = error.issues;
  const why = [path.join('.'), message].filter(Boolean).join(': ');
  throw badInput(`The file ${file} is not what ${option} needs: ${why}.`, remedy);
}
