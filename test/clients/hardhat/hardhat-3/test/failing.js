import { before, describe, it } from 'node:test';
import { artifacts, network } from 'hardhat';
import { concat, encodeDeployData, numberToHex, toFunctionSelector } from 'viem';

// Every test fails. A test compares the output of the runner in process and over HTTP.
describe('failures', async () => {
  const ARGUMENTS = [1000n];
  // With an explicit limit, viem sends without an estimate. An endless loop ends early.
  const LIMIT = { gas: 1_000_000n };
  const { viem } = await network.create();
  const reader = await viem.getPublicClient();
  const [sender] = await viem.getWalletClients();
  let failing;
  let requests;

  before(async () => {
    const checks = await viem.deployContract('Checks');
    failing = await viem.deployContract('Failing', [], { libraries: { Checks: checks.address } });
    const { abi, bytecode } = await artifacts.readArtifact('Picky');
    const selector = toFunctionSelector('narrow(uint8)');
    const [amount] = ARGUMENTS;
    requests = {
      constructor: { data: encodeDeployData({ abi, bytecode, args: ARGUMENTS }) },
      narrow: { to: failing.address, data: concat([selector, numberToHex(amount, { size: 32 })]) },
    };
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
      await failing.write[name](ARGUMENTS, LIMIT);
    });
    it(`calls ${name}`, async () => {
      await failing.simulate[name](ARGUMENTS, LIMIT);
    });
    it(`estimates ${name}`, async () => {
      await failing.estimateGas[name](ARGUMENTS, LIMIT);
    });
  }

  for (const name of ['constructor', 'narrow']) {
    it(`sends ${name}`, async () => {
      await sender.sendTransaction({ ...requests[name], ...LIMIT });
    });
    it(`calls ${name}`, async () => {
      await reader.call({ ...requests[name], account: sender.account });
    });
    it(`estimates ${name}`, async () => {
      await reader.estimateGas({ ...requests[name], account: sender.account });
    });
  }
});
