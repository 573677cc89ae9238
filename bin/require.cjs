'use strict';
const { library } = require('./library.cjs');

/** Starts a chain in this process. Where the script of the library is not, it is loaded as modules when it is first needed. */
exports.createNode =
  library?.createNode ??
  async function createNode(options) {
    const modules = await import('../dist/index.js');
    return modules.createNode(options);
  };
