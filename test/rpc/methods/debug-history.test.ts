import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { testAccount } from '../../support/test-chain.ts';
import { createExampleChain, EXAMPLE } from '../example-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const [OTHER, THIRD] = [1, 2].map((index) => toHex(testAccount(index).address));
const COINBASE = `0x${'cc'.repeat(20)}`;
const addressHash = (address: string): string => toHex(keccak256(fromHex(address as `0x${string}`)));
const byHash = (addresses: readonly (string | undefined)[]): string[] =>
  addresses.map(String).sort((left, right) => (addressHash(left) < addressHash(right) ? -1 : 1));

interface AccountPage {
  readonly root: string;
  readonly accounts: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly next?: string;
}

async function blockOf(harness: Pick<RpcHarness, 'call'>, block: string) {
  return (await harness.call('eth_getBlockByNumber', [block])) as {
    readonly hash: string;
    readonly number: string;
    readonly stateRoot: string;
  };
}

async function transfer({ call }: RpcHarness, to: string | undefined): Promise<string> {
  const fields = { from: SENDER, to, value: '0x1', gas: '0x5208' };
  return String(await call('eth_sendTransaction', [fields]));
}

describe('debug_accountRange', () => {
  it('debug_accountRange pages through all accounts in the order of the address hashes', async () => {
    const { call } = await createExampleChain();
    const { accounts: all, root } = (await call('debug_dumpBlock', ['latest'])) as AccountPage;
    const found: [string, unknown][] = [];
    let start: string | undefined = '0x';
    while (start !== undefined) {
      const page = (await call('debug_accountRange', ['latest', start, 3])) as AccountPage;
      expect(page.root).toBe(root);
      expect(Object.keys(page.accounts).length).toBeLessThanOrEqual(3);
      found.push(...Object.entries(page.accounts));
      start = page.next;
    }
    expect(found).toEqual(Object.entries(all));
    expect(found.map(([address]) => address)).toEqual(byHash(Object.keys(all)));
  });

  it('debug_accountRange omits code and storage on request, and starts at the given hash', async () => {
    const { call } = await createExampleChain();
    const start = addressHash(EXAMPLE.counter);
    const ask = async (...parts: readonly unknown[]): Promise<AccountPage> =>
      (await call('debug_accountRange', ['latest', start, 1, ...parts])) as AccountPage;
    const { accounts } = await ask();
    expect(Object.keys(accounts)).toEqual([EXAMPLE.counter]);
    expect(Object.keys(accounts[EXAMPLE.counter] ?? {})).toEqual(expect.arrayContaining(['code', 'storage']));
    const bare = await ask(true, true, false);
    const { code, storage, ...rest } = accounts[EXAMPLE.counter] ?? {};
    expect(bare.accounts).toEqual({ [EXAMPLE.counter]: rest });
    // A hash prefix is padded with zeros.
    expect(await call('debug_accountRange', ['latest', `${start.slice(0, 10)}`, 1])).toMatchObject({
      accounts,
    });
  });

  it('debug_accountRange returns at most 256 accounts, and rejects a start above 32 bytes', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_mine');
    for (let index = 0; index < 300; index++) {
      const address = `0x${(0x1000 + index).toString(16).padStart(40, '0')}`;
      await harness.call('anvil_setBalance', [address, '0x1']);
    }
    const count = async (...params: readonly unknown[]): Promise<number> => {
      const page = (await harness.call('debug_accountRange', params)) as AccountPage;
      return Object.keys(page.accounts).length;
    };
    expect([
      await count('latest'),
      await count('latest', '0x', 0),
      await count('latest', '0x', 1_000),
    ]).toEqual([256, 256, 256]);
    expect(await count('earliest')).toBeLessThan(10);
    await expect(count('latest', `0x${'00'.repeat(33)}`)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: start:.*at most 32 bytes/),
    });
  });
});

