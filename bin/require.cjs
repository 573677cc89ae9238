'use strict';

/** The library for `require`: it is an ES module, and is loaded as one when it is first needed. */
exports.createNode = async function createNode(options) {
  const library = await import('../dist/index.js');
  return library.createNode(options);
};
