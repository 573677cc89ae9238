import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Tests that need nginx, buildah or packages of users' projects, which `npm test` excludes. Each is a mode.
 */
const APART: Readonly<Record<string, string>> = {
  scale: 'test/scale/**/*.test.ts',
  container: 'test/container/**/*.test.ts',
  examples: 'test/examples/**/*.test.ts',
};

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [APART[mode] ?? 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode in APART ? [] : Object.values(APART))],
    // The mutation tests record which sources a test file runs.
    setupFiles: [
      'test/config/equal-bytes.ts',
      'test/config/seeded-properties.ts',
      ...(mode === 'reach' ? ['test/mutation/reach-setup.ts'] : []),
    ],
    pool: 'threads',
    // Modules in src keep no state, so test files of a thread can share them. A fresh import per file would
    // take longer than most tests.
    isolate: false,
    // Vitest reserves one processor for itself, which is half of a small machine, but needs little of it.
    maxWorkers: availableParallelism(),
    // Examples run concurrently, each in its own processes.
    ...(mode === 'examples' && { maxConcurrency: availableParallelism() }),
    // The limit ends a test that hangs. A busy machine takes minutes for some tests, so that no test has its own lower limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
}));
