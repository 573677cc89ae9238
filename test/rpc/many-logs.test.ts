// A transaction with more logs than fit in memory together: each request for them yields.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { decodeRlp } from '../../src/primitives/rlp.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { encodeMarks } from '../../src/storage/block-index-store.ts';
import { logMarks } from '../../src/storage/log-index.ts';
import { LogRecord } from '../../src/storage/log-record.ts';
import { lookInBlock } from '../../src/storage/log-search.ts';
import { logJsonList, logViews } from '../../src/wire/log.ts';
import type { Json } from '../../src/wire/values.ts';
import { countTurns } from '../support/turns.ts';
import { SENDER } from './methods/contract.ts';
import { createRpcHarness } from './rpc-harness.ts';

/** Emits empty logs until only the gas to end remains. */
const LOGS = '0x5b5f5fa0620100005a1160005700';
const CONTRACT = `0x${'c0'.repeat(20)}`;

describe('a mined transaction with many logs', () => {
  let chain: Chain;
  let call: (method: string, params: readonly unknown[]) => Promise<unknown>;
  let hash: unknown;
  let count: number;

  beforeAll(async () => {
    ({ chain, call } = await createRpcHarness());
    await call('hardhat_setCode', [CONTRACT, LOGS]);
    hash = await call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, gas: '0x989680' }]);
    count = chain.blocks.logs(chain.head().header.number)?.logCount ?? 0;
    expect(count).toBeGreaterThan(20_000);
  });

  it.each([
    ['eth_getTransactionReceipt', () => [hash]],
    ['eth_getBlockReceipts', () => ['latest']],
    ['debug_getRawReceipts', () => ['latest']],
    ['chain_getRawTransactionReceiptByHash', () => [hash]],
  ])('%s yields while it returns many logs', async (method, params) => {
    const { turns } = await countTurns(() => call(method, params()));
    expect(turns).toBeGreaterThan(2);
  });

  it('eth_getLogs selects at most 1,024 logs per step', async () => {
    const select = vi.spyOn(LogRecord.prototype, 'select');
    const logs = await call('eth_getLogs', [{ fromBlock: 'latest' }]);
    const asked = select.mock.calls.length;
    select.mockRestore();
    expect(logs).toHaveLength(count);
    expect(asked).toBeGreaterThanOrEqual(Math.floor(count / 1_024));
  });

  it('indexing many logs yields', async () => {
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++);
    const { addresses } = await runTask(logMarks([chain.head()]), pieces);
    expect(addresses.size).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 2_048));
  });

  it('encoding the index record of many logs yields', async () => {
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++);
    const marks = await runTask(encodeMarks(chain.head()), pieces);
    expect(decodeRlp(marks)).toEqual(Array(count).fill([new Uint8Array(20).fill(0xc0)]));
    expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 2_048));
  });

  it('a search in a block matches many logs lazily in groups of 1,024', () => {
    const everything = { addresses: [], topics: [] };
    const sizes = Array.from(lookInBlock(chain.head(), everything, false), ({ length }) => length);
    expect(sizes.slice(0, -1)).toEqual(Array(Math.floor(count / 1_024)).fill(1_024));
    expect(sizes.at(-1)).toBe(count % 1_024);
    const nothing = { addresses: [new Uint8Array(20)], topics: [] };
    expect([...lookInBlock(chain.head(), nothing, false)]).toEqual(sizes.map(() => []));
  });

  it('loading a dump with many logs yields', async () => {
    const dump = await call('anvil_dumpState', []);
    const { turns } = await countTurns(() => call('anvil_loadState', [dump]));
    expect(turns).toBeGreaterThan(20);
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as Json;
    expect(receipt.logs).toHaveLength(count);
  });

  it('the receipt contains the same logs as eth_getLogs', async () => {
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as Json;
    expect(receipt.logs).toEqual(await call('eth_getLogs', [{ fromBlock: 'latest' }]));
  });
});

it.each([0, 4_096, 4_097, 65_536, 200_000])(
  'the JSON of a list of logs contains data of %i bytes',
  async (size) => {
    const place = {
      blockNumber: 1,
      blockHash: new Uint8Array(32),
      blockTimestamp: 2,
      transactionHash: new Uint8Array(32),
      transactionIndex: 0,
      removed: false,
    };
    const logs = [0, 1, 2].map((logIndex) => ({
      ...place,
      log: { address: new Uint8Array(20), topics: [], data: new Uint8Array(size).fill(logIndex + 1) },
      logIndex,
    }));
    let turns = 0;
    const pieces = new TimeSlice(() => void turns++);
    const list = await runTask(logJsonList(logs), pieces);
    expect([...list.texts()].join('')).toBe(JSON.stringify(logViews(logs)));
    expect(list.values()).toEqual(logViews(logs));
    expect(turns).toBe(size === 200_000 ? 9 : size === 65_536 ? 3 : 0);
  },
);
