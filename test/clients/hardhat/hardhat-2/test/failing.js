const { ethers } = require('hardhat');

// Every test fails. A test compares the output of the runner in process and over HTTP.
describe('failures', () => {
  const AMOUNT = 1000n;
  // With an explicit limit, Hardhat sends without an estimate. An endless loop ends early.
  const LIMIT = { gasLimit: 1_000_000n };
  let failing;
  let Picky;

  before(async () => {
    const checks = await ethers.deployContract('Checks');
    failing = await ethers.deployContract('Failing', { libraries: { Checks: await checks.getAddress() } });
    Picky = await ethers.getContractFactory('Picky');
  });

  for (const name of [
    'panic',
    'customError',
    'reason',
    'fromLibrary',
    'fromConstructor',
    'fromHeir',
    'endless',
  ]) {
    it(`sends ${name}`, async () => {
      await (await failing[name](AMOUNT, LIMIT)).wait();
    });
    it(`calls ${name}`, async () => {
      await failing[name].staticCall(AMOUNT, LIMIT);
    });
    it(`estimates ${name}`, async () => {
      await failing[name].estimateGas(AMOUNT, LIMIT);
    });
  }

  const requests = {
    constructor: () => Picky.getDeployTransaction(AMOUNT),
    // The parameter is a uint8.
    narrow: async () => {
      const { selector } = failing.interface.getFunction('narrow');
      return { to: await failing.getAddress(), data: ethers.concat([selector, ethers.toBeHex(AMOUNT, 32)]) };
    },
  };
  for (const [name, request] of Object.entries(requests)) {
    it(`sends ${name}`, async () => {
      const [sender] = await ethers.getSigners();
      await (await sender.sendTransaction({ ...(await request()), ...LIMIT })).wait();
    });
    it(`calls ${name}`, async () => {
      await ethers.provider.call(await request());
    });
    it(`estimates ${name}`, async () => {
      await ethers.provider.estimateGas(await request());
    });
  }
});
