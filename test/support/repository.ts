import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
