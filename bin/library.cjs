'use strict';
const { join } = require('node:path');
const { loadLibrary } = require('./load-script.cjs');

/** The library, of which modules of both kinds share one copy; `null` where a bundler has put this file elsewhere. */
exports.library = loadLibrary(join(__dirname, '../dist/cli/main.js'));
