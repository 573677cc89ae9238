const { nodeCli } = require('../../../../dist/runners/jest.cjs');

module.exports = {
  ...(process.env.SUITE_PLUGIN !== undefined && nodeCli()),
  testMatch: ['**/tokens.jest.cjs'],
  testTimeout: 60_000,
  transform: {},
  maxWorkers: 1,
  // A cache of an earlier version would also be measured.
  cache: true,
};
