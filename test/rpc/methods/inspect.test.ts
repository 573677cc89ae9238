import { readFileSync } from 'node:fs';
import { encodeDeployData, encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));

/** A contract of the fixtures, from the compiler output. */
function contract(source: string, name: string) {
  const { abi, evm } = output.contracts[source][name];
  return { abi, bytecode: `0x${evm.bytecode.object}` as const };
}

const safe = contract('Proxies.sol', 'Safe');
const child = contract('Creations.sol', 'Child');
const GAS = '0x4c4b40';
const SENDER_INDEX = 0;

/** A harness in a compat mode, with the contract Safe deployed. */
async function deployed(compat: 'service' | 'hardhat' = 'service') {
  const harness = await createRpcHarness({ compat }, { ruleSet: 'prague' });
  const accounts = (await harness.call('eth_accounts')) as string[];
  const from = accounts[SENDER_INDEX] ?? '';
  const send = async (fields: object): Promise<string> =>
    (await harness.call('eth_sendTransaction', [{ from, gas: GAS, ...fields }])) as string;
  const creation = await send({ data: safe.bytecode });
  const receipt = (await harness.call('eth_getTransactionReceipt', [creation])) as {
    contractAddress: string;
  };
  return { ...harness, from, send, creation, to: receipt.contractAddress };
}

const withdraw = encodeFunctionData({ abi: safe.abi, functionName: 'withdraw', args: [5n] });

describe('inspection without artifacts', () => {
  it('inspect_transaction returns frames with raw data and the reason from the revert data', async () => {
    const { call, send, to } = await deployed();
    const hash = await send({ to, data: withdraw });
    expect(await call('inspect_transaction', [hash])).toMatchObject({
      call: { type: 'CALL', to: { address: to, name: null }, call: null, outcome: 'revert', items: [] },
      failure: {
        message: expect.stringContaining('reverted with an unrecognized custom error'),
        error: null,
      },
      stackTrace: [{ contract: null, function: null, source: null, line: null, address: to }],
      stack: `    at <UnrecognizedContract>.<unknown> (${to})`,
    });
  });

  it('inspect_call runs under the given hardfork', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const to = `0x${'ab'.repeat(20)}`;
    // Returns the number of leading zeros of its input with CLZ, an opcode since Osaka.
    await call('anvil_setCode', [to, '0x5f351e5f5260205ff3']);
    const question = { to, data: `0x${'00'.repeat(31)}01` };
    const failed = { failure: { message: expect.stringContaining('invalid opcode') } };
    expect(await call('inspect_call', [question])).toMatchObject(failed);
    expect(await call('inspect_call', [question, 'latest', {}, 'prague'])).toMatchObject(failed);
    expect(await call('inspect_call', [question, 'latest', {}, 'osaka'])).toMatchObject({
      failure: null,
      call: { output: `0x${'ff'.padStart(64, '0')}` },
    });
    await expect(call('inspect_call', [question, 'latest', {}, 'osaca'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: hardfork: expected a hardfork: rootstock, .*, got "osaca"/),
    });
    const own = (await call('inspect_hardforks')) as { name: string; isOwn: boolean }[];
    expect(own.filter(({ isOwn }) => isOwn).map(({ name }) => name)).toEqual(['prague']);
  });

  it('inspect_call decodes well-known signatures and marks them as a guess', async () => {
    const { call, from } = await deployed();
    const data = `0xa9059cbb${from.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`;
    expect(await call('inspect_call', [{ to: `0x${'ab'.repeat(20)}`, data }])).toMatchObject({
      call: {
        isGuess: true,
        call: {
          signature: 'transfer(address,uint256)',
          parameters: [
            { name: 'to', type: 'address' },
            { name: 'amount', type: 'uint256', value: '5' },
          ],
        },
      },
      failure: null,
      stackTrace: [],
    });
  });

  it('inspect_transaction rejects an unknown transaction', async () => {
    const { call } = await deployed();
    await expect(call('inspect_transaction', [`0x${'00'.repeat(32)}`])).rejects.toThrow('not found');
  });
});

