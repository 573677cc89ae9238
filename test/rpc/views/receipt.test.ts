import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { locatedTransactions, type TransactionLocation } from '../../../src/protocol/block.ts';
import { compatNamed } from '../../../src/rpc/compat.ts';
import { receiptView } from '../../../src/wire/receipt.ts';
import { fixtureBlock } from './fixture-block.ts';

const byte = (length: number, digits: string) => `0x${digits.repeat(length)}`;

const SERVICE = compatNamed('service');

function locationOf(index: number): TransactionLocation {
  const location = locatedTransactions(fixtureBlock())[index];
  if (location === undefined) throw new RangeError(`no transaction ${index}`);
  return location;
}

const NO_BLOBS_HERE = { blobs: null };

describe('receiptView', () => {
  it('contains every field of the service document in its encoding', () => {
    const log = {
      address: byte(20, '44'),
      data: '0x',
      blockNumber: '0x10',
      blockHash: byte(32, 'bb'),
      blockTimestamp: '0x6553f100',
      transactionHash: byte(32, '33'),
      transactionIndex: '0x0',
      removed: false,
    };
    expect(receiptView(locationOf(0), SERVICE, NO_BLOBS_HERE)).toEqual({
      transactionHash: byte(32, '33'),
      transactionIndex: '0x0',
      blockHash: byte(32, 'bb'),
      blockNumber: '0x10',
      from: byte(20, '22'),
      to: byte(20, '11'),
      cumulativeGasUsed: '0xa410',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x9',
      contractAddress: null,
      logs: [
        { ...log, logIndex: '0x0', topics: [byte(32, '00')] },
        { ...log, logIndex: '0x1', topics: [byte(32, '01')] },
      ],
      logsBloom: byte(256, '09'),
      status: '0x1',
      type: '0x0',
    });
  });

  it('numbers logs across the block, and has a null address for a failed creation', () => {
    expect(receiptView(locationOf(1), SERVICE, NO_BLOBS_HERE)).toMatchObject({
      to: null,
      contractAddress: null,
      status: '0x0',
      logs: [{ logIndex: '0x2', transactionIndex: '0x1', transactionHash: byte(32, '34') }],
    });
  });

  it('contains the address of a failed creation in compat mode anvil', () => {
    const { contractAddress } = receiptView(locationOf(1), compatNamed('anvil'), NO_BLOBS_HERE);
    expect(contractAddress).toBe(toHex(locationOf(1).receipt.contractAddress ?? new Uint8Array(0)));
    expect(receiptView(locationOf(1), compatNamed('hardhat'), NO_BLOBS_HERE).contractAddress).toBeNull();
  });

  it('reads no other receipt of the block', () => {
    const location = locationOf(1);
    const { block } = location;
    const unreadable = new Proxy(location.receipt, {
      get: () => {
        throw new Error('another receipt was looked at');
      },
    });
    const others = block.receipts.map((receipt, index) => (index === 1 ? receipt : unreadable));
    const view = receiptView({ ...location, block: { ...block, receipts: others } }, SERVICE, NO_BLOBS_HERE);
    expect(view).toEqual(receiptView(location, SERVICE, NO_BLOBS_HERE));
  });
});
