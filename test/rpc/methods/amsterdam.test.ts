import { type Hex, keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const RECIPIENT = `0x${'b0'.repeat(20)}`;
const CONTRACT = `0x${'c0'.repeat(20)}`;
const SYSTEM_ADDRESS = `0x${'f'.repeat(39)}e`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function createScene(
  ruleSet: 'bpo2' | 'amsterdam' = 'amsterdam',
  gasLimit = 150_000_000n,
): Promise<RpcHarness> {
  const codeSizeLimit = ruleSet === 'amsterdam' ? 65_536 : 24_576;
  return createRpcHarness({ compat: 'anvil' }, { ruleSet, gasLimit, codeSizeLimit });
}

interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
}

async function send({ call }: RpcHarness, fields: object): Promise<Receipt> {
  const hash = await call('eth_sendTransaction', [{ from: SENDER, ...fields }]);
  return (await call('eth_getTransactionReceipt', [hash])) as Receipt;
}

const word = (digits: string): string => digits.replace('0x', '').padStart(64, '0');

function transfer(from: string, to: string, value: number): object {
  const topics = [TRANSFER, `0x${word(from)}`, `0x${word(to)}`];
  return { address: SYSTEM_ADDRESS, topics, data: `0x${word(value.toString(16))}` };
}

const push = (address: string): string => `73${address.slice(2)}`;
/** Initcode that returns `length` zero bytes. */
const zeros = (length: number): string => `0x62${length.toString(16).padStart(6, '0')}5ff3`;

describe('a transfer of ETH under amsterdam (EIP-7708)', () => {
  it('an ETH transfer emits a log, and an inner transfer emits the next log', async () => {
    const scene = await createScene();
    // CALL(gas, RECIPIENT, 2, 0, 0, 0, 0)
    await scene.call('anvil_setCode', [CONTRACT, `0x5f5f5f5f6002${push(RECIPIENT)}5af100`]);
    const { logs } = await send(scene, { to: CONTRACT, value: '0x7' });
    expect(logs).toMatchObject([transfer(SENDER, CONTRACT, 7), transfer(CONTRACT, RECIPIENT, 2)]);
    const filter = { fromBlock: '0x0', topics: [TRANSFER] };
    expect(await scene.call('eth_getLogs', [filter])).toMatchObject(logs);
  });

  it('no transfer log is emitted for 0 wei, a transfer to oneself or a revert', async () => {
    const scene = await createScene();
    await scene.call('anvil_setCode', [CONTRACT, '0x5f5ffd']);
    expect((await send(scene, { to: RECIPIENT })).logs).toEqual([]);
    expect((await send(scene, { to: SENDER, value: '0x1' })).logs).toEqual([]);
    expect((await send(scene, { to: CONTRACT, value: '0x1', gas: '0x186a0' })).logs).toEqual([]);
  });

  it('a creation and a SELFDESTRUCT with value emit transfer logs', async () => {
    const scene = await createScene();
    const { logs, contractAddress } = await send(scene, { value: '0x5', data: `0x${push(RECIPIENT)}ff` });
    const created = contractAddress ?? '';
    expect(logs).toMatchObject([transfer(SENDER, created, 5), transfer(created, RECIPIENT, 5)]);
  });

  it('no transfer log is emitted before amsterdam', async () => {
    const scene = await createScene('bpo2');
    expect((await send(scene, { to: RECIPIENT, value: '0x7' })).logs).toEqual([]);
  });

  it('callTracer returns the transfer log', async () => {
    const { call } = await createScene();
    const request = { from: SENDER, to: RECIPIENT, value: '0x7' };
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    expect(await call('debug_traceCall', [request, 'latest', options])).toMatchObject({
      logs: [transfer(SENDER, RECIPIENT, 7)],
    });
  });
});

