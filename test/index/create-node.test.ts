import { once } from 'node:events';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/config/errors.ts';
import {
  type ConsoleLog,
  createNode,
  type ForkOptions,
  type ListenOptions,
  type LocalNode,
  type LocalNodeOptions,
  type RequestArguments,
} from '../../src/index.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { FIRST_ACCOUNT, SECOND_ACCOUNT } from '../support/dev-accounts.ts';
import { deployedAt, TALKER_BYTECODE, talkerCall } from '../support/talker.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './started-node.ts';

const HARDFORKS = [...RULE_SET_NAMES, 'latest'].join(', ');

/** Starts a node with options that the types do not allow, as plain JavaScript can. Returns the error. */
async function refusal(options: unknown): Promise<unknown> {
  return start(options as LocalNodeOptions).then(
    () => 'it started',
    (error: unknown) => error,
  );
}

async function head(node: LocalNode): Promise<unknown> {
  return node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
}

describe('LocalNode.request', () => {
  it('request returns a new copy of the logs each time, so that the caller may change them', async () => {
    const node = await start();
    // LOG0 without data.
    await node.request({ method: 'hardhat_setCode', params: [SECOND_ACCOUNT, '0x5f5fa000'] });
    const sent = { from: FIRST_ACCOUNT, to: SECOND_ACCOUNT };
    const transactionHash = await node.request({ method: 'eth_sendTransaction', params: [sent] });
    for (let time = 0; time < 2; time++) {
      const logs = (await node.request({ method: 'eth_getLogs', params: [{}] })) as unknown[];
      expect(logs).toEqual([
        expect.objectContaining({ address: SECOND_ACCOUNT, transactionHash, data: '0x' }),
      ]);
      expect(Array.isArray(logs)).toBe(true);
      logs.length = 0;
    }
  });
});

it('createNode runs the newest hardfork of Ethereum with the hardfork "latest"', async () => {
  const node = await createNode({ hardfork: 'latest' });
  const { current } = (await node.request({ method: 'eth_config', params: [] })) as {
    current: { precompiles: Record<string, string> };
  };
  expect(current.precompiles).toHaveProperty('P256VERIFY');
  await node.close();
});

