import { describe, expect, it } from 'vitest';
import { type ParentScene, serveParentChain } from './parent-scene.ts';

const RECEIVER = `0x${'ab'.repeat(20)}`;
const BRIDGE = '0x0000000000000000000000000000000001000006';

async function balanceOf({ rpc }: ParentScene, address: string, lane?: string): Promise<bigint> {
  return BigInt(String(await rpc('eth_getBalance', [address, 'latest'], lane)));
}

async function firstAccount({ rpc }: ParentScene): Promise<string> {
  const [first = ''] = (await rpc('eth_accounts')) as string[];
  return first;
}

const MODES = [
  ['automine', {}],
  ['mining on request', { noMining: true }],
  ['the federation p2wsh', { federation: 'p2wsh' }],
  ['REMASC and a minimum gas price', { remasc: true, minGasPrice: 60_000_000 }],
] as const;

describe('peg_in', () => {
  it.each(MODES)('credits the amount exactly with %s', async (_, options) => {
    const scene = await serveParentChain(options);
    const result = (await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 12_345_678 }])) as {
      txid: string;
      hash: string;
    };
    expect(await balanceOf(scene, RECEIVER)).toBe(12_345_678n * 10n ** 10n);
    expect(await scene.bitcoin('getrawtransaction', [result.txid, true])).toMatchObject({ confirmations: 3 });
    expect(await scene.rpc('eth_getTransactionReceipt', [result.hash])).toMatchObject({ status: '0x1' });
  });

  it('leaves the parent chain unchanged if the wallet can never pay', async () => {
    const { rpc, bitcoin } = await serveParentChain();
    const satoshis = 2_100_000_000_000_000;
    await expect(rpc('peg_in', [{ to: RECEIVER, satoshis }])).rejects.toThrow('Insufficient funds');
    expect(await bitcoin('getblockcount', [])).toBe(0);
  });

  it('is found by a search for the receiver', async () => {
    const { rpc } = await serveParentChain();
    const { hash } = (await rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }])) as { hash: string };
    expect(await rpc('ots_searchTransactionsBefore', [RECEIVER, 0, 5])).toMatchObject({ txs: [{ hash }] });
  });

  it('rejects an amount below the minimum', async () => {
    const { rpc } = await serveParentChain();
    await expect(rpc('peg_in', [{ to: RECEIVER, satoshis: 499_999 }])).rejects.toThrow(
      'the minimum is 500000 satoshis, got 499999',
    );
  });

  it('accepts an amount above the locking cap, as the Bridge does', async () => {
    const scene = await serveParentChain();
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 100_000_000_001 }]);
    expect(await balanceOf(scene, RECEIVER)).toBe(100_000_000_001n * 10n ** 10n);
  });

  it('is rejected without the federate', async () => {
    const { rpc } = await serveParentChain({ noFederate: true });
    await expect(rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }])).rejects.toThrow('--no-federate');
  });

  it('is rejected without a parent chain', async () => {
    const { rpc } = await serveParentChain({ parentChain: false });
    await expect(rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }])).rejects.toThrow('--parent-chain');
  });
});

describe('peg_out', () => {
  it.each(MODES)('pays the amount without the fee with %s', async (_, options) => {
    const scene = await serveParentChain(options);
    const from = await firstAccount(scene);
    await scene.rpc('peg_in', [{ to: from, satoshis: 100_000_000 }]);
    const before = Number(await scene.rpc('eth_blockNumber'));
    const { txid, blocks, hash } = (await scene.rpc('peg_out', [{ from, satoshis: 50_000_000 }])) as {
      txid: string;
      blocks: number;
      hash: string;
    };
    expect(Number(await scene.rpc('eth_blockNumber'))).toBe(before + blocks);
    expect(await scene.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    const payment = (await scene.bitcoin('getrawtransaction', [txid, true])) as {
      confirmations: number;
      vout: { value: number; scriptPubKey: { type: string } }[];
    };
    expect(payment.confirmations).toBeGreaterThan(0);
    const paid = payment.vout.find(({ scriptPubKey }) => scriptPubKey.type === 'pubkeyhash')?.value ?? 0;
    expect(paid).toBeGreaterThan(0.4);
    expect(paid).toBeLessThan(0.5);
    const status = (await scene.rpc('peg_status')) as {
      utxos: { txid: string; satoshis: number }[];
      deposits: unknown[];
      pegouts: unknown[];
      queue: unknown[];
    };
    expect(status).toMatchObject({ deposits: [], pegouts: [], queue: [] });
    expect(status.utxos).toEqual([
      { txid, vout: expect.any(Number), satoshis: 50_000_000, confirmations: 3 },
    ]);
  });

  it('rejects an impersonated account without a key', async () => {
    const { rpc } = await serveParentChain();
    await rpc('anvil_impersonateAccount', [RECEIVER]);
    await expect(rpc('peg_out', [{ from: RECEIVER, satoshis: 1_000_000 }])).rejects.toThrow('impersonated');
  });

  it('rejects an amount below the minimum or above the coins of the federation', async () => {
    const scene = await serveParentChain();
    const from = await firstAccount(scene);
    await expect(scene.rpc('peg_out', [{ from, satoshis: 249_999 }])).rejects.toThrow(
      'the minimum is 250000',
    );
    await expect(scene.rpc('peg_out', [{ from, satoshis: 250_000 }])).rejects.toThrow('peg in first');
  });

  it('waits for the change of an earlier peg-out in progress', async () => {
    const scene = await serveParentChain();
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 10_000_000 }]);
    const from = await firstAccount(scene);
    const value = `0x${(5_000_000n * 10n ** 10n).toString(16)}`;
    await scene.rpc('eth_sendTransaction', [{ from, to: BRIDGE, value, gas: '0x186a0' }]);
    expect(await scene.rpc('peg_status')).toMatchObject({ utxos: [], pegouts: [{ confirmations: 1 }] });
    await scene.rpc('peg_out', [{ from, satoshis: 4_000_000 }]);
    expect(await scene.rpc('peg_status')).toMatchObject({ utxos: [{}], pegouts: [], queue: [] });
  });

  it('rejects an amount that the federation cannot pay together with the queue', async () => {
    const scene = await serveParentChain();
    const from = await firstAccount(scene);
    await scene.rpc('peg_in', [{ to: from, satoshis: 1_000_000 }]);
    const value = `0x${(2n * 10n ** 16n).toString(16)}`;
    await scene.rpc('eth_sendTransaction', [{ from, to: BRIDGE, value, gas: '0x186a0' }]);
    await expect(scene.rpc('peg_out', [{ from, satoshis: 500_000 }])).rejects.toThrow(
      'the federation has 1000000 satoshis on the parent chain and 2000000 satoshis are queued, got 500000',
    );
  });
});

