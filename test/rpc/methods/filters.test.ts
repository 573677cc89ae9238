import { beforeEach, describe, expect, it } from 'vitest';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../example-chain.ts';

const INCREASED = '0x8b05844824acf2db2f068e4006ef99b307ca4fe1a896d06e884700f1a9da3a6d';
const UNKNOWN = '0xdeadbeef';

describe('filters', () => {
  let service: ExampleChain;
  let call: ExampleChain['call'];

  beforeEach(async () => {
    service = await createExampleChain();
    ({ call } = service);
  });

  /** Emits a log of the counter with that step in a new block. Resolves to the transaction hash. */
  function increase(step: number): Promise<unknown> {
    const data = `0x30f3f0db${step.toString(16).padStart(64, '0')}`;
    return call('eth_sendTransaction', [{ from: EXAMPLE.sender, to: EXAMPLE.counter, data }]);
  }

  const changes = (id: unknown) => call('eth_getFilterChanges', [id]);

  async function headHash(): Promise<unknown> {
    const { hash } = (await call('eth_getBlockByNumber', ['latest'])) as { readonly hash: string };
    return hash;
  }

  it('a log filter returns new logs like eth_getLogs, with removed', async () => {
    const id = await call('eth_newFilter', [{ address: EXAMPLE.counter, topics: [INCREASED] }]);
    expect(await changes(id)).toEqual([]);
    const transactionHash = await increase(7);
    const logs = await changes(id);
    expect(logs).toMatchObject([{ transactionHash, blockNumber: '0x5', logIndex: '0x0', removed: false }]);
    expect(logs).toEqual(await call('eth_getLogs', [{}]));
    expect(await changes(id)).toEqual([]);
  });

  it('a log filter omits logs that do not match', async () => {
    const filters = [
      { address: EXAMPLE.receiver },
      { topics: [`0x${'11'.repeat(32)}`] },
      { fromBlock: '0x7' },
    ];
    const ids = await Promise.all(filters.map((filter) => call('eth_newFilter', [filter])));
    await increase(7);
    for (const id of ids) expect(await changes(id)).toEqual([]);
  });

  it('a log filter returns logs removed by a revert once, followed by new ones', async () => {
    const id = await call('eth_newFilter', [{}]);
    const snapshot = await call('evm_snapshot');
    await increase(1);
    const [before] = (await changes(id)) as [object];
    await call('evm_revert', [snapshot]);
    await increase(2);
    expect(await changes(id)).toEqual([
      { ...before, removed: true },
      expect.objectContaining({ removed: false, data: `0x${(44).toString(16).padStart(64, '0')}` }),
    ]);
    expect(await changes(id)).toEqual([]);
  });

  it('a log filter omits logs added and removed between two polls', async () => {
    const id = await call('eth_newFilter', [{}]);
    const snapshot = await call('evm_snapshot');
    await increase(1);
    await call('evm_revert', [snapshot]);
    expect(await changes(id)).toEqual([]);
  });

  it('eth_getFilterLogs returns all logs of the range and does not affect changes', async () => {
    const filter = { fromBlock: 'earliest', address: EXAMPLE.counter };
    const id = await call('eth_newFilter', [filter]);
    expect(await call('eth_getFilterLogs', [id])).toHaveLength(1);
    await increase(1);
    expect(await call('eth_getFilterLogs', [id])).toHaveLength(2);
    expect(await call('eth_getFilterLogs', [id])).toEqual(await call('eth_getLogs', [filter]));
    expect(await changes(id)).toMatchObject([{ blockNumber: '0x5' }]);
  });

  it('eth_getFilterLogs applies the limits of eth_getLogs', async () => {
    const limited = await createExampleChain({ logLimits: { blocks: 1, logs: 0 } });
    const strict = await createExampleChain({ logLimits: { blocks: 3, logs: 1 } });
    for (const node of [limited, strict]) {
      const data = `0x30f3f0db${'1'.padStart(64, '0')}`;
      await node.call('eth_sendTransaction', [{ from: EXAMPLE.sender, to: EXAMPLE.counter, data }]);
      const id = await node.call('eth_newFilter', [{ fromBlock: 'earliest' }]);
      const answer = node.call('eth_getFilterLogs', [id]);
      if (node === limited) await expect(answer).resolves.toHaveLength(2);
      else await expect(answer).rejects.toMatchObject({ code: -32012 });
    }
  });

  it('a block filter returns new block hashes, and eth_getFilterLogs does not consume them', async () => {
    const id = await call('eth_newBlockFilter');
    await call('evm_mine');
    const first = await headHash();
    await call('evm_mine');
    const expected = [first, await headHash()];
    expect(await call('eth_getFilterLogs', [id])).toEqual(expected);
    expect(await changes(id)).toEqual(expected);
    expect(await changes(id)).toEqual([]);
  });

  it('a block filter omits blocks removed before the poll', async () => {
    const id = await call('eth_newBlockFilter');
    const snapshot = await call('evm_snapshot');
    await increase(1);
    await call('evm_revert', [snapshot]);
    expect(await changes(id)).toEqual([]);
    await increase(2);
    expect(await changes(id)).toEqual([await headHash()]);
  });

  it('a pending transaction filter returns the hashes of sent transactions', async () => {
    const id = await call('eth_newPendingTransactionFilter');
    const hashes = [await increase(1), await increase(2)];
    expect(await call('eth_getFilterLogs', [id])).toEqual(hashes);
    expect(await changes(id)).toEqual(hashes);
    expect(await changes(id)).toEqual([]);
  });

  it('eth_uninstallFilter removes a filter and returns true once', async () => {
    for (const [method, params] of [
      ['eth_newFilter', [{}]],
      ['eth_newBlockFilter', []],
      ['eth_newPendingTransactionFilter', []],
    ] as const) {
      const id = await call(method, params);
      expect(id).toMatch(/^0x[1-9a-f][0-9a-f]*$/);
      expect(await call('eth_uninstallFilter', [id])).toBe(true);
      expect(await call('eth_uninstallFilter', [id])).toBe(false);
      await expect(changes(id)).rejects.toMatchObject({ code: -32000, message: 'filter not found' });
    }
  });

  it('unknown filters are not found', async () => {
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs']) {
      await expect(call(method, [UNKNOWN])).rejects.toMatchObject({
        code: -32000,
        message: 'filter not found',
      });
    }
    expect(await call('eth_uninstallFilter', [UNKNOWN])).toBe(false);
  });

  it('a filter expires after five minutes without a poll', async () => {
    const idle = await call('eth_newBlockFilter');
    const polled = await call('eth_newBlockFilter');
    await service.time.advance(299_999);
    await changes(polled);
    await service.time.advance(1);
    await expect(changes(idle)).rejects.toMatchObject({ message: 'filter not found' });
    await expect(changes(polled)).resolves.toEqual([]);
  });

  it('moving the chain clock does not expire filters', async () => {
    const id = await call('eth_newBlockFilter');
    await call('evm_increaseTime', [1_000_000]);
    await expect(changes(id)).resolves.toEqual([]);
  });

  it('evm_revert keeps filters created after the snapshot', async () => {
    const snapshot = await call('evm_snapshot');
    const id = await call('eth_newBlockFilter');
    await call('evm_revert', [snapshot]);
    await call('evm_mine');
    expect(await changes(id)).toEqual([await headHash()]);
  });

  it('filter methods reject a block hash filter and ids that are not quantities', async () => {
    for (const fields of [{}, { fromBlock: '0x1' }]) {
      const filter = { blockHash: EXAMPLE.blockHashes[3], ...fields };
      await expect(call('eth_newFilter', [filter])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('params: filter.blockHash:'),
      });
    }
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter']) {
      for (const params of [['xyz'], [], [null], [{}], ['-1']]) {
        await expect(call(method, params)).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining('params: filterId:'),
        });
      }
    }
    await expect(call('eth_newFilter', [])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params: filter:'),
    });
  });
});
