const { addTests } = require('./tokens.cjs');

addTests({ describe, it, before, after, beforeEach, afterEach });
