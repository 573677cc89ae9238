import { Transaction } from 'ethers';
import { type Hex, parseTransaction, recoverTransactionAddress, serializeTransaction, toRlp } from 'viem';
import { describe, expect, it } from 'vitest';
import { versionedHashes } from '../../../src/chain/blobs.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { provenBlobs } from '../../support/blobs.ts';
import { ALICE, BOB, TEST_ACCOUNTS } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const TO = BOB as Hex;
const CONTENT = { chainId: 33, nonce: 0, to: TO, value: 1n, gas: 30_000n };
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
const AUTHORIZATION = {
  chainId: 33,
  address: TO,
  nonce: 1,
  r: `0x${'1'.repeat(64)}`,
  s: `0x${'2'.repeat(64)}`,
  yParity: 0,
} as const;

const UNSIGNED: readonly (readonly [kind: string, encoded: Hex])[] = [
  ['a legacy transaction', serializeTransaction({ ...CONTENT, type: 'legacy', gasPrice: 10n ** 10n })],
  [
    'an access list transaction',
    serializeTransaction({
      ...CONTENT,
      type: 'eip2930',
      gasPrice: 10n ** 10n,
      accessList: [{ address: TO, storageKeys: [] }],
    }),
  ],
  ['a dynamic fee transaction', serializeTransaction({ ...CONTENT, ...FEES, type: 'eip1559' })],
  [
    'a delegating transaction',
    serializeTransaction({
      ...CONTENT,
      ...FEES,
      gas: 100_000n,
      type: 'eip7702',
      authorizationList: [AUTHORIZATION],
    }),
  ],
];

describe('eth_signRawTransaction', () => {
  it.each(UNSIGNED)('signs %s', async (_kind, encoded) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });

    const signed = (await call('eth_signRawTransaction', [encoded, ALICE])) as Hex;

    const { r, s, v, yParity, ...fields } = parseTransaction(signed);
    expect(serializeTransaction(fields)).toBe(encoded);
    const signer = await recoverTransactionAddress({ serializedTransaction: signed as never });
    expect(signer.toLowerCase()).toBe(ALICE);
    const hash = await call('eth_sendRawTransaction', [signed]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1', from: ALICE });
  });

  it('signs the transaction of eth_fillTransaction', async () => {
    for (const ruleSet of ['rootstock', 'osaka'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const filled = (await call('eth_fillTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])) as {
        raw: Hex;
      };

      const signed = await call('eth_signRawTransaction', [filled.raw, ALICE]);

      const hash = await call('eth_sendRawTransaction', [signed]);
      expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({
        from: ALICE,
        to: BOB,
        value: '0x1',
      });
    }
  });

  it('signs the encoding of ethers', async () => {
    const { call } = await createRpcHarness();
    const unsigned = Transaction.from({
      chainId: 33,
      nonce: 0,
      to: BOB,
      gasLimit: 21_000,
      gasPrice: 0,
      type: 0,
    });

    const signed = await call('eth_signRawTransaction', [unsigned.unsignedSerialized, ALICE]);

    expect(Transaction.from(signed as string).from?.toLowerCase()).toBe(ALICE);
  });

  it('adds the chain id to a legacy transaction without chain id', async () => {
    const { call } = await createRpcHarness();
    const unsigned = toRlp(['0x', '0x', '0x5208', TO, '0x', '0x']);

    const signed = await call('eth_signRawTransaction', [unsigned, ALICE]);

    expect(Transaction.from(signed as string)).toMatchObject({ chainId: 33n });
  });

  it('keeps the sidecar of a blob transaction', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const [{ blob, commitment, blobProof }] = provenBlobs();
    const sidecars = [{ blob: toHex(blob), commitment: toHex(commitment), proof: toHex(blobProof) }];
    const hashes = versionedHashes([commitment]).map(toHex);
    const fields = { ...CONTENT, ...FEES, maxFeePerBlobGas: 10n, blobVersionedHashes: hashes, sidecars };
    const unsigned = serializeTransaction({ ...fields, type: 'eip4844' });

    const signed = await call('eth_signRawTransaction', [unsigned, ALICE]);

    const hash = await call('eth_sendRawTransaction', [signed]);
    expect(await call('anvil_getBlobsByTransactionHash', [hash])).toEqual([toHex(blob)]);
  });

  it('signs with the only account of the node by default', async () => {
    const { call } = await createRpcHarness({}, { devAccounts: TEST_ACCOUNTS.slice(0, 1) });
    const [[, unsigned] = []] = UNSIGNED;

    const signed = await call('eth_signRawTransaction', [unsigned]);

    expect(signed).toBe(await call('eth_signRawTransaction', [unsigned, ALICE]));
  });

  const [[, legacy] = []] = UNSIGNED;
  it.each([
    [
      'no account, if the node has several accounts',
      [legacy],
      /^Invalid params: account: expected the address/i,
    ],
    ['an account without key', [legacy, `0x${'99'.repeat(20)}`], /^Could not find account/],
    [
      'another chain id',
      [serializeTransaction({ ...CONTENT, chainId: 1, gasPrice: 1n }), ALICE],
      /^Invalid chainId: 1, expected 33/,
    ],
    [
      'a wrong number of fields',
      [toRlp(['0x', '0x']), ALICE],
      /has 2 fields, expected 6, or 9 with an empty signature/,
    ],
    ['no RLP', ['0xf8', ALICE], /not valid RLP/],
    ['no bytes', ['0x', ALICE], /Empty transaction data/],
  ])('rejects %s', async (_what, params, message) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'london' });

    const signing = call('eth_signRawTransaction', params);

    await expect(signing).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  it('rejects a type that the hardfork does not have', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'london' });

    const signing = call('eth_signRawTransaction', [UNSIGNED[3]?.[1], ALICE]);

    await expect(signing).rejects.toMatchObject({ code: -32010, message: expect.stringContaining('type') });
  });

  it.each([
    ['0xc0', 'an unsigned transaction of type 0 has 0 fields, expected 6, or 9 with an empty signature'],
    ['0x02c101', 'an unsigned transaction of type 2 has 1 fields, expected 9, or 12 with an empty signature'],
  ])('names the number of fields that an unsigned transaction needs (%s)', async (raw, message) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    await expect(call('eth_signRawTransaction', [raw, ALICE])).rejects.toThrow(message);
  });

  it('rejects a signed transaction', async () => {
    const { call } = await createRpcHarness();
    const signed = await call('eth_signRawTransaction', [legacy, ALICE]);

    const again = call('eth_signRawTransaction', [signed, ALICE]);

    await expect(again).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        'the transaction is already signed; send it with eth_sendRawTransaction',
      ),
    });
  });

  it('is not available with --hosted', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    await expect(call('eth_signRawTransaction', [legacy, ALICE])).rejects.toMatchObject({ code: -32601 });
  });
});
