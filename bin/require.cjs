'use strict';
const { library } = require('./library.cjs');

/** Starts a chain in this process. Without the library's script, loads the modules on first use. */
exports.createNode =
  library?.createNode ??
  async function createNode(options) {
    const modules = await import('../dist/index.js');
    return modules.createNode(options);
  };
