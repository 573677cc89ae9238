import { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { hexKey } from '../../../src/primitives/hex.ts';
import { callParentChain } from '../../../src/rootstock/parent-chain/bitcoin-rpc.ts';
import {
  createTransaction,
  type ParentTransaction,
} from '../../../src/rootstock/parent-chain/parent-transaction.ts';
import { SignatureHashes } from '../../../src/rootstock/parent-chain/script/signature-hashes.ts';
import { errorOf, ParentScene, SINK } from './scene.ts';

const scene = new ParentScene();
const MEGABYTE = 1_000_000;

/** A transaction with `inputs` inputs and `outputs` outputs of this script. */
function transactionOf(
  inputs: number,
  outputs: number,
  script: Uint8Array = Uint8Array.of(0x51),
): ParentTransaction {
  return createTransaction({
    version: 2,
    inputs: Array.from({ length: inputs }, (_, at) => ({
      txid: (at + 1).toString(16).padStart(64, '0'),
      index: at,
      script: new Uint8Array(0),
      sequence: 0xfffffffd - at,
      witness: [],
    })),
    outputs: Array.from({ length: outputs }, (_, at) => ({ value: BigInt(at + 1000), script })),
    lockTime: 7,
  });
}

function digitsOf(inputs: number, outputs: number, script?: Uint8Array): string {
  return hexKey(transactionOf(inputs, outputs, script).bytes);
}

/** The number of steps of a call. */
function stepsOf(method: string, ...params: readonly unknown[]): number {
  let count = 0;
  const steps = callParentChain(scene.chain, { method, params, wallet: null });
  while (steps.next().done !== true) count++;
  return count;
}

describe('callParentChain with large input', () => {
  it('rejects transactions with more than 50,000 parts', () => {
    const digits = digitsOf(1, 50_000);

    for (const method of ['decoderawtransaction', 'sendrawtransaction', 'fundrawtransaction']) {
      expect(errorOf(() => scene.call(method, digits))).toMatchObject({
        code: -22,
        message:
          'TX decode failed: expected a transaction of at most 50000 inputs, outputs and witness items, got 50001',
      });
    }
  });

  it('rejects transactions that are larger than a block', () => {
    const digits = digitsOf(1, 1, new Uint8Array(MEGABYTE));

    expect(errorOf(() => scene.call('decoderawtransaction', digits)).message).toMatch(
      /at most 1000000 bytes without witness/,
    );
  });

  it('rejects transactions whose parts exceed the data', () => {
    for (const count of ['fdffff', 'feffffff7f', 'ffffffffffffffffff'])
      expect(errorOf(() => scene.call('decoderawtransaction', `02000000${count}`)).code).toBe(-22);
  });

  it('rejects blocks of more than 4,000,000 bytes', () => {
    expect(scene.call('submitblock', '00'.repeat(4 * MEGABYTE + 1))).toBe('bad-blk-length');
  });

  it('shows at most 10,000 operations of a script', () => {
    const { asm, type } = scene.object('decodescript', 'ac'.repeat(MEGABYTE));

    expect(`${asm}`.split(' ')).toHaveLength(10_001);
    expect(`${asm}`.endsWith('OP_CHECKSIG [more]')).toBe(true);
    expect(type).toBe('nonstandard');
  });

  it('rejects descriptors of more than 100,000 characters', () => {
    const descriptor = `raw(${'51'.repeat(MEGABYTE)})#abcdefgh`;

    expect(errorOf(() => scene.call('scantxoutset', 'start', [descriptor])).message).toBe(
      'descriptor: expected at most 100000 characters, got 2000014',
    );
  });

  it('rejects the funding of a transaction that the mempool rejects for its size', () => {
    const script = Uint8Array.of(0, 20, ...new Uint8Array(20));
    const digits = digitsOf(0, 3300, script);

    expect(errorOf(() => scene.call('fundrawtransaction', digits)).message).toBe('Transaction too large');
  });

  it('rejects long labels and scripts of a wallet', () => {
    const label = 'x'.repeat(1001);

    expect(errorOf(() => scene.call('getnewaddress', label)).message).toBe(
      'label: expected at most 1000 characters, got 1001',
    );
    expect(errorOf(() => scene.call('importaddress', SINK, label)).code).toBe(-8);
    expect(errorOf(() => scene.call('importaddress', '51'.repeat(10_001))).message).toBe(
      'address: expected a script of at most 10000 bytes, got 10001',
    );
  });

  it('rejects PSBTs with more than 2,000 inputs', () => {
    const inputs = Array.from({ length: 2001 }, (_, vout) => ({ txid: '11'.repeat(32), vout }));
    const psbt = scene.call('createpsbt', inputs, { [SINK]: 1 });

    for (const method of ['walletprocesspsbt', 'finalizepsbt'])
      expect(errorOf(() => scene.call(method, psbt)).message).toBe(
        'psbt: expected at most 2000 inputs, got 2001',
      );
    expect(errorOf(() => scene.call('finalizepsbt', 'A'.repeat(2 * MEGABYTE + 1))).code).toBe(-22);
  });

  it('divides the work into steps per item', () => {
    const digits = digitsOf(1, 1);
    const outputs = Array.from({ length: 200 }, (_, vout) => ({
      txid: '11'.repeat(32),
      vout,
      scriptPubKey: '51',
      amount: 1,
    }));
    const keys = Array.from({ length: 200 }, () => 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA');

    expect(stepsOf('signrawtransactionwithkey', digits, [], outputs)).toBeGreaterThanOrEqual(200);
    expect(stepsOf('signrawtransactionwithkey', digits, keys)).toBeGreaterThanOrEqual(200);
    expect(stepsOf('testmempoolaccept', [digits, digits, digits])).toBeGreaterThanOrEqual(3);
    expect(stepsOf('createpsbt', [{ txid: '11'.repeat(32), vout: 0 }], { [SINK]: 1 })).toBeGreaterThan(1);
  });
});

describe('SignatureHashes', () => {
  it('computes the hashes of BIP-143 like bitcoinjs-lib', () => {
    const transaction = transactionOf(3, 2);
    const library = Transaction.fromBuffer(transaction.bytes);
    const hashes = new SignatureHashes(transaction);
    const script = Uint8Array.of(0x51, 0xac);

    for (const type of [0, 1, 2, 3, 0x81, 0x82, 0x83, 0xff])
      for (const input of [0, 1, 2])
        expect(hexKey(hashes.witness(input, script, 5n, type))).toBe(
          hexKey(library.hashForWitnessV0(input, script, 5n, type)),
        );
  });
});