describe('inspection with added artifacts', () => {
  let node: Awaited<ReturnType<typeof deployed>>;

  beforeAll(async () => {
    node = await deployed();
    await node.call('inspect_addArtifacts', [input, output]);
  });

  it('inspect_transaction returns the custom error and a stack trace with source positions', async () => {
    const hash = await node.send({ to: node.to, data: withdraw });
    expect(await node.call('inspect_transaction', [hash])).toMatchObject({
      call: {
        to: { name: 'Safe' },
        call: { name: 'withdraw', parameters: [{ value: '5' }] },
        isGuess: false,
      },
      failure: {
        message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'",
        error: { signature: 'TooMuch(uint256,uint256)' },
      },
      stackTrace: [{ contract: 'Safe', function: 'withdraw', source: 'Proxies.sol', line: 11 }],
    });
  });

  it('inspect_transaction returns the name and constructor arguments of a creation', async () => {
    const data = encodeDeployData({ abi: child.abi, bytecode: child.bytecode, args: [17n, true] });
    const hash = await node.send({ data });
    expect(await node.call('inspect_transaction', [hash])).toMatchObject({
      call: {
        type: 'CREATE',
        call: {
          name: 'Child',
          signature: 'constructor(uint256,bool)',
          parameters: [{ value: '17' }, { value: true }],
        },
      },
    });
  });

  it('inspect_call runs on the state of a block with overrides', async () => {
    const inspected = await node.call('inspect_call', [{ to: node.to, data: withdraw }, 'latest', {}]);
    expect(inspected).toMatchObject({
      failure: { message: "reverted with custom error 'TooMuch(asked: 5, held: 0)'" },
    });
  });

  describe('search in artifacts', () => {
    const find = (...params: unknown[]) => node.call('inspect_find', params);

    it('search finds parts of names in any case, best match first', async () => {
      const found = (await find('WITHDRAW')) as { kind: string; name: string }[];
      expect(found[0]).toEqual({
        kind: 'function',
        name: 'withdraw',
        signature: 'withdraw(uint256)',
        selector: '0x2e1a7d4d',
        contracts: expect.arrayContaining([{ name: 'Safe', sourceName: 'Proxies.sol' }]),
      });
      expect(await find('safe', 1)).toEqual([
        expect.objectContaining({ kind: 'contract', name: 'Safe', selector: null }),
      ]);
      expect(await find('proxies.sol', 100)).toContainEqual(
        expect.objectContaining({ kind: 'contract', name: 'Safe' }),
      );
      expect(await find('there is nothing of that name')).toEqual([]);
    });

    it('search finds signatures, selectors and topics', async () => {
      const tooMuch = expect.objectContaining({ kind: 'error', signature: 'TooMuch(uint256,uint256)' });
      expect(await find('toomuch(uint256,')).toEqual([tooMuch]);
      const events = (await find('e', 100)) as { kind: string; selector: string; signature: string }[];
      const event = events.find(({ kind }) => kind === 'event');
      expect(event?.selector).toHaveLength(66);
      expect(await find(event?.selector)).toEqual([event]);
      expect(await find(event?.selector.slice(0, 10))).toEqual([event]);
      expect(await find('0x2e1a7d4d')).toEqual([expect.objectContaining({ name: 'withdraw' })]);
    });

    it.each([
      [[''], /params: text:/],
      [['x'.repeat(201)], /params: text:/],
      [[7], /params: text:/],
      [['a', 0], /params: count:/],
      [['a', 101], /params: count:/],
    ])('search rejects %o', async (params, message) => {
      await expect(find(...params)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(message),
      });
    });
  });

  it('inspect_contracts lists the contracts', async () => {
    const listed = (await node.call('inspect_contracts')) as { name: string }[];
    expect(listed).toContainEqual({
      name: 'Safe',
      sourceName: 'Proxies.sol',
      file: null,
      hasInitcode: true,
      deployments: [],
    });
    expect(listed).toHaveLength(
      Object.values(output.contracts).flatMap((contracts) => Object.keys(Object(contracts))).length,
    );
  });

  it('inspect_label names an address until the label is removed', async () => {
    const nameOf = async (): Promise<unknown> => {
      const inspected = await node.call('inspect_call', [{ from: node.from, to: node.to, data: withdraw }]);
      return (inspected as { call: { from: { name: unknown } } }).call.from.name;
    };
    await node.call('inspect_label', [node.from, 'alice']);
    expect(await nameOf()).toBe('alice');
    await node.call('inspect_label', [node.from, '']);
    expect(await nameOf()).toBe(null);
  });
});

