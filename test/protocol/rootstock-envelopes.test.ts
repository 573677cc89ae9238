import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { finish } from '../../src/primitives/steps.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { initialGas } from '../../src/protocol/intrinsic-gas.ts';
import { encodeReceipt } from '../../src/protocol/receipt.ts';
import type { TransactionType } from '../../src/protocol/transaction.ts';
import { decodeTransaction, restoreTransaction } from '../../src/protocol/transaction-decoding.ts';
import { signingHash } from '../../src/protocol/transaction-encoding.ts';
import { CHAIN_ID, privateKey, receipt, signedWith, transactionRequest } from './arbitraries.ts';

const NEXT = ruleSetNamed('rootstock-next');
const TYPED: readonly Exclude<TransactionType, 0 | 3>[] = [1, 2, 4];
const RUNS = { numRuns: 40 };

/** The fields after the chain id and the fees, which all cases share. */
const SHARED = '825208941234567890123456789012345678901234567890880de0b6b3a764000080';
const SIGNATURE = `01a0${'11'.repeat(32)}a0${'22'.repeat(32)}`;
const LIST = `f838f794${'00'.repeat(20)}e1a0${'00'.repeat(32)}`;
const AUTHORIZATIONS = 'dbda2194000000000000000000000000000000000000000301800101';

/** Vectors of rskj for chain id 33: the payload that is signed, and the signed transaction. */
const VECTORS = [
  {
    type: 1,
    title: 'type 1',
    signed: `01ea2101843b9aca00${SHARED}c0`,
    raw: `01f86d2101843b9aca00${SHARED}c0${SIGNATURE}`,
  },
  {
    type: 1,
    title: 'type 1 with an access list',
    signed: `01f8632101843b9aca00${SHARED}${LIST}`,
    raw: `01f8a62101843b9aca00${SHARED}${LIST}${SIGNATURE}`,
  },
  {
    type: 2,
    title: 'type 2',
    signed: `02ef2101843b9aca008477359400${SHARED}c0`,
    raw: `02f8722101843b9aca008477359400${SHARED}c0${SIGNATURE}`,
  },
  {
    type: 4,
    title: 'type 4',
    signed: `04f84b2101843b9aca008477359400${SHARED}c0${AUTHORIZATIONS}`,
    raw: `04f88e2101843b9aca008477359400${SHARED}c0${AUTHORIZATIONS}${SIGNATURE}`,
  },
] as const;

describe('typed envelopes of Rootstock (RSKIP-543, RSKIP-545, RSKIP-546)', () => {
  it.each(VECTORS)('$title is encoded as in rskj', ({ type, signed, raw }) => {
    const transaction = restoreTransaction(fromHex(`0x${raw}`), NEXT, new Uint8Array(20));
    expect(transaction).toMatchObject({
      type,
      chainId: 33n,
      nonce: 1n,
      maxPriorityFeePerGas: 10n ** 9n,
      maxFeePerGas: type === 1 ? 10n ** 9n : 2n * 10n ** 9n,
      gasLimit: 21_000n,
      value: 10n ** 18n,
    });
    expect(toHex(signingHash(transaction))).toBe(toHex(keccak256(fromHex(`0x${signed}`))));
  });

  it.each(TYPED)('transactions of type %i survive encoding and decoding', (type) => {
    fc.assert(
      fc.property(privateKey, transactionRequest(type), (key, request) => {
        const signed = signedWith(key, request);
        expect(decodeTransaction(signed.raw, NEXT, CHAIN_ID)).toEqual(signed);
      }),
      RUNS,
    );
  });

  it.each(TYPED)('the price of type %i is the lower one of its fees', (type) => {
    fc.assert(
      fc.property(transactionRequest(type), (request) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = request;
        const lower = maxFeePerGas < maxPriorityFeePerGas ? maxFeePerGas : maxPriorityFeePerGas;
        expect(NEXT.fees.offer(request)).toBe(lower);
      }),
      RUNS,
    );
  });

  it('an access list costs 80 gas for each byte of its encoding, and an empty one nothing', () => {
    fc.assert(
      fc.property(transactionRequest(1), (request) => {
        const parts = { ...request, sender: new Uint8Array(20) };
        const plain = initialGas(NEXT, { ...parts, accessList: [] });
        const list = request.accessList.map(({ address, storageKeys }) => [address, [...storageKeys]]);
        const bytes = list.length === 0 ? 0 : RLP.encode(list as never).length;
        expect(initialGas(NEXT, parts) - plain).toBe(80n * BigInt(bytes));
      }),
      RUNS,
    );
  });

  it.each(TYPED)('a receipt of type %i has four fields after its type', (type) => {
    fc.assert(
      fc.property(receipt, (given) => {
        const { cumulativeGasUsed, logsBloom, logs, succeeded } = given;
        const items = logs.map(({ address, topics, data }) => [address, [...topics], data]);
        const body = RLP.encode([succeeded ? 1 : 0, cumulativeGasUsed, logsBloom, items] as never);
        const expected = concatBytes(Uint8Array.of(type), body);
        expect(toHex(finish(encodeReceipt(given, type, 'network')))).toBe(toHex(expected));
      }),
      RUNS,
    );
  });

  it('a receipt of a legacy transaction is encoded as before', () => {
    fc.assert(
      fc.property(receipt, (given) => {
        const [first] = finish(encodeReceipt(given, 0, 'network'));
        expect(first).toBeGreaterThanOrEqual(0xc0);
      }),
      RUNS,
    );
  });

  it.each([
    ['0x00c0', /first byte is 0x00/],
    ['0x03c0', /type 3 does not exist in hardfork rootstock-next/],
    ['0x05c0', /type 5 does not exist/],
    ['0x0200c0', /0x0200 is a Rootstock type that no RSKIP defines/],
    ['0x027fc0', /0x027f is a Rootstock type that no RSKIP defines/],
    ['0x02c0', /a transaction of type 2/],
    ['0xff', /not valid RLP|RLP/],
  ])('the envelope %s is rejected', (raw, message) => {
    expect(() => decodeTransaction(fromHex(raw as `0x${string}`), NEXT, CHAIN_ID)).toThrow(message);
  });

  it.each<[RuleSetName, readonly TransactionType[]]>([
    ['rootstock', [0]],
    ['rootstock+rskip543', [0]],
    ['rootstock+rskip543+rskip546', [0, 1, 2]],
    ['rootstock-next-rskip545', [0, 1, 2]],
    ['rootstock-next', [0, 1, 2, 4]],
  ])('%s has the types %j', (name, types) => {
    expect(ruleSetNamed(name).transactionTypes).toEqual(types);
  });
});
