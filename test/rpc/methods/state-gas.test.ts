import { concatHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const EXISTING = `0x${'e1'.repeat(20)}`;
const CONTRACT = `0x${'c0'.repeat(20)}`;
const DELEGATED = `0x${'d7'.repeat(20)}`;
const AUTHORITY = privateKeyToAccount(`0x${'a7'.repeat(32)}`);
const NEW_ACCOUNT = 120 * 1_530;
const NEW_SLOT = 64 * 1_530;
const DELEGATION = 23 * 1_530;
const TX_MAX_GAS = 2 ** 24;

interface Used {
  readonly status: string;
  readonly gas: number;
  /** Gas of the block, which contains only this transaction. */
  readonly block: number;
}

interface Scene extends RpcHarness {
  used(transaction: object): Promise<Used>;
}

async function createScene(): Promise<Scene> {
  const harness = await createRpcHarness(
    { compat: 'anvil' },
    { ruleSet: 'amsterdam', gasLimit: 60_000_000n, codeSizeLimit: 65_536 },
  );
  const { call } = harness;
  await call('anvil_setBalance', [EXISTING, '0x1']);
  await call('anvil_setCode', [DELEGATED, concatHex(['0xef0100', EXISTING as `0x${string}`])]);
  const used = async (transaction: object): Promise<Used> => {
    const hash = await call('eth_sendTransaction', [{ from: SENDER, ...transaction }]);
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as { status: string; gasUsed: string };
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as { gasUsed: string };
    return { status: receipt.status, gas: Number(receipt.gasUsed), block: Number(block.gasUsed) };
  };
  return { ...harness, used };
}

const quantity = (gas: number): string => `0x${gas.toString(16)}`;
const slot = (digits: string): string => `0x${digits.padStart(64, '0')}`;
/** Initcode that returns `length` zero bytes. */
const zeros = (length: number): string => `0x62${length.toString(16).padStart(6, '0')}5ff3`;

describe('the reference cases of EIP-2780', () => {
  it.each([
    ['a transfer to oneself', { to: SENDER, value: '0x1' }, 12_000, 0],
    ['a call of an account with nothing', { to: EXISTING }, 15_000, 0],
    ['a call of an account that does not exist', { to: `0x${'77'.repeat(20)}` }, 15_000, 0],
    ['a transfer to an account', { to: EXISTING, value: '0x1' }, 21_000, 0],
    ['a transfer that makes an account', { to: `0x${'77'.repeat(20)}`, value: '0x1' }, 21_000, NEW_ACCOUNT],
    ['a call of one that delegates', { to: DELEGATED }, 18_000, 0],
    ['a transfer to one that delegates', { to: DELEGATED, value: '0x1' }, 24_000, 0],
    ['a creation', { data: '0x00' }, 24_000 + 4 + 2, NEW_ACCOUNT],
    ['a creation with wei', { data: '0x00', value: '0x1' }, 24_000 + 4 + 2, NEW_ACCOUNT],
  ])(
    '%s has the gas of the EIP, in the transaction and in the block',
    async (_, transaction, execution, state) => {
      const { used } = await createScene();
      const gas = quantity(400_000);
      expect(await used({ ...transaction, gas })).toEqual({
        status: '0x1',
        gas: execution + state,
        block: Math.max(execution, state),
      });
    },
  );

  it('estimates and default gas include the gas of a new account', async () => {
    const { call, used } = await createScene();
    const transfer = { from: SENDER, to: `0x${'77'.repeat(20)}`, value: '0x1' };
    expect(await call('eth_estimateGas', [transfer])).toBe(quantity(21_000 + NEW_ACCOUNT));
    expect(await used(transfer)).toMatchObject({ status: '0x1', gas: 21_000 + NEW_ACCOUNT });
    expect(await call('eth_estimateGas', [transfer])).toBe(quantity(21_000));
  });

  it('a transaction without gas for the new account fails and uses all its gas', async () => {
    const { call, used } = await createScene();
    const to = `0x${'77'.repeat(20)}`;
    expect(await used({ to, value: '0x1', gas: quantity(100_000) })).toMatchObject({
      status: '0x0',
      gas: 100_000,
    });
    expect(await call('eth_getBalance', [to, 'latest'])).toBe('0x0');
    const hash = ((await call('eth_getBlockByNumber', ['latest', false])) as { transactions: string[] })
      .transactions[0];
    expect(await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
      to,
      error: 'out of gas',
    });
  });
});

describe('authorizations under amsterdam', () => {
  async function authorize({ call }: RpcHarness, nonce: number): Promise<object> {
    const chainId = Number(await call('eth_chainId', []));
    return AUTHORITY.signAuthorization({ address: CONTRACT as `0x${string}`, chainId, nonce });
  }

  it('authorizations pay once for the write, the account and the code', async () => {
    const scene = await createScene();
    const first = await authorize(scene, 0);
    const base = 15_000 + 7_816;
    const request = { to: EXISTING, gas: quantity(400_000) };
    expect(await scene.used({ ...request, authorizationList: [first] })).toMatchObject({
      gas: base + 9_000 + NEW_ACCOUNT + DELEGATION,
      block: NEW_ACCOUNT + DELEGATION,
    });
    const again = [await authorize(scene, 1), await authorize(scene, 2)];
    expect(await scene.used({ ...request, authorizationList: again })).toMatchObject({
      gas: base + 7_816 + 9_000,
    });
  });

  it('authorizations are reverted if they cannot be paid for', async () => {
    const scene = await createScene();
    const authorizationList = [await authorize(scene, 0)];
    const gas = quantity(100_000);
    expect(await scene.used({ to: EXISTING, gas, authorizationList })).toMatchObject({
      status: '0x0',
      gas: 100_000,
    });
    expect(await scene.call('eth_getCode', [AUTHORITY.address, 'latest'])).toBe('0x');
    expect(await scene.call('eth_getTransactionCount', [AUTHORITY.address, 'latest'])).toBe('0x0');
  });
});

