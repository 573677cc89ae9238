import { payments, script, Transaction } from 'bitcoinjs-lib';
import { SigningKey, toBeHex } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import type { Federation } from '../../../src/rootstock/bridge/federation.ts';
import {
  buildEmptyWallet,
  buildRelease,
  type ReleaseFailure,
  type ReleasePlan,
  type SpendableUtxo,
} from '../../../src/rootstock/peg/release-transaction.ts';
import { unsignedTransaction } from '../../../src/rootstock/peg/unsigned-transaction.ts';
import { type FederationKind, flyoverUtxo, numberHash, testFederation, utxosOf } from './test-federations.ts';

const COIN = 100_000_000n;
const MIN_PEGIN = 500_000n;
const MIN_PEGOUT = 400_000n;
/** The lowest value of a P2SH output that is not dust. */
const LEAST = 2_700n;
const USUAL_FEE = 50_000n;
const HIGH_FEE = 1_000_000n;

const OP_NOTIF = 0x64;

/** The output script for the key of a number. */
function recipient(number: number): Uint8Array {
  const pubkey = fromHex(SigningKey.computePublicKey(toBeHex(number, 32), true));
  return payments.p2pkh({ pubkey }).output ?? new Uint8Array(0);
}

/** The transaction, written by another library. */
function expectedTransaction(
  { threshold, formatVersion }: Federation,
  inputs: readonly SpendableUtxo[],
  outputs: readonly (readonly [Uint8Array, bigint])[],
): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const [index, { transactionId, index: output, redeemScript }] of inputs.entries()) {
    transaction.addInput(transactionId.slice().reverse(), output);
    const zeros = Array.from({ length: threshold + 1 }, () => 0x00);
    const isErp = [redeemScript[0], redeemScript[34]].includes(OP_NOTIF);
    if (formatVersion === 1000) {
      transaction.setInputScript(index, script.compile([...zeros, ...(isErp ? [0x00] : []), redeemScript]));
    } else {
      const { output: program } = payments.p2wsh({ redeem: { output: redeemScript } });
      transaction.setInputScript(index, script.compile([program ?? new Uint8Array(0)]));
      transaction.setWitness(index, [...[...zeros, 0].map(() => new Uint8Array(0)), redeemScript]);
    }
  }
  for (const [output, value] of outputs) transaction.addOutput(output, value);
  return transaction;
}

/** Compares all bytes. The values of the outputs show the difference. */
function expectSame(found: Transaction, expected: Transaction): void {
  expect(found.outs.map(({ value }) => value)).toEqual(expected.outs.map(({ value }) => value));
  expect(found.byteLength()).toBe(expected.byteLength());
  expect(Buffer.compare(found.toBuffer(), expected.toBuffer())).toBe(0);
}

/** The fee by the size of the transaction with signatures of 75 bytes. */
function expectedFee(
  { threshold, formatVersion }: Federation,
  inputs: readonly SpendableUtxo[],
  outputScripts: readonly Uint8Array[],
  feePerKilobyte: bigint,
): bigint {
  const bare = new Transaction();
  for (const { transactionId, index } of inputs) bare.addInput(transactionId, index);
  for (const output of outputScripts) bare.addOutput(output, 0n);
  const signing = inputs.reduce((sum, { redeemScript }) => sum + threshold * 75 + redeemScript.length, 0);
  const base = bare.byteLength() + (formatVersion === 4000 ? 36 * inputs.length : 0);
  const size = formatVersion === 4000 ? Math.floor((4 * base + signing) / 4) : base + signing;
  return (feePerKilobyte * BigInt(size)) / 1000n;
}

type Outcome = ReleaseFailure | { readonly inputs: number; readonly raised?: bigint };

interface Case {
  readonly name: string;
  readonly kind: FederationKind;
  readonly utxos: readonly (readonly [count: number, value: bigint])[];
  readonly hasFlyover?: boolean;
  readonly requests: readonly bigint[];
  readonly fee?: bigint;
  readonly outcome: Outcome;
}

const TEN_PEGINS = [[10, MIN_PEGIN]] as const;

