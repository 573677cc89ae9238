import { Transaction as EthersTransaction, SigningKey, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { signerKey } from '../../src/evm/signers.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { decodeTransaction } from '../../src/protocol/transaction-decoding.ts';
import { withoutSignature } from '../../src/protocol/transaction-encoding.ts';

const PRIVATE_KEY = `0x${'42'.repeat(32)}`;
const PUBLIC_KEY = `0x${SigningKey.computePublicKey(PRIVATE_KEY, false).slice(4)}`;
const FIELDS = { to: `0x${'11'.repeat(20)}`, gasLimit: 21_000, nonce: 3 };

async function signed(fields: object) {
  const raw = await new Wallet(PRIVATE_KEY).signTransaction({ ...FIELDS, ...fields });
  return decodeTransaction(fromHex(raw), ruleSetNamed('prague'), 33);
}

describe('signerKey', () => {
  it.each([
    ['protected', { type: 0, gasPrice: 1, chainId: 33 }],
    ['typed', { type: 2, maxFeePerGas: 1, maxPriorityFeePerGas: 1, chainId: 33 }],
  ])('recovers the key of %s transactions', async (_kind, fields) => {
    expect(toHex(signerKey(await signed(fields)) ?? new Uint8Array(0))).toBe(PUBLIC_KEY);
  });

  it('recovers the key of transactions without replay protection', () => {
    const unsigned = EthersTransaction.from({ ...FIELDS, type: 0, gasPrice: 1, chainId: 0 });
    unsigned.signature = new SigningKey(PRIVATE_KEY).sign(unsigned.unsignedHash);
    const transaction = decodeTransaction(fromHex(unsigned.serialized), ruleSetNamed('prague'), 33);
    expect(toHex(signerKey(transaction) ?? new Uint8Array(0))).toBe(PUBLIC_KEY);
  });

  it('returns undefined if the sender did not sign', async () => {
    const transaction = await signed({ type: 0, gasPrice: 1, chainId: 33 });
    expect(signerKey({ ...transaction, sender: new Uint8Array(20) })).toBeUndefined();
    expect(signerKey(withoutSignature(transaction, transaction.sender))).toBeUndefined();
    expect(signerKey({ ...transaction, r: 0n })).toBeUndefined();
  });
});
