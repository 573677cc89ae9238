const { nodeCli } = require('../../../../dist/runners/mocha.cjs');

module.exports = { ...(process.env.SUITE_PLUGIN !== undefined && nodeCli()), timeout: 60_000 };
