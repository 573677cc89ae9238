import library from './require.cjs';

/** Starts a chain in this process. */
export const { createNode } = library;
