import { describe, expect, it } from 'vitest';
import { versionedHashes } from '../../../src/chain/blobs.ts';
import { type Hex, toHex, toQuantity } from '../../../src/primitives/hex.ts';
import { curve } from '../../../src/primitives/secp256k1/curve.ts';
import { joinNetworkForm } from '../../../src/protocol/blobs.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { signedBy } from '../../../src/protocol/transaction-encoding.ts';
import { type ProvenBlob, provenBlobs, sidecarOf } from '../../support/blobs.ts';
import { testAccount, transfer } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const [TEXT, FULL] = provenBlobs();
const { address: FROM, privateKey: KEY } = testAccount(0);
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 10n ** 9n };

function signed(proven: readonly ProvenBlob[], nonce: bigint, fields: object = {}): Transaction {
  const blobVersionedHashes = versionedHashes(proven.map(({ commitment }) => commitment));
  const request = { ...transfer({ ...FEES, type: 3, blobVersionedHashes, ...fields }), nonce };
  return signedBy(request, FROM, (hash) => curve.sign(hash, KEY));
}

function rawOf(proven: readonly ProvenBlob[], nonce: bigint, fields: object = {}): Hex {
  return toHex(joinNetworkForm(signed(proven, nonce, fields).raw, sidecarOf(proven, 'blob proofs')));
}

const HASHES = Array.from({ length: 6 }, (_, index) => `0x01${`${index}${index}`.repeat(31)}`);

describe('raw blob transactions', () => {
  it('a raw blob transaction is rejected without a sidecar or with a wrong one', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    const { raw } = signed([TEXT], 0n);
    await expect(call('eth_sendRawTransaction', [toHex(raw)])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('missing sidecar in blob transaction'),
    });
    const others = toHex(joinNetworkForm(raw, sidecarOf([FULL], 'blob proofs')));
    await expect(call('eth_sendRawTransaction', [others])).rejects.toThrow(
      /commitments\[0\] of the blob sidecar does not match blobVersionedHashes\[0\]/,
    );
    for (const kind of ['blob proofs', 'cell proofs'] as const) {
      const wrong = sidecarOf([{ ...TEXT, blobProof: FULL.blobProof, cellProofs: FULL.cellProofs }], kind);
      await expect(call('eth_sendRawTransaction', [toHex(joinNetworkForm(raw, wrong))])).rejects.toThrow(
        /the proof of blob 0 of the blob sidecar is invalid/,
      );
    }
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(
      await call('anvil_getBlobByHash', [toHex(signed([TEXT], 0n).blobVersionedHashes[0] ?? raw)]),
    ).toBeNull();
  });

  it('blob transactions are rejected with a reason under rules without blobs', async () => {
    for (const ruleSet of ['rootstock', 'shanghai'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      await expect(call('eth_sendRawTransaction', [rawOf([TEXT], 0n)])).rejects.toThrow(
        /transaction|unreadable/i,
      );
      await expect(
        call('eth_sendTransaction', [{ from: toHex(FROM), to: toHex(FROM), blobs: [toHex(TEXT.blob)] }]),
      ).rejects.toThrow(/params: transaction\.blobs: expected no value, because hardfork .* has no blobs/);
    }
  });

  it('a pooled blob transaction requires double fees to replace it and reserves its sender', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    await call('evm_setAutomine', [false]);
    const first = await call('eth_sendRawTransaction', [rawOf([TEXT], 0n)]);
    expect(await call('anvil_getBlobsByTransactionHash', [first])).toEqual([toHex(TEXT.blob)]);
    const doubled = { maxFeePerGas: 2n * FEES.maxFeePerGas, maxPriorityFeePerGas: 2n };
    await expect(call('eth_sendRawTransaction', [rawOf([TEXT], 0n, doubled)])).rejects.toThrow(
      /replacement transaction underpriced/,
    );
    await expect(
      call('eth_sendTransaction', [{ from: toHex(FROM), to: toHex(FROM), nonce: '0x1' }]),
    ).rejects.toThrow(/address already reserved/);
    const all = { ...doubled, maxFeePerBlobGas: 2n * FEES.maxFeePerBlobGas };
    const second = await call('eth_sendRawTransaction', [rawOf([TEXT], 0n, all)]);
    await call('evm_mine');
    expect(await call('eth_getTransactionReceipt', [first])).toBeNull();
    expect(await call('eth_getTransactionReceipt', [second])).toMatchObject({ status: '0x1', type: '0x3' });
    await call('eth_sendTransaction', [{ from: toHex(FROM), to: toHex(FROM) }]);
  });

  it('a blob transaction pays the blob base fee, which rises with full blocks', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
    const from = toHex(FROM);
    const send = () =>
      call('eth_sendTransaction', [
        { from, to: from, blobVersionedHashes: HASHES, maxFeePerBlobGas: '0x3b9aca00', gas: '0x5208' },
      ]);
    // Each full block adds three blobs of excess. e^(n * 393216 / 3338477) exceeds 2 from n = 6.
    for (let count = 0; count < 8; count++) await send();
    const before = BigInt((await call('eth_getBalance', [from])) as Hex);
    const price = BigInt((await call('eth_blobBaseFee')) as Hex);
    expect(price).toBe(2n);
    const receipt = (await call('eth_getTransactionReceipt', [await send()])) as Record<string, Hex>;
    expect(receipt).toMatchObject({ blobGasUsed: toQuantity(6 * 131_072), blobGasPrice: '0x2' });
    const paid = BigInt(receipt.gasUsed ?? 0) * BigInt(receipt.effectiveGasPrice ?? 0);
    const after = BigInt((await call('eth_getBalance', [from])) as Hex);
    expect(before - after).toBe(paid + 6n * 131_072n * price);
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      blobGasUsed: toQuantity(6 * 131_072),
      excessBlobGas: toQuantity(8 * 3 * 131_072),
    });
    expect(await call('eth_feeHistory', ['0x2', 'latest', []])).toMatchObject({
      baseFeePerBlobGas: ['0x2', '0x2', '0x2'],
      blobGasUsedRatio: [1, 1],
    });
    const low = { from, to: from, blobVersionedHashes: HASHES, maxFeePerBlobGas: '0x1' };
    await expect(call('eth_sendTransaction', [low])).rejects.toThrow(
      /max fee per blob gas less than block blob gas fee/,
    );
    await call('anvil_mine', ['0x1e']);
    expect(await call('eth_blobBaseFee')).toBe('0x1');
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ excessBlobGas: '0x0' });
  });

  it('anvil_getBlobsByTransactionHash returns null for other transaction types, as in Anvil', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    const hash = await call('eth_sendTransaction', [{ from: toHex(FROM), to: toHex(FROM) }]);
    expect(await call('anvil_getBlobsByTransactionHash', [hash])).toBeNull();
    expect(await call('anvil_getBlobsByTransactionHash', [`0x${'11'.repeat(32)}`])).toBeNull();
  });
});

