import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** What needs nginx, which `npm test` does without. */
const SCALE = 'test/scale/**/*.test.ts';

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: mode === 'scale' ? [SCALE] : ['test/**/*.test.ts'],
    exclude: mode === 'scale' ? configDefaults.exclude : [...configDefaults.exclude, SCALE],
    pool: 'threads',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}));
