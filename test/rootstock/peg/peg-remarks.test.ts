import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import { coinsText } from '../../../src/rootstock/peg/coins-text.ts';
import { REJECTED_PEGIN, UNREFUNDABLE_PEGIN } from '../../../src/rootstock/peg/evaluate-pegin.ts';
import { peginRemark } from '../../../src/rootstock/peg/pegin-remarks.ts';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { ABI, addressOfSeed, BRIDGE, publicKeyOfSeed } from '../bridge/bridge-scene.ts';

const CONSTANTS = bridgeConstants(33, 'legacy');
const RECEIVER = new Uint8Array(20).fill(1);
const REFUND = { kind: 'key', hash: new Uint8Array(20) } as const;

describe('the remark on a peg-in', () => {
  it('names the version, the amount and the receiver', () => {
    const verdict = { action: 'register', receiver: RECEIVER, version: 1 } as const;

    expect(peginRemark(verdict, 50_000_000n, CONSTANTS)).toBe(
      `peg-in of version 1 accepted: 0.5 BTC to 0x${'01'.repeat(20)}`,
    );
  });

  it('names the reason of a rejection and the address of the refund', () => {
    const verdict = {
      action: 'refund',
      rejection: REJECTED_PEGIN.invalidPayload,
      refundAddress: REFUND,
    } as const;

    expect(peginRemark(verdict, 1n, CONSTANTS)).toBe(
      'peg-in rejected: the instructions are invalid; refund to mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8',
    );
  });

  it('names the minimum if the coins are not refunded', () => {
    const verdict = {
      action: 'keep',
      rejection: REJECTED_PEGIN.invalidAmount,
      unrefundable: UNREFUNDABLE_PEGIN.invalidAmount,
    } as const;

    expect(peginRemark(verdict, 1n, CONSTANTS)).toBe(
      'peg-in rejected: an output to the federation is below the minimum of 0.005 BTC; no refund',
    );
  });

  it('prints satoshi as coins', () => {
    expect([1n, 100_000_000n, 123_450_000n].map(coinsText)).toEqual([
      '0.00000001 BTC',
      '1 BTC',
      '1.2345 BTC',
    ]);
  });
});

/** Sends a call of the Bridge, and resolves to the remarks on it. */
async function remarksOn(seed: string, method: string, ...values: unknown[]): Promise<readonly string[]> {
  const rpc = await createRpcHarness({}, { predeploys: true });
  const data = ABI.encodeFunctionData(method, values);
  const from = toHex(addressOfSeed(seed));
  const { call } = (await rpc.call('inspect_call', [{ from, to: toHex(BRIDGE), data }])) as {
    readonly call: { readonly remarks?: readonly string[] };
  };
  return call.remarks ?? [];
}

describe('remarks of the Bridge', () => {
  it('explains the missing confirmations of registerBtcTransaction', async () => {
    expect(
      await remarksOn('cow', 'registerBtcTransaction', new Uint8Array(60), 0, new Uint8Array(9)),
    ).toEqual(["not registered: the block has 1 of 3 confirmations; the Bridge's best block is 0"]);
    expect(
      await remarksOn('cow', 'registerBtcTransaction', new Uint8Array(60), 7, new Uint8Array(9)),
    ).toEqual(["not registered: block 7 of the parent chain is unknown; the Bridge's best block is 0"]);
  });

  it('explains the result of registerFastBridgeBtcTransaction', async () => {
    const address = `0x6f${'00'.repeat(20)}`;
    const hash = `0x${'00'.repeat(32)}`;
    const contract = `0x${'01'.repeat(20)}`;
    const values = ['0x', 0, '0x', hash, address, contract, address, false];

    expect(await remarksOn('cow', 'registerFastBridgeBtcTransaction', ...values)).toEqual([
      'Flyover peg-in rejected (-300): only a contract can call this method',
    ]);
  });

  it('explains ignored signatures', async () => {
    const key = publicKeyOfSeed('federator1');
    const signature = '0x3006020101020101';

    expect(await remarksOn('federator1', 'addSignature', key, [signature], `0x${'00'.repeat(32)}`)).toEqual([
      'signatures ignored: no peg-out with this creation hash waits for signatures',
    ]);
  });
});