/** The cases of `BuildAmountToTest` and `BuildBatchedPegoutsTest`, for any federation. */
function commonCases(kind: FederationKind): Case[] {
  const pegout = [MIN_PEGOUT];
  return [
    { name: 'no coins', kind, utxos: [], requests: pegout, outcome: 'INSUFFICIENT_MONEY' },
    {
      name: 'one output covers the amount',
      kind,
      utxos: TEN_PEGINS,
      requests: pegout,
      outcome: { inputs: 1 },
    },
    {
      name: 'several outputs cover the amount',
      kind,
      utxos: [[10, MIN_PEGOUT]],
      hasFlyover: true,
      requests: [MIN_PEGOUT + 1_000n],
      outcome: { inputs: 2 },
    },
    {
      name: 'three requests',
      kind,
      utxos: TEN_PEGINS,
      requests: [MIN_PEGOUT, MIN_PEGOUT, MIN_PEGOUT],
      outcome: { inputs: 3 },
    },
    {
      name: 'exactly the coins of the federation',
      kind,
      utxos: [[1, MIN_PEGOUT]],
      requests: pegout,
      outcome: { inputs: 1 },
    },
    {
      name: 'one satoshi too much',
      kind,
      utxos: [[1, MIN_PEGOUT]],
      requests: [MIN_PEGOUT + 1n],
      outcome: 'INSUFFICIENT_MONEY',
    },
    {
      name: 'the highest dust as change',
      kind,
      utxos: [[1, MIN_PEGOUT + LEAST - 1n]],
      requests: pegout,
      outcome: { inputs: 1, raised: 1n },
    },
    {
      name: 'the lowest change that is not dust',
      kind,
      utxos: [[1, MIN_PEGOUT + LEAST]],
      requests: pegout,
      outcome: { inputs: 1 },
    },
    {
      name: 'a change of one satoshi',
      kind,
      utxos: [[1, MIN_PEGOUT + 1n]],
      requests: pegout,
      outcome: { inputs: 1, raised: LEAST - 1n },
    },
    {
      name: 'coins that cost more than their value',
      kind,
      utxos: [[10, LEAST]],
      requests: [10n * LEAST],
      outcome: 'COULD_NOT_ADJUST_DOWNWARDS',
    },
    {
      name: 'dust as amount',
      kind,
      utxos: TEN_PEGINS,
      requests: [LEAST - 1n],
      outcome: 'DUSTY_SEND_REQUESTED',
    },
    {
      name: 'a fee above the amount',
      kind,
      utxos: [[3, MIN_PEGIN]],
      requests: pegout,
      fee: HIGH_FEE,
      outcome: 'COULD_NOT_ADJUST_DOWNWARDS',
    },
    {
      name: 'a high fee',
      kind,
      utxos: [[10, COIN]],
      requests: [COIN - LEAST],
      fee: HIGH_FEE,
      outcome: { inputs: 1 },
    },
    {
      name: 'a fee below the minimum',
      kind,
      utxos: TEN_PEGINS,
      requests: pegout,
      fee: 1n,
      outcome: { inputs: 1 },
    },
  ];
}

/** `count` equal requests for all coins but a rest for each. */
function shared(kind: FederationKind, coins: number, count: number, rest: bigint, outcome: Outcome): Case {
  const amount = (COIN * BigInt(coins)) / BigInt(count) - rest;
  const requests = Array.from({ length: count }, () => amount);
  return {
    name: `${count} requests for ${coins} outputs of a coin`,
    kind,
    utxos: [[coins, COIN]],
    requests,
    outcome,
  };
}

const TOO_LARGE = 'EXCEED_MAX_TRANSACTION_SIZE';

const SIZE_CASES: readonly Case[] = [
  shared('multisig', 277, 1, LEAST, TOO_LARGE),
  shared('multisig', 276, 1, LEAST, { inputs: 276 }),
  shared('emergency', 196, 1, 1_000n, TOO_LARGE),
  shared('emergency', 195, 15, 1_000n, TOO_LARGE),
  shared('emergency', 195, 1, LEAST, { inputs: 195 }),
  shared('emergency', 195, 14, LEAST, { inputs: 195 }),
  shared('emergency', 194, 15, LEAST, { inputs: 194 }),
  shared('witness', 2438, 1, 1_000n, TOO_LARGE),
  shared('witness', 2437, 2, 1_000n, TOO_LARGE),
  shared('witness', 2436, 3, 1_000n, TOO_LARGE),
  shared('witness', 2437, 1, LEAST, { inputs: 2437 }),
  shared('witness', 2436, 2, LEAST, { inputs: 2436 }),
  shared('witness', 2435, 3, LEAST, { inputs: 2435 }),
];

const KINDS = ['multisig', 'emergency', 'witness'] as const;

