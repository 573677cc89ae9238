import { beforeAll, describe, expect, it } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { DEV_ACCOUNTS } from '../../support/dev-accounts.ts';
import { startNode } from '../../support/node-process.ts';
import { NETHEREUM } from './nethereum.ts';
import { APE, BROWNIE } from './python-frameworks.ts';
import { boxCreation, FAIL, replay, type Scene, send } from './replay.ts';
import { WEB3_PY } from './web3-py.ts';
import { WEB3J } from './web3j.ts';

const [from, to] = DEV_ACCOUNTS;

const RULES = [
  { hardfork: 'rootstock', compat: 'service' },
  { hardfork: 'rootstock', compat: 'anvil' },
  { hardfork: 'osaka', compat: 'anvil' },
] as const;

let start: Scene;

beforeAll(() => {
  start = { from: from.address, to: to.address, creation: boxCreation() };
});

describe.each([WEB3_PY, WEB3J, NETHEREUM, APE, BROWNIE])('a session of $name', (client) => {
  it.each(RULES)('passes its decoders under $hardfork with compat $compat', async (options) => {
    const node = await createNode(options);
    try {
      const { url } = await node.listen();
      await expect(replay(url, client, start)).resolves.toBeUndefined();
    } finally {
      await node.close();
    }
  });
});

describe.each([WEB3_PY, WEB3J, NETHEREUM])('an error for $name', (client) => {
  it('has HTTP status 200, the reason and the revert data', async () => {
    const node = await createNode({ hardfork: 'osaka', compat: 'anvil' });
    try {
      const { url } = await node.listen();
      const [sent] = [{ from: from.address, data: start.creation, gas: '0x6acfc' }];
      const { result: created } = await send(url, client, 'eth_sendTransaction', [sent]);
      const { result: receipt } = await send(url, client, 'eth_getTransactionReceipt', [created]);
      const { contractAddress: box } = receipt as { contractAddress: string };
      const { error } = await send(url, client, 'eth_call', [{ to: box, data: FAIL }, 'latest']);
      // web3.py looks for the text; web3j and Nethereum decode the data, which must be a string.
      expect(error?.message).toMatch(/^execution reverted/);
      expect(error?.data).toMatch(/^0x08c379a0/);
    } finally {
      await node.close();
    }
  });
});

it('supports traces in the check of Brownie, which sends no parameters', async () => {
  const node = await createNode({ compat: 'anvil' });
  try {
    const { url } = await node.listen();
    const { error } = await send(url, BROWNIE, 'debug_traceTransaction', []);
    expect(error?.code).not.toBe(-32601);
  } finally {
    await node.close();
  }
});

describe('the command line of', () => {
  it.each([
    [
      'Ape',
      [
        ...['--mnemonic', 'test test test test test test test test test test test junk', '--accounts', '10'],
        ...['--derivation-path', "m/44'/60'/0'/0", '--balance', '10000', '--steps-tracing'],
        ...['--block-base-fee-per-gas', '0', '--gas-price', '0'],
      ],
    ],
    ['Brownie', ['--quiet', '--gas-limit', '12000000', '--accounts', '10', '--block-base-fee-per-gas', '0']],
  ])('%s starts the node with the accounts of Anvil', async (_, options) => {
    const node = await startNode(...options);
    try {
      const { result } = await send(node.url, WEB3_PY, 'eth_accounts', []);
      expect(result).toHaveLength(10);
      expect((result as readonly string[])[0]).toBe(from.address.toLowerCase());
    } finally {
      await node.stop();
    }
  });
});
