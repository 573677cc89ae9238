import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** The tests that need nginx, which `npm test` does without. */
const SCALE = 'test/scale/**/*.test.ts';

/** The tests that install packages of users' projects, which `npm test` does without. */
const EXAMPLES = 'test/examples/**/*.test.ts';

/** The tests of a mode that has its own; those of all others are `npm test`. */
const INCLUDED: Readonly<Record<string, string>> = { scale: SCALE, examples: EXAMPLES };

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [INCLUDED[mode] ?? 'test/**/*.test.ts'],
    exclude: mode in INCLUDED ? configDefaults.exclude : [...configDefaults.exclude, SCALE, EXAMPLES],
    // The mutation tests record which sources a test file runs.
    setupFiles: ['test/config/equal-bytes.ts', ...(mode === 'reach' ? ['test/mutation/reach-setup.ts'] : [])],
    pool: 'threads',
    // Nothing in src keeps state in a module, so that the test files of a thread can share the modules they import. To
    // import them anew for each file takes longer than most tests do.
    isolate: false,
    // Vitest leaves one processor to itself, which is half of a small machine, and needs little of it.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}));
