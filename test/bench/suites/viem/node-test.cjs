if (process.env.SUITE_PLUGIN !== undefined) require('../../../../dist/runners/node-test.cjs').nodeCli();
