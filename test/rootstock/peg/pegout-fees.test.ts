import { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import type { RootstockUpgrade } from '../../../src/protocol/hardforks/rootstock.ts';
import { feeOfAmount, feeOfNextPegout, minimumForFee } from '../../../src/rootstock/peg/pegout-fees.ts';
import { assumedSize } from '../../../src/rootstock/peg/release-transaction.ts';
import { type TestCall, testCall } from './pegout-call.ts';
import { numberHash, testFederation, utxosOf } from './test-federations.ts';

const COIN = 100_000_000n;
const MIN = 400_000n;
const FEE = 8_000n;

type Coins = readonly bigint[];

const EIGHT: Coins = [8n * COIN, 8n * COIN];
const FOUR_OF_ONE: Coins = [COIN, COIN, COIN, COIN];
const TWO_OF_ONE: Coins = [COIN, COIN];
const ONE_AND_LEAST: Coins = [COIN, MIN];

/** A mainnet Bridge with a federation of 20 members with a witness script. */
function scene(coins: Coins, requests: readonly bigint[], feePerKilobyte: bigint): TestCall {
  const federation = testFederation('witness');
  const test = testCall({ chainId: 30, federation, feePerKilobyte });
  const { state } = test.call;
  state.utxos.add(
    coins.flatMap((value, index) =>
      utxosOf(federation, 1, value).map((utxo) => ({ ...utxo, transactionId: numberHash(index + 1) })),
    ),
  );
  for (const amount of requests)
    state.queue({ destination: new Uint8Array(20), amount, transactionHash: new Uint8Array(32) });
  return test;
}

const least = (count: number): bigint[] => Array.from({ length: count }, () => MIN);

describe('the fee of the next pegout', () => {
  it.each<[string, Coins, readonly bigint[], bigint]>([
    ['no request', EIGHT, [], 4_536n],
    ['no coins and no request', [], [], 7_664n],
    ['no coins and one request', [], [COIN], 7_920n],
    ['one request of the minimum', FOUR_OF_ONE, least(1), 4_808n],
    ['two requests of the minimum', FOUR_OF_ONE, least(2), 5_080n],
    ['three requests of the minimum', FOUR_OF_ONE, least(3), 5_352n],
    ['a request of one output', TWO_OF_ONE, [COIN], 8_736n],
    ['a request of more than one output', TWO_OF_ONE, [COIN + 1n], 8_736n],
    ['a request that leaves the minimum', ONE_AND_LEAST, [COIN], 8_480n],
    ['a request that leaves less than the minimum', ONE_AND_LEAST, [COIN + 1n], 7_920n],
    ['two requests of several outputs', EIGHT, [COIN + 1n, 10n * COIN], 9_008n],
    ['three requests of several outputs', EIGHT, [COIN, COIN, 10n * COIN], 9_280n],
  ])('is computed for %s, and doubles with the fee rate', (_, coins, requests, fee) => {
    expect(feeOfNextPegout(scene(coins, requests, FEE).call)).toBe(fee);
    expect(feeOfNextPegout(scene(coins, requests, 2n * FEE).call)).toBe(2n * fee);
  });
});

describe('the fee of an amount', () => {
  it.each<[string, Coins, readonly bigint[], bigint, bigint]>([
    ['the minimum', EIGHT, [], MIN, 4_536n],
    ['one coin', EIGHT, [], COIN, 4_536n],
    ['one coin after one request', FOUR_OF_ONE, least(1), COIN, 8_736n],
    ['one coin after two requests', FOUR_OF_ONE, least(2), COIN, 9_008n],
    ['one coin after three requests', FOUR_OF_ONE, least(3), COIN, 9_280n],
    ['the minimum after one request', FOUR_OF_ONE, least(1), MIN, 4_808n],
    ['the minimum after two requests', FOUR_OF_ONE, least(2), MIN, 5_080n],
    ['the minimum after three requests', FOUR_OF_ONE, least(3), MIN, 5_352n],
    ['three times the minimum', FOUR_OF_ONE, least(2), 3n * MIN, 5_080n],
    ['two coins', FOUR_OF_ONE, least(2), 2n * COIN, 12_936n],
    ['a little more than the minimum', FOUR_OF_ONE, least(2), MIN + 1_000n, 5_080n],
  ])('is computed for %s, and doubles with the fee rate', (_, coins, requests, amount, fee) => {
    expect(feeOfAmount(scene(coins, requests, FEE).call, amount)).toBe(fee);
    expect(feeOfAmount(scene(coins, requests, 2n * FEE).call, amount)).toBe(2n * fee);
  });

  it('fails below the minimum', () => {
    expect(() => feeOfAmount(scene(FOUR_OF_ONE, [], FEE).call, MIN - 1n)).toThrow('too low');
  });

  it('fails if the federation cannot pay the amount', () => {
    expect(() => feeOfAmount(scene([], [], FEE).call, MIN)).toThrow('cannot pay');
  });
});

const NONE: ReadonlySet<RootstockUpgrade> = new Set();

describe('the assumed size of a pegout', () => {
  it.each([
    [2, 2, 2_058, 694],
    [9, 2, 9_002, 2_866],
    [10, 20, 10_570, 3_752],
    [50, 200, 56_010, 21_922],
  ])('is exact for 13 members, %i inputs and %i outputs', (inputs, outputs, plain, witness) => {
    expect(assumedSize(testFederation('multisig', 13), inputs, outputs, NONE)).toBe(plain);
    expect(assumedSize(testFederation('witness', 13), inputs, outputs, NONE)).toBe(witness);
  });

  it.each([
    ['multisig', 3, 12_240n],
    ['multisig', 152, 50_384n],
    ['emergency', 3, 14_608n],
    ['emergency', 152, 52_752n],
    ['emergency', 2, 14_352n],
  ] as const)('gives the fee of a federation (%s) with 9 members and %i outputs', (kind, outputs, fee) => {
    const size = assumedSize(testFederation(kind), 2, outputs, NONE);
    expect((FEE * BigInt(size)) / 1_000n).toBe(fee);
    expect((2n * FEE * BigInt(size)) / 1_000n).toBe(2n * fee);
  });
});

describe('the assumed size of a pegout with RSKIP-378', () => {
  it.each([
    [2, 2, 13],
    [9, 2, 13],
    [50, 200, 13],
    [2, 3, 20],
  ])(
    'is the size of the signed transaction with %i inputs and %i outputs of %i members',
    (inputs, outputs, size) => {
      const federation = testFederation('witness', size);
      const transaction = new Transaction();
      for (let index = 0; index < inputs; index++) {
        // Rootstock assumes a script of 36 bytes, one more than the script of an input has.
        transaction.addInput(numberHash(index), 0, undefined, new Uint8Array(36));
        const signatures = Array.from({ length: federation.threshold }, () => new Uint8Array(72));
        const empty = new Uint8Array(0);
        transaction.setWitness(index, [empty, ...signatures, empty, federation.redeemScript]);
      }
      for (let index = 0; index < outputs; index++) transaction.addOutput(federation.outputScript, 0n);
      // The marker and the flag of the witness are not counted.
      const weight = transaction.weight() - 2;
      const assumed = assumedSize(federation, inputs, outputs, new Set(['RSKIP378']));
      expect(assumed).toBe(Math.floor(weight / 4));
    },
  );
});

describe('the minimum amount that pays for its fee', () => {
  it.each([
    [30, 13, 80n],
    [33, 13, 20n],
  ])('has the gap of chain %i', (chainId, size, percent) => {
    const federation = testFederation('multisig', size);
    const { call } = testCall({ chainId, federation, feePerKilobyte: 1_000n });
    expect(minimumForFee(call)).toBe(2_058n + (2_058n * percent) / 100n);
  });
});