describe('options of createNode', () => {
  it('createNode starts without any options', async () => {
    const node = await start();
    expect(await node.request({ method: 'eth_chainId' })).toBe('0x21');
  });

  it.each([[30_000_000], [30_000_000n], ['30000000']])(
    'gasLimit accepts a number, a bigint or a string: %s',
    async (gasLimit) => {
      expect(await head(await start({ gasLimit }))).toMatchObject({ gasLimit: '0x1c9c380' });
    },
  );

  it.each([[1.5], ['1.5']])('balance accepts %j in ether, as the command line does', async (balance) => {
    const node = await start({ balance });
    const params = [FIRST_ACCOUNT, 'latest'];
    expect(await node.request({ method: 'eth_getBalance', params })).toBe('0x14d1120d7b160000');
  });

  it('chain accepts the name of a network, also together with networkLimits', async () => {
    const node = await start({ chain: 'testnet', networkLimits: true, minGasPriceTarget: 61_000_000 });
    expect(await node.request({ method: 'net_version' })).toBe('31');
    expect(await head(node)).toMatchObject({ gasLimit: '0x67c280', minimumGasPrice: '0x3938700' });
    expect(await node.request({ method: 'eth_gasPrice' })).toBe('0x3ef1480');
    await expect(createNode({ networkLimits: true, disableCodeSizeLimit: true })).rejects.toThrow(
      'cannot be used with',
    );
  });

  it('coinbase accepts a hexadecimal string', async () => {
    const node = await start({ coinbase: `0x${'Ab'.repeat(20)}` });
    expect(await node.request({ method: 'eth_coinbase' })).toBe(`0x${'ab'.repeat(20)}`);
  });

  it('callTimeout limits the duration of a call in seconds', async () => {
    const node = await start({ callTimeout: 0.001, gasLimit: 10n ** 15n });
    const to = `0x${'ee'.repeat(20)}`;
    // JUMPDEST PUSH1 0 JUMP: an endless loop.
    const params = [{ to }, 'latest', { [to]: { code: '0x5b600056' } }];
    await expect(node.request({ method: 'eth_call', params })).rejects.toMatchObject({ code: -32011 });
  });

  it('flags accept booleans, and options that are not given may be undefined or null', async () => {
    const options = { noMining: true, mixedMining: false, networkId: null, chainId: undefined };
    const node = await start(options);
    await node.request({
      method: 'eth_sendTransaction',
      params: [{ from: FIRST_ACCOUNT, to: SECOND_ACCOUNT }],
    });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0');
    expect(await node.request({ method: 'net_version' })).toBe('33');
  });

  it.each([
    [{ hardfork: 'foo' }, `hardfork: unknown hardfork "foo"; expected one of ${HARDFORKS}`],
    [
      { hardfork: 'cancum' },
      `hardfork: unknown hardfork "cancum" (did you mean cancun?); expected one of ${HARDFORKS}`,
    ],
    [{ chainId: -1 }, 'chainId: expected a whole number from 1 to 4503599627370476, got "-1"'],
    [{ chainId: 1.5 }, 'got "1.5"'],
    [{ chainId: Number.NaN }, 'got "NaN"'],
    [{ chainId: null }, 'chainId: expected a whole number from 1 to 4503599627370476, got null'],
    [{ chainId: [33] }, 'got an array'],
    [{ withEip: [7951, true] }, 'got true'],
    [{ artifacts: ['out', 5] }, 'got a value of type number'],
    [{ gasLimit: true }, 'gasLimit: expected a whole number of gas'],
    [
      { coinbase: new Uint8Array(20) },
      'coinbase: expected an address (0x and 40 hexadecimal digits), got a value of type object',
    ],
    [{ dataDir: 5 }, 'dataDir: expected the path of a directory, got a value of type number'],
    [
      { forkUrl: 'http://a.b', forkCacheDir: 5n },
      'forkCacheDir: expected the path of a directory, got a value of',
    ],
    [{ noMining: 'yes' }, 'noMining: expected true or false, got "yes"'],
    [
      { mnemonic: 'test test test test test test test test test test test test' },
      'mnemonic: invalid mnemonic: the last word does not match the checksum of the words; expected English BIP-39 words',
    ],
    [{ mnemonic: 'my Secret' }, 'got another value (not shown)'],
    [
      { derivationPath: '44/60' },
      `derivationPath: expected a BIP-32 path, for example m/44'/60'/0'/0/, got "44/60"`,
    ],
  ])('an invalid value is rejected with the accepted form (%#)', async (options, message) => {
    const error = await refusal(options);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toMatch(/--|Secret|\n/);
  });

  it.each([
    [
      { chainid: 1 },
      'unknown option chainid; did you mean chainId (a whole number from 1 to 4503599627370476)?',
    ],
    [{ noMine: true }, 'unknown option noMine; did you mean noMining (true or false)?'],
    [{ xyzzyq: 1 }, 'unknown option xyzzyq; expected one of accounts, balance, mnemonic, '],
    // A node in the process has no port, and only the server knows whether it holds keys.
    [{ port: 8545 }, 'unknown option port; pass port to node.listen()'],
    [{ ipcpath: '/tmp/x' }, 'unknown option ipcpath; pass ipc to node.listen()'],
    [{ hosted: true }, 'unknown option hosted; only the command line has this option (node-cli --hosted)'],
    [{ noCors: true }, 'unknown option noCors; only the command line has this option (node-cli --no-cors)'],
    [{ toString: 1 }, 'unknown option toString; '],
  ])('an unknown option is rejected: %j', async (options, message) => {
    const error = await refusal(options);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
  });

  it.each([
    [{ noMining: true, blockTime: 1 }, 'noMining cannot be used with blockTime; remove one of them'],
    [{ mixedMining: true }, 'mixedMining requires blockTime; add blockTime: 2.5'],
    [
      { devAccounts: 'network', accounts: 3 },
      'devAccounts: "network" cannot be used with accounts; remove one of them',
    ],
    [{ minGasPrice: 5, gasPrice: 1n }, 'gasPrice: expected at least 5 (the value of minGasPrice), got 1'],
  ])('contradictory options are rejected (%#)', async (options, message) => {
    const error = await refusal(options);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
  });

  it.each([[null], [7], ['cancun']])(
    'createNode rejects options that are not an object: %j',
    async (options) => {
      const error = await refusal(options);
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toContain('createNode: expected an object of options');
    },
  );
});

