import { JsonRpcProvider, Transaction, Wallet } from 'ethers';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineKzg,
  type Hex,
  http,
  type PublicClient,
  parseGwei,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { localNetwork33At } from '../../src/viem.ts';
import { type ProvenBlob, provenBlobs } from '../support/blobs.ts';

const KEY: Hex = `0x${'11'.repeat(32)}`;
const ACCOUNT = privateKeyToAccount(KEY);
const OTHER: Address = `0x${'0c'.repeat(20)}`;
/** Stores the hash of the second blob at slot 0, and the base fee of blobs at slot 1. */
const READER: Address = `0x${'0d'.repeat(20)}`;
const READER_CODE: Hex = '0x6001496000554a600155';
const BLOBS = provenBlobs();

function provenOf(blob: Uint8Array): ProvenBlob {
  const proven = BLOBS.find((one) => equalBytes(one.blob, blob));
  if (proven === undefined) throw new Error('the fixture has no such blob');
  return proven;
}

/** The values that a KZG library computes, from the fixture. */
const kzg = defineKzg({
  blobToKzgCommitment: (blob) => provenOf(blob).commitment,
  computeBlobKzgProof: (blob) => provenOf(blob).blobProof,
});

const nodes: LocalNode[] = [];

afterAll(async () => {
  for (const node of nodes) await node.close();
});

async function startedNode(hardfork: 'cancun' | 'prague' | 'osaka' | 'bpo2') {
  const node = await createNode({ hardfork });
  nodes.push(node);
  const { url } = await node.listen({ port: 0 });
  const [funder] = (await node.request({ method: 'eth_accounts' })) as Address[];
  await node.request({ method: 'anvil_setBalance', params: [ACCOUNT.address, '0xde0b6b3a7640000'] });
  await node.request({ method: 'anvil_setCode', params: [READER, READER_CODE] });
  const chain = localNetwork33At(url);
  const client: PublicClient = createPublicClient({ chain, transport: http(url) });
  const wallet = createWalletClient({ account: ACCOUNT, chain, transport: http(url) });
  if (funder === undefined) throw new Error('the node has no account');
  return { node, url, client, wallet, chain, funder };
}

const SLOT: (index: number) => Hex = (index) => `0x${index.toString(16).padStart(64, '0')}`;

describe.each(['cancun', 'osaka'] as const)('blobs of viem under %s', (hardfork) => {
  it('are sent with a local signature, are readable by contracts and have the expected fees', async () => {
    const { client, wallet, node } = await startedNode(hardfork);
    const hash = await wallet.sendTransaction({
      blobs: BLOBS.map(({ blob }) => blob),
      kzg,
      to: READER,
      maxFeePerBlobGas: parseGwei('30'),
      gas: 200_000n,
    });
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({
      status: 'success',
      type: 'eip4844',
      blobGasUsed: 2n * 131_072n,
      blobGasPrice: 1n,
    });
    const transaction = await client.getTransaction({ hash });
    expect(transaction).toMatchObject({ type: 'eip4844', maxFeePerBlobGas: parseGwei('30') });
    const { blobVersionedHashes = [] } = transaction;
    expect(blobVersionedHashes).toHaveLength(2);
    expect(await client.getStorageAt({ address: READER, slot: SLOT(0) })).toBe(blobVersionedHashes[1]);
    expect(await client.getStorageAt({ address: READER, slot: SLOT(1) })).toBe(SLOT(1));
    const block = await client.getBlock({ blockHash: receipt.blockHash });
    expect(block).toMatchObject({ blobGasUsed: 2n * 131_072n, excessBlobGas: 0n });
    expect(await client.getBlobBaseFee()).toBe(1n);
    const history = (await client.request({
      method: 'eth_feeHistory',
      params: ['0x1', 'latest', []],
    })) as unknown as { baseFeePerBlobGas: Hex[]; blobGasUsedRatio: number[] };
    expect(history.baseFeePerBlobGas).toEqual(['0x1', '0x1']);
    expect(history.blobGasUsedRatio[0]).toBeCloseTo(2 / (hardfork === 'cancun' ? 6 : 9), 10);
    const kept = await node.request({ method: 'anvil_getBlobByHash', params: [blobVersionedHashes[1]] });
    expect(kept).toBe(toHex(BLOBS[1].blob));
  });

  it('are committed and signed by the node for its own account', async () => {
    const { client, chain, url, funder, node } = await startedNode(hardfork);
    const wallet = createWalletClient({ account: funder, chain, transport: http(url) });
    const hash = (await wallet.request({
      method: 'eth_sendTransaction',
      params: [{ from: funder, to: READER, blobs: [toHex(BLOBS[0].blob), toHex(BLOBS[1].blob)] }],
    } as never)) as Hex;
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', blobGasUsed: 2n * 131_072n });
    const { blobVersionedHashes, maxFeePerBlobGas } = await client.getTransaction({ hash });
    expect(maxFeePerBlobGas).toBe(2n);
    const kept = await node.request({ method: 'anvil_getBlobsByTransactionHash', params: [hash] });
    expect(kept).toEqual(BLOBS.map(({ blob }) => toHex(blob)));
    expect(await client.getStorageAt({ address: READER, slot: SLOT(0) })).toBe(blobVersionedHashes?.[1]);
  });

  it('are accepted by eth_call and eth_estimateGas', async () => {
    const { client } = await startedNode(hardfork);
    const hashes: Hex[] = [`0x01${'aa'.repeat(31)}`, `0x01${'bb'.repeat(31)}`];
    // Returns the hash of the second blob.
    const code: Hex = '0x60014960005260206000f3';
    const call = { to: OTHER, blobVersionedHashes: hashes };
    const data = await client.request({
      method: 'eth_call',
      params: [call, 'latest', { [OTHER]: { code } }],
    } as never);
    expect(data).toBe(hashes[1]);
    const gas = await client.estimateGas({
      account: ACCOUNT,
      to: READER,
      blobs: BLOBS.map(({ blob }) => blob),
      kzg,
      maxFeePerBlobGas: parseGwei('30'),
    });
    expect(gas).toBeGreaterThan(60_000n);
  });
});