describe('a release with RSKIP-378', () => {
  const rules = { feePerKilobyte: USUAL_FEE, upgrades: new Set(['RSKIP378'] as const) };

  it.each([
    ['witness', 20],
    ['witness', 3],
    ['multisig', 9],
  ] as const)('of a federation (%s) with %i members has at most 90,000 virtual bytes', (kind, size) => {
    const federation = testFederation(kind, size);
    const witness =
      federation.threshold * 73 +
      federation.redeemScript.length +
      3 +
      (federation.redeemScript.length > 252 ? 3 : 1);
    const isBuilt = (count: number): boolean => {
      const utxos = utxosOf(federation, count, COIN);
      const plan = buildEmptyWallet(recipient(1), utxos, { ...rules, federation });
      return !('failure' in plan);
    };
    const unsigned = (count: number): number => {
      const outputs = [[recipient(1), COIN]] as const;
      const transaction = expectedTransaction(federation, utxosOf(federation, count, COIN), outputs);
      for (const input of transaction.ins) input.witness = [];
      return Math.floor((4 * transaction.byteLength() + count * witness) / 4);
    };
    let [most, tooMany] = [1, 3_000];
    while (tooMany - most > 1) {
      const middle = Math.floor((most + tooMany) / 2);
      if (unsigned(middle) <= 90_000) most = middle;
      else tooMany = middle;
    }
    expect([isBuilt(most), isBuilt(most + 1)]).toEqual([true, false]);
  });
});

