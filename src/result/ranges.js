/**
 * Ranges of the figures in our documents: above all that a run can measure, and nothing computed from them is infinite or takes for ever.
 */
import { z } from 'zod';

/** 9 petabytes, and 104 days in nanoseconds. Whole numbers are exact up to here. */
const MOST = Number.MAX_SAFE_INTEGER;
/** 30 years in milliseconds. */
const MOST_MS = 1e12;

/** How many, or how many bytes. */
export const count = z.number().int().min(0).max(MOST);
/** How many of what a person chose: rounds, threads, replicas. */
export const positiveCount = z.number().int().min(1).max(1e6);
/** A time, a rate or a ratio, which may be 0. */
export const amount = z.number().min(0).max(MOST);
/** The same, but not 0: what others are divided by. */
export const positiveAmount = z.number().min(1e-9).max(MOST);
/** A time, a rate or a difference, which may be negative. */
export const signed = z.number().min(-MOST).max(MOST);
/** Before or after the beginning of a trial. */
export const milliseconds = z.number().min(-MOST_MS).max(MOST_MS);
/** A part of a whole. */
export const share = z.number().min(0).max(1);

/** Such as `native`, `sticky@minority` or `driver:redis-py/defaults`: fit for a key, and for a file name once it is escaped. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,79}$/;
/** Of what writes: clients of rounds and writers of trials. The set is open: a result may name what this version does not know. */
export const Name = z.string().regex(NAME);

/** @template T @template {string} Field @param {T} range @param {...Field} names @returns {Record<Field, T>} fields of one range */
export function fields(range, ...names) {
  return /** @type {Record<Field, T>} */ (Object.fromEntries(names.map((name) => [name, range])));
}