describe('a contract under amsterdam', () => {
  it('code is limited to 64 KiB (EIP-7954)', async () => {
    const scene = await createScene();
    // 1,530 gas a byte (EIP-8037)
    const most = '0x8000000';
    const gas = '0xffffff';
    expect(await send(scene, { data: zeros(65_536), gas: most })).toMatchObject({ status: '0x1' });
    expect(await send(scene, { data: zeros(65_537), gas: most })).toMatchObject({ status: '0x0' });
    const before = await createScene('bpo2');
    expect(await send(before, { data: zeros(24_577), gas })).toMatchObject({ status: '0x0' });
  });

  it('SELFDESTRUCT in the creation transaction keeps the balance (EIP-8246)', async () => {
    // SELFDESTRUCT(ADDRESS)
    const ended = { value: '0x5', data: '0x30ff' };
    const scene = await createScene();
    const { contractAddress } = await send(scene, ended);
    expect(await scene.call('eth_getBalance', [contractAddress, 'latest'])).toBe('0x5');
    expect(await scene.call('eth_getCode', [contractAddress, 'latest'])).toBe('0x');
    expect(await scene.call('eth_getTransactionCount', [contractAddress, 'latest'])).toBe('0x0');
    const before = await createScene('bpo2');
    const burned = await send(before, ended);
    expect(await before.call('eth_getBalance', [burned.contractAddress, 'latest'])).toBe('0x0');
  });

  it('DUPN duplicates an item deep in the stack (EIP-8024)', async () => {
    const { call } = await createScene();
    // Pushes 9 and 234 zeros, then duplicates and returns the deepest reachable item.
    const code = `0x6009${'5f'.repeat(234)}e65a5f5260205ff3`;
    await call('anvil_setCode', [CONTRACT, code]);
    expect(await call('eth_call', [{ to: CONTRACT }, 'latest'])).toBe(`0x${word('9')}`);
    const { structLogs } = (await call('debug_traceCall', [{ to: CONTRACT }, 'latest', {}])) as {
      readonly structLogs: readonly { readonly op: string; readonly pc: number }[];
    };
    expect(structLogs.slice(235, 237)).toMatchObject([
      { op: 'DUPN', pc: 236 },
      { op: 'PUSH0', pc: 238 },
    ]);
  });

  it('a JUMPDEST after an invalid DUPN is a valid jump target', async () => {
    const { call } = await createScene();
    // From EIP-8024: PUSH1 4, JUMP, an invalid DUPN, JUMPDEST.
    await call('anvil_setCode', [CONTRACT, '0x600456e65b']);
    expect(await call('eth_call', [{ to: CONTRACT }, 'latest'])).toBe('0x');
    await call('anvil_setCode', [CONTRACT, '0x5fe65b']);
    await expect(call('eth_call', [{ to: CONTRACT }, 'latest'])).rejects.toMatchObject({
      message: 'EVM error OpcodeNotFound',
    });
  });
});

describe('calldata under amsterdam', () => {
  it('calldata costs at least 64 gas per byte, zero or not (EIP-7976)', async () => {
    const scene = await createScene();
    const used = async (data: string) => Number((await send(scene, { to: RECIPIENT, data })).gasUsed);
    expect(await used(`0x${'00'.repeat(100)}`)).toBe(15_000 + 6_400);
    expect(await used(`0x${'01'.repeat(100)}`)).toBe(15_000 + 6_400);
  });

  it('access list data costs 64 gas per byte in addition (EIP-7981)', async () => {
    const scene = await createScene();
    const accessList = [{ address: RECIPIENT, storageKeys: [`0x${word('1')}`] }];
    const { gasUsed } = await send(scene, { to: RECIPIENT, accessList });
    expect(Number(gasUsed)).toBe(15_000 + 2_900 + 2_000 + 64 * 52);
  });
});

