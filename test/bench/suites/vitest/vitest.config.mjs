export default { test: { include: ['tokens.test.mjs'], pool: 'forks', maxWorkers: 1, testTimeout: 60_000 } };
