const { after, afterEach, before, beforeEach, describe, it } = require('node:test');
const { addTests } = require('./tokens.cjs');

addTests({ describe, it, before, after, beforeEach, afterEach });