describe('inspect_addArtifacts', () => {
  it.each<[string, object, object, string]>([
    [
      'nothing',
      {},
      {},
      "params: output.contracts: expected the contracts of a compiler's output (standard JSON), by file and name, got nothing",
    ],
    [
      'what a compiler says of a mistake',
      {},
      { errors: [{ severity: 'error', message: 'Expected ;' }] },
      'got nothing (compiler error: "Expected ;")',
    ],
    ['an artifact', {}, { abi: [], bytecode: '0x' }, 'params: output.contracts:'],
    [
      'a file without contracts',
      {},
      { contracts: { 'A.sol': 5 } },
      `params: output.contracts["A.sol"]: expected an object of contracts, got 5`,
    ],
    [
      'a contract without ABI',
      {},
      { contracts: { 'A.sol': { A: { evm: {} } } } },
      `params: output.contracts["A.sol"]["A"].abi: expected an array (the ABI), got nothing`,
    ],
    [
      'code that is none',
      {},
      { contracts: { 'A.sol': { A: { abi: [], evm: '0x' } } } },
      'params: output.contracts["A.sol"]["A"].evm: expected',
    ],
    [
      'sources that are none',
      { sources: [] },
      output,
      'params: input.sources: expected an object, as in standard JSON, got an array of 0 items',
    ],
    ['a language that is none', { language: 5 }, output, 'params: input.language:'],
  ])('inspect_addArtifacts rejects %s and adds nothing', async (_, given, told, message) => {
    const { call } = await deployed();
    await expect(call('inspect_addArtifacts', [given, told])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
    expect(await call('inspect_contracts', [])).toEqual([]);
  });
});

describe('hardhat_addCompilationResult', () => {
  it('hardhat_addCompilationResult adds contracts, so a failed send has a stack trace', async () => {
    const node: RpcHarness & { send(fields: object): Promise<string>; to: string } =
      await deployed('hardhat');
    expect(await node.call('hardhat_addCompilationResult', ['0.8.28', input, output])).toBe(true);
    const message = "VM Exception while processing transaction: reverted with custom error 'TooMuch(5, 0)'";
    await expect(node.send({ to: node.to, data: withdraw })).rejects.toMatchObject({
      message: `${message}\n    Safe.withdraw (Proxies.sol:11:27)`,
      data: {
        message,
        txHash: expect.stringMatching(/^0x/),
        stackTrace: [{ contract: 'Safe', function: 'withdraw', line: 11 }],
        stack: '    at Safe.withdraw (Proxies.sol:11:27)',
      },
    });
  });

  it('hardhat_addCompilationResult returns false for an output without contracts', async () => {
    const { call } = await deployed();
    expect(await call('hardhat_addCompilationResult', ['0.8.28', {}, {}])).toBe(false);
  });

  it('the error of a failed send has no stack without artifacts', async () => {
    const node = await deployed('hardhat');
    const error = await node.send({ to: node.to, data: withdraw }).catch((each: { data: object }) => each);
    expect(Object.keys(Object(error).data)).toEqual(['message', 'txHash', 'data']);
  });
});

describe('inspect_failures', () => {
  const SUMMARY = { count: 0, changes: false };

  interface Failures {
    readonly count: string;
    readonly oldest: string | null;
    readonly failures: readonly Record<string, unknown>[];
  }

  it('inspect_failures lists failed calls and transactions, newest first, also after a revert', async () => {
    const { call, send, to, from } = await deployed();
    await call('inspect_addArtifacts', [input, output]);
    expect(await call('inspect_failures')).toEqual({ count: '0x0', oldest: null, failures: [] });
    const snapshot = await call('evm_snapshot');
    await send({ to });
    const hash = await send({ to, data: withdraw });
    await expect(call('eth_call', [{ from, to, data: withdraw }, 'latest'])).rejects.toThrow();
    await call('evm_revert', [snapshot]);
    const { count, failures } = (await call('inspect_failures', [2])) as Failures;
    expect(count).toBe(failures[0]?.number);
    expect(failures).toMatchObject([
      { transactionHash: null, failure: { message: expect.any(String) } },
      { transactionHash: hash, stack: expect.stringMatching(/Safe\.withdraw \(.*Proxies\.sol:11:27\)/) },
    ]);
    expect(await call('inspect_failures', [16, failures[1]?.number])).toMatchObject({
      failures: [{ number: count }],
    });
    expect(await call('inspect_failures', [16, count])).toEqual({ count, oldest: '0x1', failures: [] });
  });

  it('inspect_failures returns the method and the block of calls, estimates and transactions', async () => {
    const { call, send, to, from } = await deployed();
    const failing = { from, to, data: withdraw };
    const hash = await send({ to, data: withdraw });
    const block = await call('eth_blockNumber');
    await call('evm_mine');
    await expect(call('eth_call', [failing, block])).rejects.toThrow();
    await expect(call('eth_call', [failing, 'pending'])).rejects.toThrow();
    await expect(call('eth_estimateGas', [failing, 'latest'])).rejects.toThrow();
    const next = (blocks: number): string => `0x${(Number(block) + blocks).toString(16)}`;
    expect(await call('inspect_failures', [4])).toMatchObject({
      failures: [
        { method: 'eth_estimateGas', blockNumber: next(1), transactionHash: null },
        { method: 'eth_call', blockNumber: next(2), transactionHash: null },
        { method: 'eth_call', blockNumber: block, transactionHash: null },
        { method: null, blockNumber: block, transactionHash: hash },
      ],
    });
  });

  it('inspect_failures returns the initcode of failed deployments only without a page', async () => {
    const { call, send, from } = await deployed();
    const data = '0x60015f5ffd';
    await expect(call('eth_estimateGas', [{ from, data }])).rejects.toThrow();
    await send({ data });
    const { failures } = (await call('inspect_failures', [2])) as Failures;
    expect(failures.map(({ initcode }) => initcode)).toEqual([data, data]);
    const paged = (await call('inspect_failures', [2, null, SUMMARY])) as Failures;
    expect(paged.failures.map(({ initcode }) => initcode)).toEqual([undefined, undefined]);
  });

  it('inspect_failures keeps at least 200 failed calls of the maximum size', async () => {
    const { call, to, from } = await deployed();
    const data = `${withdraw}${'00'.repeat(256 * 1024 - 36)}`;
    for (let index = 0; index < 210; index++)
      await call('eth_call', [{ from, to, data, gas: '0x2625a00' }, 'latest']).catch(() => null);
    const { count, oldest } = (await call('inspect_failures', [0])) as Failures;
    expect(count).toBe('0xd2');
    expect(210 - Number(oldest) + 1).toBeGreaterThanOrEqual(200);
    expect(Number(oldest)).toBeGreaterThan(1);
  });

  it('inspect_failures counts a call that is too large to keep', async () => {
    const { call, to, from } = await deployed();
    const fail = (data: string, overrides = {}) =>
      call('eth_call', [{ from, to, data }, 'latest', overrides]).catch(() => null);
    await fail(withdraw);
    await fail(`${withdraw}${'00'.repeat(300_000)}`);
    await fail(withdraw, { [`0x${'77'.repeat(20)}`]: { code: `0x${'00'.repeat(300_000)}` } });
    expect(await call('inspect_failures', [2])).toMatchObject({
      count: '0x3',
      failures: [{ number: '0x1' }],
    });
  });

  it('inspect_failures returns failures below a number, for pages of older failures', async () => {
    const { call, to, from } = await deployed();
    for (let index = 0; index < 40; index++)
      await call('eth_call', [{ from, to, data: withdraw }, 'latest']).catch(() => null);
    const pages: number[][] = [];
    for (let before: string | null | undefined = null; before !== undefined; ) {
      const { failures } = (await call('inspect_failures', [16, null, SUMMARY, before])) as Failures;
      if (failures.length > 0) pages.push(failures.map(({ number }) => Number(number)));
      before = failures.at(-1)?.number as string | undefined;
    }
    expect(pages.map(({ length }) => length)).toEqual([16, 16, 8]);
    expect(pages.flat()).toEqual(Array.from({ length: 40 }, (_, index) => 40 - index));
  });

  it('inspect_failures returns a page of lines instead of the call tree', async () => {
    const { call, to, from } = await deployed();
    await call('inspect_addArtifacts', [input, output]);
    await expect(call('eth_call', [{ from, to, data: withdraw }, 'latest'])).rejects.toThrow();
    const { failures } = (await call('inspect_failures', [
      1,
      null,
      { count: 0, changes: false },
    ])) as Failures;
    expect(failures).toMatchObject([
      {
        number: '0x1',
        failure: { message: expect.any(String) },
        lines: [],
        next: 0,
        changes: null,
        omitted: {},
      },
    ]);
    expect(failures[0]?.call).not.toHaveProperty('items');
  });

  it('inspect_failures rejects a count above sixteen', async () => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_failures', [17])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: most: expected a number of failures from 0 to 16/),
    });
  });
});