describe.each(KINDS)('a release of a federation (%s)', (kind) => {
  const federation = testFederation(kind);
  const cases = [...commonCases(kind), ...SIZE_CASES.filter((one) => one.kind === kind)];

  it.each(cases)('$name', ({ utxos, hasFlyover, requests, fee: feePerKilobyte = USUAL_FEE, outcome }) => {
    const own = utxos.flatMap(([count, value]) => utxosOf(federation, count, value));
    const all = hasFlyover === true ? [...own, flyoverUtxo(kind, federation)] : own;
    const outputs = requests.map((value, index) => ({ script: recipient(1_000 + index), value }));
    const result = buildRelease(outputs, all, { federation, feePerKilobyte, upgrades: new Set() });
    if (typeof outcome === 'string') {
      expect(result).toEqual({ failure: outcome });
      return;
    }
    const plan = result as ReleasePlan;
    const total = requests.reduce((sum, value) => sum + value, 0n);
    const inputs = ordered(all).slice(0, outcome.inputs);
    const change = inputs.reduce((sum, { value }) => sum + value, -total);
    const scripts = outputs
      .map((output) => output.script)
      .concat(change === 0n ? [] : [federation.outputScript]);
    const rate = feePerKilobyte < 5_000n ? 5_000n : feePerKilobyte;
    const fee = expectedFee(federation, inputs, scripts, rate);
    const count = BigInt(requests.length);
    const raised = outcome.raised ?? 0n;
    const paid = outputs.map(
      ({ script: to, value }, index) =>
        [to, value - fee / count - (index === 0 ? (fee % count) + raised : 0n)] as const,
    );
    const withChange = change === 0n ? paid : [...paid, [federation.outputScript, change + raised] as const];
    const expected = expectedTransaction(federation, inputs, withChange);
    expectSame(unsignedTransaction(plan, { federation }), expected);
  });

  const TOO_MANY = { multisig: 277, emergency: 196, witness: 2438 }[kind];

  it.each<[string, number, bigint, bigint, ReleaseFailure | null]>([
    ['no output', 0, 0n, USUAL_FEE, 'COULD_NOT_ADJUST_DOWNWARDS'],
    ['a single output', 1, MIN_PEGIN, USUAL_FEE, null],
    ['ten outputs', 10, MIN_PEGIN, USUAL_FEE, null],
    ['too many outputs', TOO_MANY, COIN, USUAL_FEE, TOO_LARGE],
    ['as many outputs as possible', TOO_MANY - 1, COIN, USUAL_FEE, null],
    ['a high fee', 10, COIN, HIGH_FEE, null],
    ['a fee above the value', 1, MIN_PEGIN / 10n, HIGH_FEE, 'COULD_NOT_ADJUST_DOWNWARDS'],
    ['the minimum fee', 1, MIN_PEGIN, 1n, null],
  ])('sends all coins of %s to one address', (_, count, value, feePerKilobyte, failure) => {
    const utxos = utxosOf(federation, count, value);
    const to = recipient(1_000);
    const result = buildEmptyWallet(to, utxos, { federation, feePerKilobyte, upgrades: new Set() });
    if (failure !== null) {
      expect(result).toEqual({ failure });
      return;
    }
    const fee = expectedFee(federation, utxos, [to], feePerKilobyte);
    const rest = BigInt(count) * value - (fee < 5_000n ? 5_000n : fee);
    const expected = expectedTransaction(federation, utxos, [[to, rest]]);
    expectSame(unsignedTransaction(result as ReleasePlan, { federation }), expected);
  });

  it('sends all coins of two Flyover outputs to one address', () => {
    const flyover = flyoverUtxo(kind, federation);
    const utxos = [flyover, { ...flyover, index: 1 }];
    const to = recipient(1_000);
    const rules = { federation, feePerKilobyte: USUAL_FEE, upgrades: new Set<never>() };
    const plan = buildEmptyWallet(to, utxos, rules) as ReleasePlan;
    const rest = 2n * COIN - expectedFee(federation, utxos, [to], USUAL_FEE);
    expectSame(
      unsignedTransaction(plan, { federation }),
      expectedTransaction(federation, utxos, [[to, rest]]),
    );
  });

  it.each<[string, number, bigint, bigint, ReleaseFailure | null]>([
    ['no output', 0, 0n, USUAL_FEE, 'DUSTY_SEND_REQUESTED'],
    ['a single output', 1, MIN_PEGIN, USUAL_FEE, null],
    ['ten outputs', 10, MIN_PEGIN, USUAL_FEE, null],
    ['dust', 1, LEAST - 1n, USUAL_FEE, 'DUSTY_SEND_REQUESTED'],
    ['ten coins at a high fee', 10, COIN, HIGH_FEE, null],
    ['a fee above the value', 1, MIN_PEGIN, HIGH_FEE, 'COULD_NOT_ADJUST_DOWNWARDS'],
    ['one output that is hardly not dust', 1, LEAST, USUAL_FEE, 'COULD_NOT_ADJUST_DOWNWARDS'],
    ['ten outputs that are hardly not dust', 10, LEAST, USUAL_FEE, 'COULD_NOT_ADJUST_DOWNWARDS'],
    ['too many outputs', TOO_MANY, COIN, USUAL_FEE, TOO_LARGE],
    ['as many outputs as possible', TOO_MANY - 1, COIN, USUAL_FEE, null],
  ])('moves the coins of %s to another federation', (_, count, value, feePerKilobyte, failure) => {
    const utxos = utxosOf(federation, count, value);
    const to = testFederation('witness', 3).outputScript;
    const total = BigInt(count) * value;
    const rules = { federation, feePerKilobyte, upgrades: new Set<never>() };
    const result = buildRelease([{ script: to, value: total }], utxos, rules);
    if (failure !== null) {
      expect(result).toEqual({ failure });
      return;
    }
    const inputs = ordered(utxos);
    const rest = total - expectedFee(federation, inputs, [to], feePerKilobyte);
    expectSame(
      unsignedTransaction(result as ReleasePlan, { federation }),
      expectedTransaction(federation, inputs, [[to, rest]]),
    );
  });
});

describe('outputs of a coinbase', () => {
  const federation = testFederation('emergency');
  const rules = { federation, feePerKilobyte: USUAL_FEE, upgrades: new Set<never>() };
  const [coin] = utxosOf(federation, 1, COIN);
  const request = [{ script: recipient(1_000), value: MIN_PEGOUT }];

  it('are not selected, also if they come first', () => {
    if (coin === undefined) throw new Error('no output');
    const later = { ...coin, transactionId: numberHash(2) };
    const coinbase = { ...coin, isCoinbase: true };
    expect(buildRelease(request, [coinbase, later], rules)).toMatchObject({ inputs: [later] });
    expect(buildRelease(request, [coinbase], rules)).toEqual({ failure: 'INSUFFICIENT_MONEY' });
    expect(buildEmptyWallet(recipient(1_000), [coinbase], rules)).toEqual({
      failure: 'COULD_NOT_ADJUST_DOWNWARDS',
    });
  });
});

/** Outputs in the order of the inputs of a release. */
function ordered(utxos: readonly SpendableUtxo[]): SpendableUtxo[] {
  return [...utxos].sort((left, right) => Buffer.compare(left.transactionId, right.transactionId));
}
