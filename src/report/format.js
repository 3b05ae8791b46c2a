/**
 * Numbers as people read them, for pages: the same as everywhere.
 */
export * from '../format.js';
