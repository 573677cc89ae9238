import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: the runner reads its configuration from the default export
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
