import { createTxFromRLP } from '@ethereumjs/tx';
import { Transaction as EthersTransaction, Signature, SigningKey, type TransactionLike } from 'ethers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { addressOfPrivateKey } from '../../src/primitives/secp256k1/curve.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { TransactionRequest, TransactionType } from '../../src/protocol/transaction.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import { decodeTransaction, restoreTransaction } from '../../src/protocol/transaction-decoding.ts';
import { signingHash, withSignatureValues } from '../../src/protocol/transaction-encoding.ts';
import { CHAIN_ID, privateKey, signedWith, transactionRequest } from './arbitraries.ts';
import { referenceCommon } from './reference-common.ts';

const PRAGUE = ruleSetNamed('prague');
const TYPES: readonly TransactionType[] = [0, 1, 2, 4];
const RUNS = { numRuns: 30 };

function wordHex(value: bigint): string {
  return toHex(bigIntToFixedBytes(value, 32));
}

/** The request as fields for ethers. */
function ethersFields(request: TransactionRequest): TransactionLike {
  const { type } = request;
  const fields: TransactionLike = {
    type,
    chainId: request.chainId ?? 0n,
    nonce: Number(request.nonce),
    gasLimit: request.gasLimit,
    to: request.to === null ? null : toHex(request.to),
    value: request.value,
    data: toHex(request.data),
  };
  if (type === 2 || type === 4) {
    fields.maxFeePerGas = request.maxFeePerGas;
    fields.maxPriorityFeePerGas = request.maxPriorityFeePerGas;
  } else {
    fields.gasPrice = request.maxFeePerGas;
  }
  if (type !== 0) {
    fields.accessList = request.accessList.map(({ address, storageKeys }) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    }));
  }
  if (type === 4) {
    fields.authorizationList = request.authorizationList.map(
      ({ address, nonce, chainId, yParity, r, s }) => ({
        address: toHex(address),
        nonce,
        chainId,
        signature: Signature.from({ r: wordHex(r), s: wordHex(s), yParity: yParity === 0n ? 0 : 1 }),
      }),
    );
  }
  return fields;
}

function ethersSigned(request: TransactionRequest, key: Uint8Array): EthersTransaction {
  const transaction = EthersTransaction.from(ethersFields(request));
  transaction.signature = new SigningKey(key).sign(transaction.unsignedHash);
  return transaction;
}

/** Requests with a safe integer as nonce, as ethers requires. */
function ethersRequest(type: TransactionType): fc.Arbitrary<TransactionRequest> {
  return transactionRequest(type).map((request) => ({
    ...request,
    nonce: request.nonce % BigInt(Number.MAX_SAFE_INTEGER),
  }));
}

describe.each(TYPES)('transaction codec, type %i', (type) => {
  it('gives a transaction the same signing hash, encoding and hash as ethers', () => {
    const sameAsEthers = fc.property(ethersRequest(type), privateKey, (request, key) => {
      const expected = ethersSigned(request, key);
      const transaction = signedWith(key, request);
      expect(toHex(signingHash(request))).toBe(expected.unsignedHash);
      expect(toHex(transaction.raw)).toBe(expected.serialized);
      expect(toHex(transaction.hash)).toBe(expected.hash);
      expect(toHex(transaction.sender)).toBe(expected.from?.toLowerCase());
    });
    fc.assert(sameAsEthers, RUNS);
  });

  it('decodes every field and the sender of a transaction encoded by ethers', () => {
    const readsEthers = fc.property(ethersRequest(type), privateKey, (request, key) => {
      const { serialized, hash } = ethersSigned(request, key);
      const transaction = decodeTransaction(fromHex(serialized), PRAGUE, CHAIN_ID);
      expect(transaction).toMatchObject(request);
      expect(toHex(transaction.hash)).toBe(hash);
      expect(transaction.sender).toEqual(addressOfPrivateKey(key));
    });
    fc.assert(readsEthers, RUNS);
  });

  it('gives a transaction the same hash, sender, signature and bytes as @ethereumjs/tx', () => {
    const common = referenceCommon('prague');
    const sameAsLibrary = fc.property(transactionRequest(type), privateKey, (request, key) => {
      const transaction = signedWith(key, request);
      const expected = createTxFromRLP(transaction.raw, { common });
      expect(expected.type).toBe(type);
      expect(transaction.hash).toEqual(expected.hash());
      expect(transaction.sender).toEqual(expected.getSenderAddress().bytes);
      expect(transaction.raw).toEqual(expected.serialize());
      expect([transaction.v, transaction.r, transaction.s]).toEqual([expected.v, expected.r, expected.s]);
    });
    fc.assert(sameAsLibrary, RUNS);
  });

  it('round-trips a transaction through decoding, storage and signature values', () => {
    const roundTrip = fc.property(transactionRequest(type), privateKey, (request, key) => {
      const transaction = signedWith(key, request);
      const decoded = decodeTransaction(transaction.raw, PRAGUE, CHAIN_ID);
      expect(decoded).toEqual(transaction);
      expect(restoreTransaction(transaction.raw, PRAGUE, transaction.sender)).toEqual(transaction);
      expect(withSignatureValues(decoded, decoded, decoded.sender)).toEqual(transaction);
    });
    fc.assert(roundTrip, RUNS);
  });
});

describe('decodeTransaction', () => {
  const key = new Uint8Array(32).fill(1);
  const request: TransactionRequest = {
    type: 0,
    chainId: 33n,
    nonce: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    gasLimit: 21_000n,
    to: new Uint8Array(20).fill(2),
    value: 1n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  };

  it('gives a transaction of chain 33 the EIP-155 value v 101 or 102', () => {
    expect([101n, 102n]).toContain(signedWith(key, request).v);
  });

  it('gives a transaction without replay protection v 27 or 28', () => {
    const { v, raw } = signedWith(key, { ...request, chainId: null });
    expect([27n, 28n]).toContain(v);
    expect(decodeTransaction(raw, PRAGUE, CHAIN_ID).chainId).toBeNull();
  });

  it('accepts a zero gas price encoded as a zero byte and hashes the bytes as received', () => {
    const { raw, hash, sender } = signedWith(key, request);
    // The gas price follows the two prefix bytes of the list and the nonce.
    expect(raw[3]).toBe(0x80);
    const other = raw.slice();
    other[3] = 0;
    const decoded = decodeTransaction(other, ruleSetNamed('rootstock'), CHAIN_ID);
    expect(decoded.maxFeePerGas).toBe(0n);
    expect(decoded.sender).toEqual(sender);
    expect(decoded.raw).toEqual(other);
    expect(decoded.hash).toEqual(keccak256(other));
    expect(decoded.hash).not.toEqual(hash);
  });

  it('keeps the input bytes for raw and data, and copies the recipient', () => {
    const to = new Uint8Array(20).fill(7);
    const { raw, hash } = signedWith(key, { ...request, to, data: Uint8Array.of(1, 2, 3) });
    const given = raw.slice();
    const decoded = decodeTransaction(given, PRAGUE, CHAIN_ID);
    expect(decoded.raw).toBe(given);
    expect(decoded.data.buffer).toBe(given.buffer);
    expect(decoded.data).toEqual(Uint8Array.of(1, 2, 3));
    expect(decoded.to?.buffer).not.toBe(given.buffer);
    expect(decoded.to).toEqual(to);
    expect(decoded.hash).toEqual(hash);
  });
});