describe('blobs of ethers', () => {
  async function signedBy(url: string, version: number | null): Promise<{ raw: Hex; hash: string }> {
    const provider = new JsonRpcProvider(url);
    try {
      const transaction = Transaction.from({
        type: 3,
        chainId: 33n,
        nonce: await provider.getTransactionCount(ACCOUNT.address),
        to: READER,
        gasLimit: 200_000n,
        maxFeePerGas: parseGwei('10'),
        maxPriorityFeePerGas: 1n,
        maxFeePerBlobGas: 1_000n,
        kzg: null,
        blobs: BLOBS.map(({ blob, commitment, blobProof, cellProofs }) => ({
          data: toHex(blob),
          commitment: toHex(commitment),
          proof: toHex(version === null ? blobProof : Buffer.concat(cellProofs)),
        })),
      });
      if (version !== null) transaction.blobWrapperVersion = version;
      transaction.signature = new Wallet(KEY).signingKey.sign(transaction.unsignedHash);
      return { raw: transaction.serialized as Hex, hash: transaction.hash ?? '' };
    } finally {
      provider.destroy();
    }
  }

  it.each([
    ['prague', null],
    ['osaka', null],
    ['osaka', 1],
    ['bpo2', 1],
  ] as const)('are sent under %s with sidecars of version %s', async (hardfork, version) => {
    const { node, url } = await startedNode(hardfork);
    const { raw, hash } = await signedBy(url, version);
    const provider = new JsonRpcProvider(url);
    try {
      const sent = await provider.broadcastTransaction(raw);
      expect(sent.hash).toBe(hash);
      const receipt = await provider.getTransactionReceipt(hash);
      expect(receipt).toMatchObject({ status: 1, type: 3, blobGasUsed: 2n * 131_072n, blobGasPrice: 1n });
      expect(await provider.getTransaction(hash)).toMatchObject({
        type: 3,
        maxFeePerBlobGas: 1_000n,
        blobVersionedHashes: sent.blobVersionedHashes,
      });
      const kept = await node.request({ method: 'anvil_getBlobsByBlockId', params: ['latest'] });
      expect(kept).toEqual(BLOBS.map(({ blob }) => toHex(blob)));
    } finally {
      provider.destroy();
    }
  });

  it('are rejected under Prague with a sidecar of version 1', async () => {
    const { node, url } = await startedNode('prague');
    const { raw } = await signedBy(url, 1);
    await expect(node.request({ method: 'eth_sendRawTransaction', params: [raw] })).rejects.toThrow(
      /version 1, EIP-7594.*prague/,
    );
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0');
  });
});