describe('a block under amsterdam', () => {
  it('SLOTNUM pushes the slot number of the block (EIP-7843)', async () => {
    const scene = await createScene();
    // SLOTNUM to slot 0
    await scene.call('anvil_setCode', [CONTRACT, '0x4b5f55']);
    await send(scene, { to: CONTRACT });
    const block = (await scene.call('eth_getBlockByNumber', ['latest', false])) as {
      readonly slotNumber: string;
      readonly number: string;
    };
    expect(block.slotNumber).toBe(block.number);
    expect(await scene.call('eth_getStorageAt', [CONTRACT, '0x0', 'latest'])).toBe(
      `0x${word(block.slotNumber)}`,
    );
    const before = await createScene('bpo2');
    await before.call('anvil_setCode', [CONTRACT, '0x4b5f55']);
    expect(await send(before, { to: CONTRACT, gas: '0x186a0' })).toMatchObject({ status: '0x0' });
    expect(await before.call('eth_getBlockByNumber', ['latest', false])).not.toHaveProperty('slotNumber');
  });

  it('block gas is counted before refunds, receipt gas after (EIP-7778)', async () => {
    const scene = await createScene();
    // Clears slot 0.
    await scene.call('anvil_setCode', [CONTRACT, '0x5f5f55']);
    await scene.call('anvil_setStorageAt', [CONTRACT, `0x${word('0')}`, `0x${word('1')}`]);
    const { gasUsed } = await send(scene, { to: CONTRACT });
    const block = (await scene.call('eth_getBlockByNumber', ['latest', false])) as {
      readonly gasUsed: string;
    };
    // PUSH0 twice, SSTORE of a cold slot. The refund is at most a fifth.
    const before = 15_000 + 4 + 2_100 + 10_000;
    expect(Number(block.gasUsed)).toBe(before);
    expect(Number(gasUsed)).toBe(before - Math.floor(before / 5));
  });
});

describe('the preview of amsterdam', () => {
  it('eth_config returns the implemented and the missing EIPs of the preview', async () => {
    const { call } = await createScene();
    const { current, preview } = (await call('eth_config', [])) as {
      readonly current: { readonly systemContracts: object };
      readonly preview: { readonly eips: readonly number[]; readonly missing: readonly number[] };
    };
    expect(preview.eips).toEqual(expect.arrayContaining([2780, 7708, 8024, 8037, 8038]));
    expect(preview.missing).toEqual([]);
    expect(current.systemContracts).toMatchObject({
      BUILDER_EXIT_CONTRACT_ADDRESS: '0x000064d678505ad48f8ccb093bc65613800e8282',
    });
    const { call: callBefore } = await createScene('bpo2');
    expect(await callBefore('eth_config', [])).not.toHaveProperty('preview');
  });

  it('builder requests change the requests hash of the block (EIP-8282)', async () => {
    const scene = await createScene();
    const requestsHash = async () =>
      ((await scene.call('eth_getBlockByNumber', ['latest', false])) as { readonly requestsHash: string })
        .requestsHash;
    await scene.call('evm_mine', []);
    const without = await requestsHash();
    const exit = {
      to: '0x000064d678505ad48f8ccb093bc65613800e8282',
      value: '0x1',
      data: `0x${'ab'.repeat(48)}`,
    };
    expect(await send(scene, exit)).toMatchObject({ status: '0x1' });
    expect(await requestsHash()).not.toBe(without);
  });
});