describe('debug_getModifiedAccountsByNumber', () => {
  it('debug_getModifiedAccountsByNumber lists the accounts modified in a block or a range', async () => {
    const harness = await createRpcHarness();
    const ask = (...params: readonly unknown[]) => harness.call('debug_getModifiedAccountsByNumber', params);
    await transfer(harness, OTHER);
    await transfer(harness, THIRD);
    // The first block with a transaction creates the account of its miner.
    expect(await ask('0x1')).toEqual(byHash([SENDER, OTHER, COINBASE]));
    expect(await ask(2)).toEqual(byHash([SENDER, THIRD]));
    expect(await ask('earliest', 'latest')).toEqual(byHash([SENDER, OTHER, THIRD, COINBASE]));
    expect(await ask('0x1', '0x2')).toEqual(byHash([SENDER, THIRD]));
    expect(await ask('earliest')).toEqual([]);
    const [first, second] = [await blockOf(harness, '0x1'), await blockOf(harness, '0x2')];
    const hashes = [first.hash, second.hash];
    expect(await harness.call('debug_getModifiedAccountsByHash', hashes)).toEqual(byHash([SENDER, THIRD]));
    expect(await harness.call('debug_getModifiedAccountsByHash', hashes.slice(0, 1))).toEqual(
      byHash([SENDER, OTHER, COINBASE]),
    );
  });

  it('modified accounts include changes of storage and code, and no unchanged accounts', async () => {
    const harness = await createRpcHarness({}, { minimumGasPrice: 1n });
    const { address, data } = await deploy(harness, 'Counter');
    const send = (payload: string) =>
      harness.call('eth_sendTransaction', [{ from: SENDER, to: address, data: payload, gas: 100_000 }]);
    await send(data('increment'));
    const ask = (...params: readonly unknown[]) => harness.call('debug_getModifiedAccountsByNumber', params);
    expect(await ask('0x1')).toEqual(byHash([SENDER, address, COINBASE]));
    expect(await ask('0x2')).toEqual(byHash([SENDER, address, COINBASE]));
    // Cheats change the state after the latest block.
    const balance = await harness.call('eth_getBalance', [OTHER, 'latest']);
    await harness.call('anvil_setBalance', [OTHER, '0x0']);
    await harness.call('evm_mine');
    await harness.call('anvil_setBalance', [OTHER, balance]);
    expect([await ask('0x2'), await ask('0x3')]).toEqual([
      byHash([SENDER, address, COINBASE, OTHER]),
      [OTHER],
    ]);
    expect(await ask('0x1', '0x3')).toEqual(byHash([SENDER, address, COINBASE]));
  });

  it('modified accounts include destroyed accounts', async () => {
    const harness = await createRpcHarness();
    const contract = `0x${'c0'.repeat(20)}`;
    await harness.call('anvil_setCode', [contract, `0x73${String(OTHER).slice(2)}ff`]);
    const fields = { from: SENDER, to: contract, gas: 100_000 };
    await harness.call('eth_sendTransaction', [fields]);
    expect(await harness.call('eth_getCode', [contract, 'latest'])).toBe('0x');
    expect(await harness.call('debug_getModifiedAccountsByNumber', ['latest'])).toContain(contract);
  });

  it('debug_getModifiedAccountsByNumber rejects unknown blocks and inverted ranges', async () => {
    const harness = await createRpcHarness();
    await transfer(harness, OTHER);
    const ask = (...params: readonly unknown[]) => harness.call('debug_getModifiedAccountsByNumber', params);
    await expect(ask('0x9')).rejects.toMatchObject({ code: -32600 });
    for (const range of [
      ['0x1', '0x1'],
      ['0x1', '0x0'],
    ]) {
      await expect(ask(...range)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/params: end: expected a block above start/),
      });
    }
  });

  it('debug_getModifiedAccountsByNumber on a fork requests earlier blocks from the upstream', async () => {
    const node = await createExampleChain();
    const asked: string[] = [];
    const upstream = new ScriptedUpstream((method, params) => {
      asked.push(method);
      return node.call(method, params);
    });
    const fork = await createForkScene(upstream);
    const ask = (...params: readonly unknown[]) => fork.call('debug_getModifiedAccountsByNumber', params);
    const before = await ask('0x3');
    expect(asked).toContain('debug_getModifiedAccountsByNumber');
    expect(before).toEqual(await node.call('debug_getModifiedAccountsByNumber', ['0x3']));
    const start = await fork.call('eth_blockNumber');
    await fork.call('eth_sendTransaction', [{ from: SENDER, to: OTHER, value: '0x1' }]);
    expect(await ask(start, 'latest')).toEqual(byHash([SENDER, OTHER, COINBASE]));
    expect(await ask('latest')).toEqual(byHash([SENDER, OTHER, COINBASE]));
    await expect(ask('0x1', 'latest')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: start: expected the fork block \d+ or a later block/),
    });
  });
});

