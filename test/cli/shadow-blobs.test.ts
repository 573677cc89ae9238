import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineKzg,
  type Hex,
  http,
  parseGwei,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { localNetwork33At } from '../../src/viem.ts';
import { type ProvenBlob, provenBlobs } from '../support/blobs.ts';
import { start } from './support/started-node.ts';

const ACCOUNT = privateKeyToAccount(`0x${'11'.repeat(32)}`);
/**
 * Stores the hash of the second blob at slot 0, and the blob base fee at slot 1. Reverts if it receives a
 * value.
 */
const READER: Address = `0x${'0d'.repeat(20)}`;
const READER_CODE: Hex = '0x346010576001495f554a60015500005b5f5ffd';
const BLOBS = provenBlobs();

function provenOf(blob: Uint8Array): ProvenBlob {
  const proven = BLOBS.find((one) => equalBytes(one.blob, blob));
  if (proven === undefined) throw new Error('the fixture has no such blob');
  return proven;
}

const kzg = defineKzg({
  blobToKzgCommitment: (blob) => provenOf(blob).commitment,
  computeBlobKzgProof: (blob) => provenOf(blob).blobProof,
});

describe.each(['cancun', 'prague', 'osaka', 'bpo2', 'amsterdam'] as const)(
  '--shadow under %s',
  (hardfork) => {
    it('--shadow finds no difference between the engines for blobs of any price and outcome', async () => {
      const { url, call, end } = await start(['--hardfork', hardfork, '--shadow']);
      await call('anvil_setBalance', ACCOUNT.address, '0xde0b6b3a7640000');
      await call('anvil_setCode', READER, READER_CODE);
      const chain = localNetwork33At(url);
      const client = createPublicClient({ chain, transport: http(url) });
      const wallet = createWalletClient({ account: ACCOUNT, chain, transport: http(url) });
      const blobs = Array.from({ length: 6 }, (_, index) => (BLOBS[index % 2] ?? BLOBS[0]).blob);
      const request = { blobs, kzg, to: READER, maxFeePerBlobGas: parseGwei('30'), gas: 1_000_000n };

      await call('evm_setAutomine', false);
      for (let round = 0; round < 3; round++) {
        const hashes = [
          await wallet.sendTransaction(request),
          await wallet.sendTransaction({ ...request, value: 1n }),
        ];
        await call('evm_mine');
        // The next block takes the transactions that did not fit.
        await call('evm_mine');
        const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })));
        expect(receipts.map(({ status }) => status)).toEqual(['success', 'reverted']);
        expect(receipts.map(({ blobGasUsed }) => blobGasUsed)).toEqual([786_432n, 786_432n]);
      }
      const { hash, transactions } = await client.getBlock({ blockNumber: 1n });
      const traced = await call('debug_traceBlockByHash', hash, { tracer: 'callTracer' });
      expect(traced).toHaveLength(transactions.length);

      const hashesOf = {
        type: '0x3',
        blobVersionedHashes: [`0x01${'ab'.repeat(31)}`, `0x01${'cd'.repeat(31)}`],
      };
      const asked = { from: ACCOUNT.address, to: READER, maxFeePerBlobGas: '0x3b9aca00', ...hashesOf };
      expect(await call('eth_call', asked, 'latest')).toBe('0x');
      expect(await call('eth_estimateGas', asked)).toMatch(/^0x/);
      const poor = { ...asked, from: `0x${'ee'.repeat(20)}` };
      expect(await call('eth_call', poor, 'latest')).toBe('0x');
      const simulation = { blockStateCalls: [{ calls: [asked] }] };
      expect(await call('eth_simulateV1', simulation, 'latest')).toHaveLength(1);
      expect(await end()).toBe(0);
    });
  },
);
