'use strict';
const { join } = require('node:path');
const { loadLibrary } = require('./load-script.cjs');

/** The library, shared by ES and CommonJS modules; `null` if a bundler has moved this file. */
exports.library = loadLibrary(join(__dirname, '../dist/cli/main.js'));