describe('LocalNode.on', () => {
  it('a listener is called with each item of a subscription until it is removed', async () => {
    const node = await start();
    const messages: unknown[] = [];
    const listener = (message: unknown): void => void messages.push(message);
    node.on('message', listener);
    const subscription = await node.request({ method: 'eth_subscribe', params: ['newHeads'] });
    await node.request({ method: 'evm_mine' });
    node.removeListener('message', listener);
    await node.request({ method: 'evm_mine' });
    expect(messages).toMatchObject([
      { type: 'eth_subscription', data: { subscription, result: { number: '0x1' } } },
    ]);
  });

  it('a listener is called with each console.log of transactions and calls until it is removed', async () => {
    const node = await start();
    const heard: ConsoleLog[] = [];
    const listener = (log: ConsoleLog): void => void heard.push(log);
    node.on('consoleLog', listener);
    const contract = deployedAt(FIRST_ACCOUNT, 0n);
    const send = (fields: object): Promise<unknown> =>
      node.request({ method: 'eth_sendTransaction', params: [{ from: FIRST_ACCOUNT, ...fields }] });
    const creation = await send({ data: TALKER_BYTECODE });
    const failure = await send({ to: contract, data: talkerCall('fail', 1n), gas: '0x100000' });
    const call = { to: contract, data: talkerCall('ask', 5n) };
    await node.request({ method: 'eth_estimateGas', params: [call] });
    await node.request({ method: 'eth_call', params: [call, 'latest'] });
    node.removeListener('consoleLog', listener);
    await node.request({ method: 'eth_call', params: [call, 'latest'] });
    expect(heard).toEqual([
      { contract, text: 'born', transactionHash: creation },
      { contract, text: 'about to fail', transactionHash: failure },
      { contract, text: 'asked for 5', transactionHash: null },
      { contract, text: '0', transactionHash: null },
    ]);
  });

  it('a listener of an unknown event is never called', async () => {
    const node = await start();
    const messages: unknown[] = [];
    const listener = (message: unknown): void => void messages.push(message);
    node.on('networkChanged' as 'message', listener);
    await node.request({ method: 'eth_subscribe', params: ['newHeads'] });
    await node.request({ method: 'evm_mine' });
    expect(messages).toEqual([]);
  });

  it('an error of a listener is uncaught, and stops neither mining nor other listeners', async () => {
    const node = await start();
    const lost = new Error('the listener is broken');
    const heard: unknown[] = [];
    node.on('message', () => {
      throw lost;
    });
    node.on('message', ({ data }) => heard.push(data));
    await node.request({ method: 'eth_subscribe', params: ['newHeads'] });
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
      const thrown = once(process, 'uncaughtException');
      await node.request({ method: 'evm_mine' });
      expect((await thrown)[0]).toBe(lost);
    } finally {
      for (const other of others) process.on('uncaughtException', other);
    }
    expect(await head(node)).toMatchObject({ number: '0x1' });
    expect(heard).toMatchObject([{ result: { number: '0x1' } }]);
  });
});