describe('blob transaction objects', () => {
  const object = { from: toHex(FROM), to: toHex(FROM), blobs: [toHex(TEXT.blob)] };
  const given = { ...object, commitments: [toHex(TEXT.commitment)], proofs: [toHex(TEXT.blobProof)] };

  it('eth_signTransaction returns a raw blob transaction with its sidecar', async () => {
    for (const ruleSet of ['prague', 'osaka'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      const raw = await call('eth_signTransaction', [given]);
      const hash = await call('eth_sendRawTransaction', [raw]);
      expect(await call('anvil_getBlobsByTransactionHash', [hash])).toEqual([toHex(TEXT.blob)]);
      const filled = (await call('eth_fillTransaction', [given])) as { raw: Hex; tx: object };
      expect(filled.raw.length).toBeGreaterThan(2 * 131_072);
      expect(filled.tx).toMatchObject({ type: '0x3', maxFeePerBlobGas: '0x2' });
    }
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    const proofs = TEXT.cellProofs.map(toHex);
    const raw = await call('eth_signTransaction', [{ ...given, proofs }]);
    await call('eth_sendRawTransaction', [raw]);
  });

  it.each([
    ['the proof of the blob', 'cancun', [TEXT.blobProof]],
    ['the proofs of its cells', 'osaka', TEXT.cellProofs],
  ] as const)('eth_signTransaction adds the missing commitment and %s', async (_, ruleSet, proofs) => {
    const { call } = await createRpcHarness({}, { ruleSet });
    const raw = await call('eth_signTransaction', [object]);
    expect(raw).toBe(await call('eth_signTransaction', [{ ...given, proofs: proofs.map(toHex) }]));
  });

  it.each([
    [
      'other hashes',
      { ...given, blobVersionedHashes: HASHES.slice(0, 1) },
      /params: transaction\.blobVersionedHashes\[0\]:/,
    ],
    [
      'a hash too many',
      { ...given, blobVersionedHashes: [...HASHES] },
      /params: transaction\.blobVersionedHashes\[0\]:/,
    ],
    ['proofs without commitments', { ...given, commitments: null }, /params: transaction\.commitments:/],
    [
      'a wrong proof',
      { ...given, proofs: [toHex(FULL.blobProof)] },
      /proof of blob 0 of the blob sidecar is invalid/,
    ],
    ['a short blob', { ...object, blobs: ['0x00'] }, /params: transaction\.blobs\[0\]:/],
    ['no recipient', { ...object, to: null }, /params: transaction\.to:/],
    [
      'too many blobs',
      { ...object, blobs: Array.from({ length: 7 }, () => toHex(TEXT.blob)) },
      /at most 6 blobs/,
    ],
  ])('eth_sendTransaction rejects %s', async (_, transaction, message) => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    await expect(call('eth_sendTransaction', [transaction])).rejects.toThrow(message);
    expect(await call('eth_blockNumber')).toBe('0x0');
  });

  it('eth_call rejects blobs without hashes', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    await expect(call('eth_call', [object, 'latest'])).rejects.toThrow(/params: call\.blobVersionedHashes:/);
  });
});

