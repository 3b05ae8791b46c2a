/** The shape of a file of claims: what one article says, and which facts of a run show the same. docs/claims.md explains each field. */
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
  number: figure.optional(),
  none: figure.optional(),
  band: band.optional(),
  unit: z.enum(UNITS).optional(),
};

const measure = {
  where: Query,
  of: Query.optional(),
  over: Query.optional(),
  as: z.enum(['ratio', 'cost', 'difference']).optional(),
  apart: z.literal(true).optional(),
  outOf: z.string().optional(),
  each: z.enum(['all', 'some']).optional(),
  scale: figure.optional(),
  says: z.string().optional(),
  ...expected,
};

const Claim = z
  .strictObject({
    id: z.string().regex(/^[a-z]+(\.[a-z0-9-]+)$/),
    claim: z.string(),
    quote: z.string().max(200).optional(),
    figure: z.string().optional(),
    conditions: z.string().optional(),
    differs: z.string().optional(),
    ...expected,
    ways: z
      .array(z.strictObject({ by: z.string(), ...measure }))
      .min(2)
      .optional(),
    all: z.array(z.strictObject(measure)).min(1).optional(),
    cannotBeCompared: z.string().optional(),
    run: z.string().optional(),
  })
  .refine(({ ways, all }) => !(ways && all), 'a claim has ways or all, not both')
  .refine(
    ({ ways, all, cannotBeCompared }) => ways ?? all ?? cannotBeCompared,
    'a claim needs a query, or says why not',
  );

export const Article = z.strictObject({
  title: z.string(),
  common: z.unknown().optional(),
  claims: z.array(Claim).min(1),
});

/**
 * @typedef {z.infer<typeof Query>} Query
 * @typedef {z.infer<typeof Claim>} Claim
 * @typedef {NonNullable<Claim['all']>[number]} ClaimMeasure
 * @typedef {z.infer<typeof Article>} Article
 */
