// The effects of flags that scripts for Anvil pass.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { DEV_ACCOUNTS, FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { answerAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readOptions } from './support/read-options.ts';
import { refusal, type StartedNode, start } from './support/started-node.ts';

const SECOND_ACCOUNT = DEV_ACCOUNTS[1].address;
const STRANGER = `0x${'a1'.repeat(20)}`;
/** Returns NUMBER. */
const NUMBER_CODE = '0x4360005260206000f3';
const GWEI = 10n ** 9n;

const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;

interface Block {
  readonly number: string;
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly transactions: readonly string[];
}

async function blockAt({ call }: StartedNode, block: string): Promise<Block> {
  return (await call('eth_getBlockByNumber', block, false)) as Block;
}

function transfer(fields: object = {}) {
  return { from: FIRST_ACCOUNT, to: SECOND_ACCOUNT, value: '0x1', gas: '0x5208', ...fields };
}

describe('--number', () => {
  it('sets the number of the genesis block, which code and logs follow', async () => {
    const node = await start(['--number', '4242']);
    const { call } = node;
    expect(await call('eth_blockNumber')).toBe(quantity(4242));
    expect(await blockAt(node, 'earliest')).toMatchObject({ number: quantity(4242) });
    expect(await call('eth_getBlockByNumber', '0x0', false)).toMatchObject({ result: null });
    expect(BigInt((await call('eth_call', { data: NUMBER_CODE }, 'pending')) as string)).toBe(4243n);
    const hash = await call('eth_sendTransaction', transfer());
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: quantity(4243) });
    await call('hardhat_reset');
    expect(await call('eth_blockNumber')).toBe(quantity(4242));
  });

  it('allows blocks above the highest number', async () => {
    const { call } = await start(['--number', String(2 ** 47)]);
    await call('evm_mine');
    await call('hardhat_mine', quantity(1_000));
    expect(await call('eth_blockNumber')).toBe(quantity(2 ** 47 + 1_001));
    expect(() => readOptions(['--number', String(2 ** 47 + 1)], {})).toThrow('from 0 to 140737488355328');
  });

  it('applies to lanes with their own rules', async () => {
    const { call, url } = await start(['--number', '7', '--lanes']);
    await call('evm_mine');
    await call('lane_create', { key: 'own', hardfork: 'prague' });
    expect((await answerAt(`${url}/own`, 'eth_blockNumber', [])).result).toBe('0x7');
    expect((await answerAt(`${url}/other`, 'eth_blockNumber', [])).result).toBe('0x8');
  });

  it('is part of a data directory and of a dump', async () => {
    const folder = await temporaryDirectory();
    const directory = ['--data-dir', join(folder, 'data')];
    const dump = join(folder, 'chain.json');
    const first = await start([...directory, '--number', '7', '--dump-state', dump]);
    await first.call('evm_mine');
    await first.end();
    const again = await start([...directory, '--number', '7']);
    expect(await again.call('eth_blockNumber')).toBe('0x8');
    await again.end();
    expect(await refusal([...directory])).toContain('the option --number');
    const loaded = await start(['--load-state', dump]);
    expect(await loaded.call('eth_blockNumber')).toBe('0x8');
  });

  it.each([
    [['--init', 'a.json'], 'because the file sets the number of the genesis block'],
    [['--state', 'a.json'], 'because the file contains the genesis block'],
    [['--load-state', 'a.json'], 'because the file contains the genesis block'],
    [['--fork-url', 'http://a.b'], 'because a fork starts after a block of the forked chain'],
  ])('cannot be used with %j', (others, reason) => {
    expect(() => readOptions(['--number', '7', ...others], {})).toThrow(reason);
  });

  it('is an option of createNode', async () => {
    const node = await createNode({ number: 1_000, hardfork: 'prague' });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x3e8');
    await node.close();
  });
});