describe('blobs in calls and simulations', () => {
  it('code reads blob hashes and the blob base fee of the block or the override', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'osaka' });
    const to = `0x${'0c'.repeat(20)}`;
    // Returns the hash of the second blob and the blob base fee.
    await call('anvil_setCode', [to, '0x6001496000524a60205260406000f3']);
    const words = (hash: string, fee: number) => `${hash}${fee.toString(16).padStart(64, '0')}`;
    const message = { to, blobVersionedHashes: HASHES.slice(0, 2) };
    expect(await call('eth_call', [{ ...message, maxFeePerBlobGas: '0x1' }, 'latest'])).toBe(
      words(HASHES[1] ?? '', 1),
    );
    // A call without a blob fee pays no blob fee.
    expect(await call('eth_call', [message, 'latest'])).toBe(words(HASHES[1] ?? '', 0));
    expect(await call('eth_call', [{ to }, 'latest'])).toBe(words(`0x${'0'.repeat(64)}`, 1));
    const overridden = [{ to }, 'latest', {}, { blobBaseFee: '0x7' }];
    expect(await call('eth_call', overridden)).toBe(words(`0x${'0'.repeat(64)}`, 7));
    const simulated = (await call('eth_simulateV1', [
      { blockStateCalls: [{ calls: [{ ...message, from: toHex(FROM), maxFeePerBlobGas: '0x1' }] }, {}] },
      'latest',
    ])) as { blobGasUsed: Hex; calls: { returnData: Hex }[] }[];
    expect(simulated[0]).toMatchObject({ blobGasUsed: toQuantity(2 * 131_072), excessBlobGas: '0x0' });
    expect(simulated[0]?.calls[0]?.returnData).toBe(words(HASHES[1] ?? '', 1));
  });

  it('the reference engine mines the same blob transactions', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'bpo2', engine: 'reference' });
    const from = toHex(FROM);
    const hash = await call('eth_sendTransaction', [{ from, to: from, blobVersionedHashes: HASHES }]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x1',
      blobGasPrice: '0x1',
    });
    await call('evm_mine');
    expect(await call('eth_blockNumber')).toBe('0x2');
  });
});

it('eth_call requires blob hashes and does not derive them from blobs', async () => {
  const { call } = await createRpcHarness({}, { ruleSet: 'cancun' });
  const message = { from: toHex(FROM), to: toHex(FROM), blobs: [toHex(TEXT.blob)] };
  for (const hashes of [{}, { blobVersionedHashes: [] }])
    await expect(call('eth_call', [{ ...message, ...hashes }, 'latest'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('the hashes of the blobs'),
    });
  const blobVersionedHashes = HASHES.slice(0, 1).map(String);
  expect(
    await call('eth_call', [{ ...message, blobVersionedHashes, maxFeePerBlobGas: '0x1' }, 'latest']),
  ).toBe('0x');
  expect(await call('eth_call', [{ ...message, blobs: [] }, 'latest'])).toBe('0x');
});
