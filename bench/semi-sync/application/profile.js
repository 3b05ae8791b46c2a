/** Of the row of a person. */
export const PROFILE_BYTES = 256;
