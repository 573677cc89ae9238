const { nodeCli } = await import('../../../../dist/runners/vitest.js');

export default {
  plugins: process.env.SUITE_PLUGIN === undefined ? [] : [nodeCli()],
  test: { include: ['tokens.vitest.mjs'], pool: 'forks', maxWorkers: 1, testTimeout: 60_000 },
};
