const { addTests } = require('./tokens.cjs');

// viem encodes with the TextEncoder of the environment.
addTests({ describe, it, before: beforeAll, after: afterAll, beforeEach, afterEach });