describe('--disable-block-gas-limit', () => {
  it.each(['--disable-block-gas-limit', '--disable-gas-limit'])(
    '%s allows blocks of any gas',
    async (flag) => {
      for (const hardfork of ['rootstock', 'prague', 'osaka']) {
        const node = await start([
          flag,
          '--hardfork',
          hardfork,
          '--tx-gas-limit',
          'none',
          '--balance',
          '1000000',
        ]);
        const { call } = node;
        const gas = quantity(10n ** 12n);
        const hash = await call('eth_sendTransaction', transfer({ gas, gasPrice: quantity(2n * GWEI) }));
        expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
        expect((await blockAt(node, 'latest')).gasLimit).toBe(quantity(Number.MAX_SAFE_INTEGER));
        expect(await call('eth_estimateGas', transfer({ gas: undefined }))).toBe('0x5208');
      }
    },
  );

  it('keeps the limit of transactions of osaka, and the limit of calls', async () => {
    const { call } = await start(['--disable-block-gas-limit', '--hardfork', 'osaka']);
    expect(await call('eth_sendTransaction', transfer({ gas: quantity(2 ** 24 + 1) }))).toMatchObject({
      error: { message: expect.stringContaining('--tx-gas-limit') },
    });
    // An endless loop.
    const endless = await call('eth_call', { data: '0x5b600056' }, 'latest');
    expect(endless).toMatchObject({ error: { message: expect.stringContaining('1073741824') } });
  });

  it('wins over the limits of hardforks and networks, and conflicts with --gas-limit', () => {
    const unlimited = { gasLimit: BigInt(Number.MAX_SAFE_INTEGER) };
    for (const others of [
      ['--chain', 'testnet'],
      ['--hardfork', 'osaka'],
    ])
      expect(readOptions(['--disable-gas-limit', ...others], {})).toMatchObject(unlimited);
    expect(() => readOptions(['--disable-gas-limit', '--gas-limit', '30000000'], {})).toThrow('--gas-limit');
  });
});

describe('--disable-pool-balance-checks', () => {
  it('keeps a transaction in the pool until its sender can pay', async () => {
    const node = await start(['--disable-pool-balance-checks', '--auto-impersonate', '--hardfork', 'prague']);
    const { call } = node;
    const hash = await call('eth_sendTransaction', transfer({ from: STRANGER, value: quantity(10n ** 18n) }));
    expect(hash).toMatch(/^0x/);
    expect(await call('txpool_status')).toEqual({ pending: 1, queued: 0 });
    await call('evm_mine');
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ result: null });
    await call('eth_sendTransaction', transfer({ to: STRANGER, value: quantity(2n * 10n ** 18n) }));
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('mines a payment and the spending of it in one block', async () => {
    const node = await start([
      '--disable-pool-balance-checks',
      '--auto-impersonate',
      '--no-mining',
      '--hardfork',
      'prague',
    ]);
    const { call } = node;
    const price = (gwei: bigint) => ({ gasPrice: quantity(gwei * GWEI) });
    const value = quantity(10n ** 18n);
    await call('eth_sendTransaction', transfer({ from: STRANGER, ...price(2n), value }));
    await call(
      'eth_sendTransaction',
      transfer({ to: STRANGER, value: quantity(2n * 10n ** 18n), ...price(9n) }),
    );
    await call('evm_mine');
    expect((await blockAt(node, 'latest')).transactions).toHaveLength(2);
  });

  it('is off by default', async () => {
    const { call } = await start(['--auto-impersonate', '--hardfork', 'prague']);
    expect(await call('eth_sendTransaction', transfer({ from: STRANGER }))).toMatchObject({
      error: { code: -32010 },
    });
  });
});

describe('--disable-min-priority-fee', () => {
  it.each(['--disable-min-priority-fee', '--no-priority-fee'])(
    '%s suggests the base fee alone',
    async (flag) => {
      for (const [options, tip] of [
        [[], GWEI],
        [[flag], 0n],
      ] as const) {
        const { call } = await start(['--hardfork', 'prague', '--base-fee', '800', ...options]);
        const baseFee = BigInt((await call('eth_baseFee')) as string);
        const price = BigInt((await call('eth_gasPrice')) as string);
        expect(BigInt((await call('eth_maxPriorityFeePerGas')) as string)).toBe(tip);
        // The price is never below the base fee of the head.
        expect(price).toBe(tip === 0n ? 800n : baseFee + tip);
        const hash = await call('eth_sendTransaction', transfer());
        expect(await call('eth_getTransactionByHash', hash)).toMatchObject({
          maxPriorityFeePerGas: quantity(tip),
        });
      }
    },
  );
});

