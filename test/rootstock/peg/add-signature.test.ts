import { script, Transaction } from 'bitcoinjs-lib';
import { SigningKey } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { encodeDer } from '../../../src/rootstock/bitcoin/signature.ts';
import { parseTransaction } from '../../../src/rootstock/bitcoin/transaction.ts';
import { bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import { addSignature } from '../../../src/rootstock/peg/add-signature.ts';
import { processConfirmed, processQueue } from '../../../src/rootstock/peg/pegout-creation.ts';
import { ABI, addressOfSeed, keyOfSeed, publicKeyOfSeed } from '../bridge/bridge-scene.ts';
import { later, type TestCall, testCall } from './pegout-call.ts';
import { numberHash } from './test-federations.ts';

const COIN = 100_000_000n;
const CREATION = numberHash(1);
const CURVE_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;
const FORMATS = ['legacy', 'p2wsh'] as const;
type Format = (typeof FORMATS)[number];

/** A transaction with this number of inputs of one coin waits for signatures. */
function scene(format: Format, inputs: number): TestCall {
  const { federation } = bridgeConstants(33, format);
  const test = testCall({ federation, transactionHash: CREATION });
  const { state } = test.call;
  const { outputScript } = federation;
  state.utxos.add(
    Array.from({ length: inputs }, (_, index) => ({
      transactionId: numberHash(index + 1),
      index: 0,
      value: COIN,
      script: outputScript,
      isCoinbase: false,
    })),
  );
  state.queue({
    destination: new Uint8Array(20),
    amount: BigInt(inputs) * COIN - 10_000_000n,
    transactionHash: numberHash(5),
  });
  processQueue(test.call);
  const next = later(test, 1_003);
  processConfirmed(next.call, false);
  expect(waiting(next).ins).toHaveLength(inputs);
  next.logs.length = 0;
  return next;
}

function waiting({ call }: TestCall): Transaction {
  const [pegout] = call.state.pegouts.unsigned();
  if (pegout === undefined) throw new Error('no transaction waits');
  return parseTransaction(pegout.raw);
}

/** The hash to sign, by another library. */
function hashOf(format: Format, transaction: Transaction, index: number): Uint8Array {
  const { redeemScript } = bridgeConstants(33, format).federation;
  return format === 'p2wsh'
    ? transaction.hashForWitnessV0(index, redeemScript, COIN, Transaction.SIGHASH_ALL)
    : transaction.hashForSignature(index, redeemScript, Transaction.SIGHASH_ALL);
}

/** The signatures of all inputs. With `isHigh`, each `s` is above half of the curve order. */
function signatures(format: Format, test: TestCall, seed: string, isHigh = false): Uint8Array[] {
  const transaction = waiting(test);
  return transaction.ins.map((_, index) => {
    const { r, s } = new SigningKey(keyOfSeed(seed)).sign(hashOf(format, transaction, index));
    return encodeDer({ r: BigInt(r), s: isHigh ? CURVE_ORDER - BigInt(s) : BigInt(s) });
  });
}

function add(test: TestCall, seed: string, given: readonly Uint8Array[], creationHash = CREATION): string[] {
  const before = test.logs.length;
  addSignature(test.call, { publicKey: fromHex(publicKeyOfSeed(seed)), signatures: given, creationHash });
  return test.logs.slice(before).map(({ topics, data }) => {
    return ABI.parseLog({ topics: topics.map(toHex), data: toHex(data) })?.name ?? 'unknown';
  });
}

/** The number of signatures of each input. */
function counts(test: TestCall): number[] {
  return waiting(test).ins.map(({ witness, script: input }) => {
    const items = witness.length > 0 ? witness : (script.decompile(input) ?? []);
    return items.slice(1, 3).filter((item) => typeof item !== 'number' && item.length > 0).length;
  });
}

describe.each(FORMATS)('signatures for the federation %s', (format) => {
  it.each([1, 3])('of one member are added to %i inputs', (inputs) => {
    const test = scene(format, inputs);
    expect(add(test, 'federator1', signatures(format, test, 'federator1'))).toEqual(['add_signature']);
    expect(counts(test)).toEqual(Array.from({ length: inputs }, () => 1));
    const [log] = test.logs;
    const args = log && ABI.parseLog({ topics: log.topics.map(toHex), data: toHex(log.data) })?.args;
    expect(args?.toArray().map(String)).toEqual([
      toHex(CREATION),
      ABI.getAbiCoder().decode(
        ['address'],
        `0x${toHex(addressOfSeed('federator1')).slice(2).padStart(64, '0')}`,
      )[0],
      publicKeyOfSeed('federator1'),
    ]);
  });

  it.each([
    ['federator1', 'federator2'],
    ['federator2', 'federator1'],
    ['federator3', 'federator1'],
    ['federator2', 'federator3'],
  ])('of %s and %s complete the transaction in the order of the keys', (first, second) => {
    const test = scene(format, 2);
    add(test, first, signatures(format, test, first));
    const expected = [first, second].sort((left, right) =>
      publicKeyOfSeed(left).localeCompare(publicKeyOfSeed(right)),
    );
    const all = expected.map((seed) => signatures(format, test, seed));
    expect(add(test, second, signatures(format, test, second))).toEqual(['add_signature', 'release_btc']);
    expect(test.call.state.pegouts.unsigned()).toEqual([]);
    const log = test.logs.at(-1);
    const args = log && ABI.parseLog({ topics: log.topics.map(toHex), data: toHex(log.data) })?.args;
    const released = Transaction.fromHex(String(args?.[1]).slice(2));
    const { redeemScript } = bridgeConstants(33, format).federation;
    for (const [index, { witness, script: input }] of released.ins.entries()) {
      const items = witness.length > 0 ? witness : (script.decompile(input) ?? []);
      const withType = all.map((one) => toHex(Uint8Array.of(...(one[index] ?? []), 1)));
      expect(items.map((item) => (typeof item === 'number' ? '0x' : toHex(item)))).toEqual(
        format === 'p2wsh'
          ? ['0x', ...withType, '0x', toHex(redeemScript)]
          : ['0x', ...withType, toHex(redeemScript)],
      );
    }
  });

  it('of the same member are added once', () => {
    const test = scene(format, 1);
    const given = signatures(format, test, 'federator1');
    add(test, 'federator1', given);
    expect(add(test, 'federator1', given)).toEqual([]);
    expect(counts(test)).toEqual([1]);
  });

  it.each<[string, number]>([
    ['too few', -1],
    ['too many', 1],
  ])('are ignored if there are %s', (_, difference) => {
    const test = scene(format, 2);
    const given = signatures(format, test, 'federator1');
    const other = difference < 0 ? given.slice(1) : [...given, ...given.slice(0, 1)];
    expect(add(test, 'federator1', other)).toEqual([]);
    expect(counts(test)).toEqual([0, 0]);
  });

  it('are ignored if one has a high s', () => {
    const test = scene(format, 1);
    expect(add(test, 'federator1', signatures(format, test, 'federator1', true))).toEqual([]);
    expect(counts(test)).toEqual([0]);
  });

  it('are ignored if one is of another key, and a later correct call adds all', () => {
    const test = scene(format, 3);
    const given = signatures(format, test, 'federator1');
    const wrong = [...given.slice(0, 2), ...signatures(format, test, 'cow').slice(2)];
    expect(add(test, 'federator1', wrong)).toEqual([]);
    expect(counts(test)).toEqual([0, 0, 0]);
    expect(add(test, 'federator1', given)).toEqual(['add_signature']);
    expect(counts(test)).toEqual([1, 1, 1]);
    expect(add(test, 'federator2', signatures(format, test, 'federator2'))).toEqual([
      'add_signature',
      'release_btc',
    ]);
  });

  it('of a key outside the federation are ignored', () => {
    const test = scene(format, 1);
    expect(add(test, 'cow', signatures(format, test, 'cow'))).toEqual([]);
    expect(counts(test)).toEqual([0]);
  });

  it('for an unknown transaction are ignored', () => {
    const test = scene(format, 1);
    expect(add(test, 'federator1', signatures(format, test, 'federator1'), numberHash(2))).toEqual([]);
  });

  it('after the release are ignored', () => {
    const test = scene(format, 1);
    const third = signatures(format, test, 'federator3');
    for (const seed of ['federator1', 'federator2']) add(test, seed, signatures(format, test, seed));
    expect(add(test, 'federator3', third)).toEqual([]);
  });
});

describe('malformed arguments of addSignature', () => {
  const valid = [Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)];
  const publicKey = fromHex(publicKeyOfSeed('federator1'));

  it.each<[string, Uint8Array, readonly Uint8Array[], Uint8Array, string]>([
    ['a short key', publicKey.slice(0, 32), valid, CREATION, 'the public key is malformed'],
    ['no signature', publicKey, [], CREATION, 'the list of signatures is empty'],
    [
      'a signature that is not DER',
      publicKey,
      [Uint8Array.of(0, 1, 2, 3)],
      CREATION,
      'a signature is malformed',
    ],
    ['a short hash', publicKey, valid, CREATION.slice(1), 'the hash must be 32 bytes long'],
  ])('%s fails', (_, key, given, creationHash, message) => {
    const { call } = testCall();
    expect(() => addSignature(call, { publicKey: key, signatures: given, creationHash })).toThrow(message);
  });
});