describe('createNode with dataDir', () => {
  it('every request fails while the disk is full, and the node continues afterwards', async () => {
    const node = await start({ dataDir: await temporaryDirectory(), blockTime: 0.01 });
    const full = vi.spyOn(ClassicLevel.prototype, 'batch').mockRejectedValue(new Error('No space left'));
    await vi.waitFor(() => expect(full.mock.calls.length).toBeGreaterThan(2));
    await expect(node.request({ method: 'eth_blockNumber' })).rejects.toMatchObject({ code: -32000 });
    full.mockRestore();
    const number = Number(await node.request({ method: 'eth_blockNumber' }));
    await vi.waitFor(async () => {
      expect(Number(await node.request({ method: 'eth_blockNumber' }))).toBeGreaterThan(number);
    });
  });
});

describe('arguments of LocalNode methods', () => {
  it.each([[undefined], [null], [{}], [{ method: 5 }]])(
    'request rejects %j and names the method',
    async (call) => {
      const node = await start();
      await expect(node.request(call as RequestArguments)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params: method:'),
      });
    },
  );

  it.each([[1.5], [Number.NaN], ['x']])('fork rejects the block %j', async (block) => {
    const node = await start();
    await expect(node.fork({ block } as ForkOptions)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params: block:'),
    });
  });

  it.each([[-1], [1.5], [65_536]])('listen rejects the port %d', async (port) => {
    const node = await start();
    await expect(node.listen({ port })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params: port:'),
    });
  });
});

describe('options of LocalNode methods', () => {
  it.each([
    [{ blok: 1 }, 'invalid params: blok: expected only block, got 1'],
    [5, 'invalid params: options: expected an object with block, got 5'],
    [null, 'invalid params: options: expected an object with block, got null'],
  ])('fork rejects the options %j', async (options, message) => {
    const node = await start();
    await expect(node.fork(options as ForkOptions)).rejects.toMatchObject({ code: -32602, message });
  });

  it.each([
    [{ prt: 1 }, 'prt: expected only port, host, ipc, lanes, laneLimit, laneTimeout, got 1'],
    [{ lanes: 'yes' }, 'lanes: expected true or false, got "yes"'],
    [{ host: 5 }, 'host: expected a host name or an address of this machine, got 5'],
    [{ laneLimit: 0 }, 'laneLimit: expected a whole number of at least 1, got 0'],
    [{ laneTimeout: -1 }, 'laneTimeout: expected a non-negative number of seconds, got -1'],
    [null, 'options: expected an object with port, host, ipc, lanes, laneLimit, laneTimeout, got null'],
  ])('listen rejects the options %j', async (options, message) => {
    const node = await start();
    await expect(node.listen(options as ListenOptions)).rejects.toMatchObject({
      code: -32602,
      message: `invalid params: ${message}`,
    });
  });
});

describe('LocalNode.close', () => {
  it('a closed node rejects later requests with 4900 (EIP-1193)', async () => {
    const node = await createNode();
    await node.close();
    for (const method of ['eth_blockNumber', 'evm_mine', 'eth_nothing']) {
      await expect(node.request({ method })).rejects.toMatchObject({
        code: 4900,
        message: 'the node is closed',
      });
    }
  });

  it('close waits for the requests that were sent before it', async () => {
    const node = await createNode();
    const asked = node.request({ method: 'evm_mine' });
    const closed = node.close();
    await expect(node.request({ method: 'eth_blockNumber' })).rejects.toMatchObject({ code: 4900 });
    await expect(asked).resolves.toBeNull();
    await closed;
  });

  it('close stops the search for a proof of work, and the waiting request fails', async () => {
    const node = await start({ difficulty: 2n ** 60n });
    const mined = node.request({ method: 'evm_mine' }).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    await node.close();
    expect(await mined).toMatchObject({ code: -32000, message: expect.stringContaining('not mined') });
  });

  it('close can be called twice', async () => {
    const node = await createNode();
    await node.close();
    await expect(node.close()).resolves.toBeUndefined();
  });
});