describe('the gas of state (EIP-8037)', () => {
  it('state gas is charged for a new slot and refunded if the slot is zero again', async () => {
    const { call, used } = await createScene();
    // SSTORE(1, 5): a cold slot and its first write.
    await call('anvil_setCode', [CONTRACT, '0x6005600155']);
    const written = 15_000 + 6 + 2_100 + 10_000;
    const gas = quantity(300_000);
    expect(await used({ to: CONTRACT, gas })).toEqual({
      status: '0x1',
      gas: written + NEW_SLOT,
      block: NEW_SLOT,
    });
    // The same value, warm. Then slot 2 is set and cleared in one transaction.
    expect(await used({ to: CONTRACT, gas })).toMatchObject({ gas: 15_000 + 6 + 2_100 });
    await call('anvil_setCode', [CONTRACT, '0x60056002555f600255']);
    const both = 15_000 + 6 + 2_100 + 10_000 + 5 + 100;
    expect(await used({ to: CONTRACT, gas })).toMatchObject({
      gas: both - Math.floor(both / 5),
      block: both,
    });
    expect(await call('eth_getStorageAt', [CONTRACT, slot('2'), 'latest'])).toBe(slot('0'));
  });

  it('state gas is refunded by a revert, and by a halt with a gas limit above 2^24', async () => {
    const { call, used } = await createScene();
    await call('anvil_setCode', [CONTRACT, '0x60056001555f5ffd']);
    const gas = quantity(TX_MAX_GAS + 1_000_000);
    const reverted = 15_000 + 6 + 2_100 + 10_000 + 4;
    expect(await used({ to: CONTRACT, gas })).toMatchObject({ status: '0x0', gas: reverted });
    await call('anvil_setCode', [CONTRACT, '0x6005600155fe']);
    expect(await used({ to: CONTRACT, gas })).toMatchObject({ status: '0x0', gas: TX_MAX_GAS });
  });

  it('a gas limit above 2^24 pays for state gas, and GAS does not return it', async () => {
    const { call, used } = await createScene();
    // Returns GAS.
    await call('anvil_setCode', [CONTRACT, '0x5a5f5260205ff3']);
    const seen = await call('eth_call', [{ to: CONTRACT, gas: quantity(40_000_000) }, 'latest']);
    expect(Number(seen)).toBe(TX_MAX_GAS - 15_000 - 2);
    const data = zeros(20_000);
    const needed = Number(await call('eth_estimateGas', [{ from: SENDER, data }]));
    expect(needed).toBeGreaterThan(20_000 * 1_530);
    expect(await used({ data, gas: quantity(needed) })).toMatchObject({
      status: '0x1',
      gas: needed,
      block: NEW_ACCOUNT + 20_000 * 1_530,
    });
  });

  it('state gas fills a block besides execution gas', async () => {
    const { call } = await createScene();
    await call('evm_setAutomine', [false]);
    const creation = { from: SENDER, data: zeros(20_000), gas: quantity(31_000_000) };
    const hashes = [];
    for (let nonce = 0; nonce < 2; nonce++) {
      hashes.push(await call('eth_sendTransaction', [{ ...creation, nonce: quantity(nonce) }]));
    }
    // Two creations exceed the gas limit of 60 million, although their execution gas fits. evm_mine mines a
    // second block.
    await call('anvil_mine', []);
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as {
      readonly transactions: readonly string[];
      readonly gasUsed: string;
    };
    expect(block.transactions).toEqual(hashes.slice(0, 1));
    expect(Number(block.gasUsed)).toBe(NEW_ACCOUNT + 20_000 * 1_530);
  });

  it('simulated blocks and creations by contracts pay state gas', async () => {
    const { call, used } = await createScene();
    // CREATE of an empty contract in a contract.
    await call('anvil_setCode', [CONTRACT, '0x5f5f5ff0']);
    const create = 15_000 + 6 + 12_000;
    expect(await used({ to: CONTRACT, gas: quantity(400_000) })).toMatchObject({
      gas: create + NEW_ACCOUNT,
      block: NEW_ACCOUNT,
    });
    const calls = [{ from: SENDER, to: CONTRACT, gas: quantity(400_000) }];
    const [block] = (await call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest'])) as {
      readonly gasUsed: string;
      readonly calls: readonly { readonly gasUsed: string }[];
    }[];
    expect(Number(block?.gasUsed)).toBe(NEW_ACCOUNT);
    expect(Number(block?.calls[0]?.gasUsed)).toBe(create + NEW_ACCOUNT);
  });
});