describe('debug_intermediateRoots', () => {
  it('debug_intermediateRoots returns the root after each transaction', async () => {
    const harness = await createRpcHarness();
    harness.chain.miner.setMode({ automine: false, blockTime: null });
    await transfer(harness, OTHER);
    await transfer(harness, THIRD);
    await harness.call('evm_mine');
    const { hash, stateRoot } = await blockOf(harness, 'latest');
    const roots = (await harness.call('debug_intermediateRoots', [hash])) as string[];
    expect(roots).toHaveLength(2);
    expect(roots[1]).toBe(stateRoot);
    expect(roots[0]).not.toBe(stateRoot);
    const { hash: first } = await blockOf(harness, 'earliest');
    expect(await harness.call('debug_intermediateRoots', [first, {}])).toEqual([]);
    await expect(harness.call('debug_intermediateRoots', [`0x${'12'.repeat(32)}`])).rejects.toMatchObject({
      code: -32600,
    });
  });
});

describe('debug_setHead', () => {
  it('debug_setHead removes the blocks above the number', async () => {
    const harness = await createRpcHarness();
    const gone = [await transfer(harness, OTHER), await transfer(harness, OTHER)][1];
    await transfer(harness, OTHER);
    expect(await harness.call('debug_setHead', ['0x1'])).toBeNull();
    expect(await harness.call('eth_blockNumber')).toBe('0x1');
    expect(await harness.call('eth_getTransactionByHash', [gone])).toBeNull();
    expect(await harness.call('eth_getTransactionCount', [SENDER, 'latest'])).toBe('0x1');
    expect(await harness.call('debug_setHead', ['0x1'])).toBeNull();
    expect(await harness.call('eth_blockNumber')).toBe('0x1');
  });

  it('debug_setHead rejects a number above the head and changes nothing', async () => {
    const harness = await createRpcHarness();
    await transfer(harness, OTHER);
    await expect(harness.call('debug_setHead', ['0x2'])).rejects.toMatchObject({
      code: -32000,
      message: 'not allowed to rewind to a future block: 2 is above the head, block 1',
    });
    await expect(harness.call('debug_setHead', ['latest'])).rejects.toMatchObject({ code: -32602 });
    expect(await harness.call('eth_blockNumber')).toBe('0x1');
  });
});

describe('debug_getBadBlocks', () => {
  it('debug_getBadBlocks is empty, because no invalid block is stored', async () => {
    const { call } = await createRpcHarness();
    expect(await call('debug_getBadBlocks')).toEqual([]);
  });
});

describe('debug_executionWitness', () => {
  it('debug_executionWitness returns the trie nodes before the block and the parent header', async () => {
    const harness = await createRpcHarness();
    await transfer(harness, OTHER);
    await transfer(harness, OTHER);
    const { stateRoot, hash } = await blockOf(harness, '0x1');
    const witness = (await harness.call('debug_executionWitness', ['0x2'])) as {
      readonly state: readonly `0x${string}`[];
      readonly codes: readonly string[];
      readonly keys: readonly string[];
      readonly headers: readonly string[];
    };
    expect(witness.state.map((node) => toHex(keccak256(fromHex(node))))).toContain(stateRoot);
    expect(witness.keys).toEqual(expect.arrayContaining([SENDER, OTHER]));
    expect(witness.codes).toEqual([]);
    expect(witness.headers).toEqual([await harness.call('debug_getRawHeader', [hash])]);
    const proof = (await harness.call('eth_getProof', [SENDER, [], '0x1'])) as { accountProof: string[] };
    expect(witness.state).toEqual(expect.arrayContaining(proof.accountProof));
  });

  it.each(['0x0', 'earliest'])('debug_executionWitness is rejected for the genesis, %s', async (block) => {
    const { call } = await createRpcHarness();
    await expect(call('debug_executionWitness', [block])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('block 0 is the first block and has no execution'),
    });
  });
});
