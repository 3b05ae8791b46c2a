/**
 * The shape of a file of claims: what one article says, and which facts of a run show the same. docs/claims.md explains each field.
 */
import { z } from 'zod';

const figure = z.number();
const band = z
  .strictObject({ least: figure.optional(), most: figure.optional() })
  .refine(({ least, most }) => least !== undefined || most !== undefined, 'a band needs least, most, or both');

/** Fields of facts and of their conditions. A list: any of them. null: the case does not set it. */
const Query = z.record(
  z.string(),
  z.union([z.string(), figure, z.boolean(), z.null(), z.array(z.union([z.string(), figure]))]),
);

/** How claims and answers write their figures. */
export const UNITS = /** @type {const} */ ([
  'share',
  'factor',
  'compression',
  's',
  'ms',
  'count',
  'rate',
  'bytes',
  'billed',
  'bits',
]);

/** What is expected of a figure. A part of a claim has its own, or that of its claim. */
const expected = {
  number: figure.optional().describe('theirs'),
  none: figure.optional().describe('the figure without any effect, such as 1 for a ratio'),
  band: band.optional().describe('figures that count as theirs; default: around number'),
  unit: z.enum(UNITS).optional(),
};

const measure = {
  where: Query.describe('of every fact below; a field for the variant that it leaves out must be empty'),
  of: Query.optional(),
  over: Query.optional().describe('the figure is that of `of` over this'),
  as: z.enum(['ratio', 'cost', 'difference']).optional().describe('how `of` and `over` are compared; default: ratio'),
  apart: z.literal(true).optional().describe('rounds of both sides did not take turns'),
  outOf: z.string().optional().describe('a metric: the figure is a sum, and this is what it is a part of'),
  each: z.enum(['all', 'some']).optional().describe('trials: each must be in the band, or at least one'),
  scale: figure.optional().describe('the figure is multiplied by this'),
  says: z.string().optional().describe('the text around {value}, {of} and {over}'),
  ...expected,
};

const Measure = z.strictObject(measure);

const Claim = z
  .strictObject({
    id: z.string().regex(/^[a-z]+(\.[a-z0-9-]+)$/),
    claim: z.string().describe('one sentence in our words, without its full stop'),
    quote: z.string().max(200).optional().describe('the words of the article that it rests on'),
    figure: z.string().optional().describe('theirs, as readers see it'),
    conditions: z.string().optional().describe('theirs'),
    differs: z.string().optional().describe('how ours differ, whatever run'),
    ...expected,
    ways: z
      .array(z.strictObject({ by: z.string(), ...measure }))
      .min(2)
      .optional()
      .describe('the article names none of them; the first is the closest'),
    all: z.array(Measure).min(1).optional().describe('each must hold'),
    cannotBeCompared: z.string().optional().describe('why'),
    run: z.string().optional().describe('what measures it; default: the benchmark of its first query'),
  })
  .refine(({ ways, all }) => !(ways && all), 'a claim has ways or all, not both')
  .refine(
    ({ ways, all, cannotBeCompared }) => ways ?? all ?? cannotBeCompared,
    'a claim needs a query, or says why not',
  );

export const Article = z.strictObject({
  title: z.string(),
  common: z.unknown().optional().describe('texts and queries that claims repeat'),
  claims: z.array(Claim).min(1),
});

/**
 * @typedef {z.infer<typeof Query>} Query
 * @typedef {z.infer<typeof Measure>} ClaimMeasure
 * @typedef {z.infer<typeof Claim>} Claim
 * @typedef {z.infer<typeof Article>} Article
 */