describe('the access list of a block under amsterdam (EIP-7928)', () => {
  interface Access {
    readonly address: string;
    readonly storageChanges: readonly object[];
    readonly storageReads: readonly string[];
    readonly balanceChanges: readonly { readonly index: string; readonly value: string }[];
    readonly nonceChanges: readonly object[];
    readonly codeChanges: readonly object[];
  }
  const slot = (digits: string): string => `0x${word(digits)}`;

  it('eth_getBlockAccessList returns changes by transaction and slots that are only read', async () => {
    const scene = await createScene();
    const { call } = scene;
    // Reads slot 3, and writes the number of the data to slot 1.
    await call('anvil_setCode', [CONTRACT, '0x60035450 5f35 600155'.replaceAll(' ', '')]);
    await call('evm_setAutomine', [false]);
    const gas = '0x493e0';
    await call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, data: slot('7'), gas }]);
    await call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, data: slot('9'), gas }]);
    // Reverts after a write of slot 2, so the slot counts as read.
    const reverting = `0x${'c1'.repeat(20)}`;
    await call('anvil_setCode', [reverting, '0x60016002555f5ffd']);
    await call('eth_sendTransaction', [{ from: SENDER, to: reverting, value: '0x5', gas }]);
    await call('eth_sendTransaction', [{ from: SENDER, to: RECIPIENT, value: '0x5', gas }]);
    await call('evm_mine', []);
    const list = (await call('eth_getBlockAccessListByBlockNumber', ['latest'])) as Access[];
    const of = (address: string): Access | undefined => list.find((access) => access.address === address);
    const nothing = {
      storageChanges: [],
      storageReads: [],
      balanceChanges: [],
      nonceChanges: [],
      codeChanges: [],
    };
    expect(of(CONTRACT)).toEqual({
      ...nothing,
      address: CONTRACT,
      storageChanges: [
        {
          key: slot('1'),
          changes: [
            { index: '0x1', value: slot('7') },
            { index: '0x2', value: slot('9') },
          ],
        },
      ],
      storageReads: [slot('3')],
    });
    expect(of(reverting)).toEqual({ ...nothing, address: reverting, storageReads: [slot('2')] });
    expect(of(RECIPIENT)).toMatchObject({
      balanceChanges: [{ index: '0x4', value: '0x5' }],
      nonceChanges: [],
    });
    expect(of(SENDER)?.nonceChanges).toEqual(
      [1, 2, 3, 4].map((count) => ({ index: `0x${count}`, value: `0x${count}` })),
    );
    expect(list.map(({ address }) => address)).toEqual(list.map(({ address }) => address).toSorted());

    const { hash } = (await call('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
    expect(await call('eth_getBlockAccessListByBlockHash', [hash])).toEqual(list);
    expect(await call('eth_getBlockAccessList', [hash])).toEqual(list);
  });

  it('eth_getBlockAccessList includes the system contracts but not their caller', async () => {
    const { call } = await createScene();
    await call('evm_mine', []);
    const list = (await call('eth_getBlockAccessList', ['latest'])) as Access[];
    const { current } = (await call('eth_config', [])) as {
      readonly current: { readonly systemContracts: object };
    };
    // The deposit contract is not called: the block has its logs (EIP-6110).
    const called = Object.entries(current.systemContracts).filter(
      ([name]) => name !== 'DEPOSIT_CONTRACT_ADDRESS',
    );
    const addresses = called.map(([, address]) => address);
    expect(list.map(({ address }) => address)).toEqual(addresses.toSorted());
    const history = list.find(({ address }) => address === '0x0000f90827f1c53a10cb7a02335b175320002935');
    const { parentHash } = (await call('eth_getBlockByNumber', ['latest', false])) as {
      readonly parentHash: string;
    };
    expect(history?.storageChanges).toEqual([
      { key: slot('0'), changes: [{ index: '0x0', value: parentHash }] },
    ]);
    const raw = await call('debug_getRawBlockAccessList', ['latest']);
    expect(raw).toMatch(/^0xf8/);
    const { hash, blockAccessListHash } = (await call('eth_getBlockByNumber', ['latest', false])) as Header;
    for (const block of ['latest', '0x1', hash, { blockHash: hash }, { blockNumber: '0x1' }])
      expect(await call('eth_getBlockAccessListRaw', [block])).toBe(raw);
    expect(keccak256(raw as Hex)).toBe(blockAccessListHash);
    expect(await call('eth_getBlockAccessList', ['0x0'])).toEqual([]);
    expect(await call('debug_getRawBlockAccessList', ['0x0'])).toBe('0xc0');
    expect(await call('eth_getBlockAccessListRaw', ['0x0'])).toBe('0xc0');
    expect(await call('eth_getBlockAccessListRaw', ['0x99'])).toBeNull();
    expect(await call('eth_getBlockAccessListRaw', [slot('99')])).toBeNull();
    expect(await call('eth_getBlockAccessList', ['0x99'])).toBeNull();
    expect(await call('eth_getBlockAccessListByBlockHash', [slot('99')])).toBeNull();
  });

  interface Header {
    readonly hash: string;
    readonly gasUsed: string;
    readonly blockAccessListHash: string;
    readonly slotNumber: string;
  }

  it('mined, pending and reserved blocks have the hash of their access list in the header', async () => {
    const scene = await createScene();
    const { call } = scene;
    const latest = async () => (await call('eth_getBlockByNumber', ['latest', false])) as Header;
    const listHash = async () => keccak256((await call('debug_getRawBlockAccessList', ['latest'])) as Hex);
    await call('anvil_setCode', [CONTRACT, '0x6003545f35600155']);
    await send(scene, { to: CONTRACT, data: slot('7') });
    expect((await latest()).blockAccessListHash).toBe(await listHash());
    // Compares with the pending block before it is mined.
    await call('evm_setAutomine', [false]);
    await call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, data: slot('9'), gas: '0x186a0' }]);
    const pending = (await call('eth_getBlockByNumber', ['pending', false])) as Header;
    await call('evm_mine', []);
    expect((await latest()).blockAccessListHash).toBe(await listHash());
    expect(pending.blockAccessListHash).toBe((await latest()).blockAccessListHash);
    // Reserved blocks have an empty access list.
    await call('hardhat_mine', ['0x1000']);
    expect(await call('eth_getBlockByNumber', ['0x100', false])).toMatchObject({
      blockAccessListHash: keccak256('0xc0'),
      slotNumber: '0x100',
    });
    expect(await call('eth_getBlockAccessList', ['0x100'])).toEqual([]);
    expect((await latest()).blockAccessListHash).toBe(await listHash());
  });

  it('simulated blocks have the hash of their access list', async () => {
    const scene = await createScene();
    const { call } = scene;
    const simulate = async (calls: object[]) => {
      const [block] = (await call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }])) as Header[];
      return block?.blockAccessListHash;
    };
    expect(await simulate([])).not.toBe(keccak256('0xc0'));
    expect(await simulate([{ from: SENDER, to: RECIPIENT, value: '0x1' }])).not.toBe(await simulate([]));
  });

  it('an access list is limited to one item per 2,000 gas of the block gas limit', async () => {
    const gasLimit = 60_000n;
    const { call } = await createScene('amsterdam', gasLimit);
    const list = async () => (await call('eth_getBlockAccessList', ['latest'])) as Access[];
    const items = (accesses: readonly Access[]) =>
      accesses.reduce(
        (sum, { storageChanges, storageReads }) => sum + 1 + storageChanges.length + storageReads.length,
        0,
      );
    await call('evm_mine', []);
    // A transfer adds its sender, its recipient and the fee recipient. The rest is available for slots.
    const slots = 30 - items(await list()) - 3;
    const reading = (count: number) =>
      `0x${Array.from({ length: count }, (_, slot) => `60${slot.toString(16).padStart(2, '0')}5450`).join('')}`;
    const [fits, oneMore] = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`];
    await call('anvil_setCode', [fits, reading(slots)]);
    await call('anvil_setCode', [oneMore, reading(slots + 1)]);
    await call('evm_setAutomine', [false]);
    const gas = `0x${gasLimit.toString(16)}`;
    const outcome = async (to: string): Promise<object | null> => {
      const hash = await call('eth_sendTransaction', [{ from: SENDER, to, gas }]);
      await call('evm_mine', []);
      return (await call('eth_getTransactionReceipt', [hash])) as object | null;
    };
    expect(await outcome(fits)).toMatchObject({ status: '0x1' });
    expect(items(await list())).toBe(30);
    expect(await outcome(oneMore)).toBeNull();
    expect(await call('txpool_status', [])).toMatchObject({ pending: '0x1' });
    const blocks = [[{ from: SENDER, to: oneMore, gas }, 0]];
    await expect(call('anvil_reorg', [1, blocks])).rejects.toThrow(/60000 allows \(EIP-7928\)/);
  });

  it.each(['eth_getBlockAccessListByBlockNumber', 'eth_getBlockAccessListRaw'])(
    '%s is rejected before amsterdam',
    async (method) => {
      const { call } = await createScene('bpo2');
      for (const block of ['latest', '0x99']) {
        await expect(call(method, [block])).rejects.toMatchObject({
          code: -32602,
          message:
            'blocks have no access list (EIP-7928) in hardfork bpo2; use --hardfork amsterdam or later',
        });
      }
    },
  );
});
