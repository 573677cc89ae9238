import { describe, expect, it } from 'vitest';
import type { TransactionLocation } from '../../../src/node/transaction-location.ts';
import { receiptView } from '../../../src/rpc/views/receipt.ts';
import { fixtureBlock } from './fixture-block.ts';

const byte = (length: number, digits: string) => `0x${digits.repeat(length)}`;

function locationOf(index: number): TransactionLocation {
  const block = fixtureBlock();
  const transaction = block.transactions[index];
  const receipt = block.receipts[index];
  if (transaction === undefined || receipt === undefined) throw new RangeError(`no transaction ${index}`);
  return { block, index, transaction, receipt };
}

describe('receiptView', () => {
  it('has every field of the service document in its encoding', () => {
    const log = {
      address: byte(20, '44'),
      data: '0x',
      blockNumber: '0x10',
      blockHash: byte(32, 'bb'),
      transactionHash: byte(32, '33'),
      transactionIndex: '0x0',
      removed: false,
    };
    expect(receiptView(locationOf(0))).toEqual({
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

  it('counts the logs of the whole block and tells a failed creation', () => {
    expect(receiptView(locationOf(1))).toMatchObject({
      to: null,
      contractAddress: null,
      status: '0x0',
      logs: [{ logIndex: '0x2', transactionIndex: '0x1', transactionHash: byte(32, '34') }],
    });
  });
});
