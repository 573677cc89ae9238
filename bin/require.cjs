'use strict';
/** Starts a chain in this process. */
exports.createNode = require('../dist/start.cjs').loadLibrary().createNode;
