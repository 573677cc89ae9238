/** The length of a time slice, in milliseconds. */
export const SLICE_MILLISECONDS = 4;