describe('peg_status', () => {
  it('marks a deposit that the Bridge rejects without a refund', async () => {
    const scene = await serveParentChain();
    const deposits = async (): Promise<unknown> =>
      ((await scene.rpc('peg_status')) as { deposits: unknown }).deposits;
    const miner = await scene.bitcoin('getnewaddress');
    await scene.bitcoin('generatetoaddress', [101, miner]);
    const { federation } = (await scene.rpc('peg_status')) as { federation: { address: string } };
    // The sender has a witness address, and the transaction names no receiver.
    const txid = await scene.bitcoin('sendtoaddress', [federation.address, 1]);
    const deposit = { txid, satoshis: 100_000_000, requiredConfirmations: 3, isRejected: true };

    expect(await deposits()).toEqual([{ ...deposit, confirmations: 0 }]);

    await scene.bitcoin('generatetoaddress', [4, miner]);
    expect(await deposits()).toEqual([{ ...deposit, confirmations: 4 }]);
  });

  it('does not mark a deposit that waits for confirmations', async () => {
    const scene = await serveParentChain({ noFederate: true });
    const miner = await scene.bitcoin('getnewaddress', ['', 'legacy']);
    await scene.bitcoin('generatetoaddress', [101, miner]);
    const { federation } = (await scene.rpc('peg_status')) as { federation: { address: string } };
    await scene.bitcoin('sendtoaddress', [federation.address, 1]);

    expect(await scene.rpc('peg_status')).toMatchObject({ deposits: [{ isRejected: false }] });
  });
});

describe('the parent chain of a lane', () => {
  it('is separate, and evm_revert reverts both chains', async () => {
    const scene = await serveParentChain();
    const height = (lane?: string): Promise<unknown> => scene.bitcoin('getblockcount', [], lane);
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }], 'one');
    expect(await height('one')).toBe(104);
    expect(await height('two')).toBe(0);
    expect(await height()).toBe(0);
    const snapshot = await scene.rpc('evm_snapshot', [], 'one');
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 2_000_000 }], 'one');
    expect(await balanceOf(scene, RECEIVER, 'one')).toBe(3_000_000n * 10n ** 10n);
    await scene.rpc('evm_revert', [snapshot], 'one');
    expect(await height('one')).toBe(104);
    expect(await balanceOf(scene, RECEIVER, 'one')).toBe(1_000_000n * 10n ** 10n);
    await scene.rpc('peg_in', [{ to: RECEIVER, satoshis: 2_000_000 }], 'one');
    expect(await balanceOf(scene, RECEIVER, 'one')).toBe(3_000_000n * 10n ** 10n);
    expect(await balanceOf(scene, RECEIVER, 'two')).toBe(0n);
  });
});

describe('the last time of the parent chain', () => {
  it('is a clear error of calls that need a later block', async () => {
    const scene = await serveParentChain();
    await scene.rpc('evm_setNextBlockTimestamp', ['0xfffffff0']);
    await scene.rpc('evm_mine');
    const address = await scene.bitcoin('getnewaddress');
    const message = /^\w+: .*the time of a block of the parent chain: expected at most 4294967295 seconds/;
    await expect(scene.bitcoin('generatetoaddress', [300, address])).rejects.toThrow(message);
    for (const [method, params] of [
      ['evm_mine', []],
      ['peg_in', [{ to: RECEIVER, satoshis: 1_000_000 }]],
    ] as const) {
      const failure = expect(scene.rpc(method, params)).rejects;
      await failure.toThrow(message);
      await expect(scene.rpc(method, params)).rejects.not.toThrow(/internal error/);
    }
  });
});