describe('--max-transactions', () => {
  it('limits the transactions of mined blocks and of the pending block', async () => {
    const node = await start(['--max-transactions', '2', '--no-mining']);
    const { call } = node;
    for (let nonce = 0; nonce < 5; nonce++)
      await call('eth_sendTransaction', transfer({ nonce: quantity(nonce) }));
    expect(await call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2');
    await call('evm_mine');
    expect((await blockAt(node, 'latest')).transactions).toHaveLength(2);
    expect(await call('txpool_status')).toMatchObject({ pending: 3 });
    await call('evm_setAutomine', true);
    expect(await call('txpool_status')).toMatchObject({ pending: 0 });
    expect(await call('eth_blockNumber')).toBe('0x3');
  });

  it('is an option of createNode', async () => {
    const node = await createNode({ maxTransactions: 1, noMining: true });
    for (const nonce of ['0x0', '0x1'])
      await node.request({ method: 'eth_sendTransaction', params: [transfer({ nonce })] });
    await node.request({ method: 'anvil_mine' });
    expect(await node.request({ method: 'eth_getBlockTransactionCountByNumber', params: ['latest'] })).toBe(
      '0x1',
    );
    await node.close();
  });
});

describe('--memory-limit', () => {
  /** Writes a byte at 8 MiB. */
  const data = '0x600162800000 53'.replace(' ', '');
  const call8 = (node: StartedNode) => node.call('eth_call', { data, gas: quantity(10n ** 9n) }, 'latest');

  it.each(['wasm', 'reference'])('lowers the memory of an execution on the engine %s', async (engine) => {
    expect(await call8(await start(['--engine', engine]))).toBe('0x');
    expect(await call8(await start(['--engine', engine, '--memory-limit', '4194304']))).toMatchObject({
      error: { message: expect.stringContaining('out of memory') },
    });
  });

  it('does not raise the memory of an execution, and reports it', async () => {
    const node = await start(['--memory-limit', '4294967296']);
    expect(node.host.written.output + node.host.written.errors).toContain(
      '--memory-limit: the limit stays at 402653184 bytes, the maximum',
    );
    // A byte at 32 MiB
    const beyond = { data: '0x60016302000000 53'.replace(' ', ''), gas: quantity(10n ** 10n) };
    expect(await node.call('eth_call', beyond, 'latest')).toMatchObject({ error: expect.anything() });
  });
});

describe('--no-request-size-limit', () => {
  it('accepts requests above the default limit', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_chainId',
      params: [],
      padding: 'a'.repeat(11 * 2 ** 20),
    });
    const headers = { 'content-type': 'application/json' };
    const statuses: number[] = [];
    for (const options of [[], ['--no-request-size-limit']]) {
      const { url } = await start(options);
      statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
    }
    expect(statuses).toEqual([413, 200]);
  });
});

describe('--no-cors', () => {
  it('rejects pages of other origins, also on this machine', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    for (const [options, status] of [
      [[], 200],
      [['--no-cors'], 403],
    ] as const) {
      const { url } = await start(options);
      const post = (origin: string) =>
        fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', origin }, body });
      const response = await post('http://localhost:3000');
      expect(response.status).toBe(status);
      if (status === 403) {
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
        expect(await response.text()).toContain('is not allowed; replace --no-cors with --allow-origin');
      }
      // The explorer
      expect((await post(url)).status).toBe(200);
    }
  });
});

describe('--color', () => {
  it.each([
    [[], true, {}, true],
    [[], false, {}, false],
    [['--color', 'auto'], true, {}, true],
    [['--color', 'always'], false, {}, true],
    [['--color', 'always'], true, { NO_COLOR: '1' }, true],
    [['--color', 'never'], true, {}, false],
    [['--no-color'], true, {}, false],
  ] as const)('%j on a terminal (%s) with %j: %s', async (options, isTerminal, environment, colored) => {
    const { host } = await start(options, { isTerminal, environment });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(/\u001b\[\d+m/.test(host.written.output)).toBe(colored);
    expect(host.written.output.includes('\u001b[1A')).toBe(false);
  });
});

describe('--enable-trace-printing', () => {
  it.each(['--enable-trace-printing', '--print-traces'])(
    '%s prints the calls of transactions',
    async (flag) => {
      const { call, host, end } = await start([flag]);
      await call('eth_sendTransaction', { from: FIRST_ACCOUNT, data: '0x60006000f3', gas: '0x30d40' });
      await end();
      expect(host.written.output).toMatch(/ {2}new 0x[0-9a-f]{40} 6 gas/);
    },
  );
});
