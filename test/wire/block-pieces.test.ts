import { beforeAll, describe, expect, it } from 'vitest';
import { JsonWriter } from '../../src/json/json-writer.ts';
import { finish } from '../../src/primitives/steps.ts';
import { type Block, locatedTransactions } from '../../src/protocol/block.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { runTask, type Task } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { decodeBlockRecord, encodeBlockRecord } from '../../src/storage/block-record.ts';
import { blockJson, readBlock, writeBlock } from '../../src/wire/block-file.ts';
import { anvilReceiptJson } from '../../src/wire/receipt-file.ts';
import { StrictValue } from '../../src/wire/strict-value.ts';
import { SENDER } from '../rpc/methods/contract.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

/** Emits empty logs until its gas is nearly used up. */
const LOGS = '0x5b5f5fa0620100005a1160005700';
const CONTRACT = `0x${'c0'.repeat(20)}`;

/** The result of the work and the number of yields. */
async function countPieces<Result>(work: () => Task<Result>) {
  let turns = 0;
  const pieces = new TimeSlice(() => {
    turns++;
  });
  return { result: await runTask(work(), pieces), turns };
}

/** The same block with receipts that only allow reading logs one by one. */
function withoutReadingLogs(block: Block): Block {
  const receipts = block.receipts.map((receipt) =>
    Object.create(receipt, {
      logs: {
        get: () => {
          throw new Error('all logs are read at once');
        },
      },
    }),
  );
  return { ...block, receipts };
}

describe('dump of a block with many logs', () => {
  let block: Block;

  beforeAll(async () => {
    const { call, chain } = await createRpcHarness();
    await call('hardhat_setCode', [CONTRACT, LOGS]);
    await call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, gas: '0x989680' }]);
    block = chain.head();
  });

  it('yields while it writes a block', async () => {
    const { turns } = await countPieces(() => writeBlock(new JsonWriter(2 ** 16, () => undefined), block));
    expect(turns).toBeGreaterThan(20);
  });

  it('writes a stored block without creating all logs together', () => {
    const record = finish(encodeBlockRecord(block));
    const stored = decodeBlockRecord(record, ruleSetNamed('rootstock'));
    const written = JSON.stringify(blockJson(withoutReadingLogs(stored)));
    expect(written).toBe(JSON.stringify(blockJson(block)));
    const anvilForm = (of: Block): string =>
      JSON.stringify(locatedTransactions(of).map((each) => finish(anvilReceiptJson(each))));
    expect(anvilForm(withoutReadingLogs(stored))).toBe(anvilForm(block));
  });

  it('yields while it reads a block and its logs bloom', async () => {
    const json = blockJson(block);
    const value = new StrictValue(JSON.parse(JSON.stringify(json)), 'block');
    const { result, turns } = await countPieces(() => readBlock(value, ruleSetNamed('rootstock')));
    const [receipt] = block.receipts;
    expect(receipt?.logs.length).toBeGreaterThan(20_000);
    expect(result.receipts[0]?.logs).toEqual(receipt?.logs);
    expect(result.header.logsBloom).toEqual(receipt?.logsBloom);
    expect(turns).toBeGreaterThan(20);
    const [first, second] = [...(result.receipts[0]?.logs ?? [])];
    expect(second?.address).toBe(first?.address);
    expect(second?.topics).toBe(first?.topics);
  });
});
