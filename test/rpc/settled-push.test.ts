import { describe, expect, it } from 'vitest';
import { DurableNotifier } from '../../src/rpc/methods/eth/subscriptions.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createRpcHarness, testConnection } from './rpc-harness.ts';

/** A disk whose writes end on request. */
class ManualDisk {
  readonly #writes: { readonly end: () => void; readonly fail: () => void }[] = [];
  isWriting = true;

  settle(): Promise<void> | undefined {
    if (!this.isWriting) return undefined;
    return new Promise((resolve, reject) => {
      this.#writes.push({ end: resolve, fail: () => reject(new Error('No space left')) });
    });
  }

  async end(how: 'end' | 'fail'): Promise<void> {
    this.#writes.shift()?.[how]();
    await Promise.resolve();
  }
}

describe('DurableNotifier', () => {
  it('sends items in order after their write to disk', async () => {
    const disk = new ManualDisk();
    const sent: unknown[] = [];
    const { push } = new DurableNotifier(disk, (item) => sent.push(item));
    push(1);
    push(2);
    expect(sent).toEqual([]);
    await disk.end('end');
    expect(sent).toEqual([1]);
    push(3);
    await disk.end('end');
    expect(sent).toEqual([1, 2]);
    disk.isWriting = false;
    push(4);
    expect(sent).toEqual([1, 2, 3, 4]);
    disk.isWriting = true;
    push(5);
    await disk.end('end');
    expect(sent).toEqual([1, 2, 3, 4]);
    await disk.end('end');
    expect(sent).toEqual([1, 2, 3, 4, 5]);
  });

  it('retries an item after a failed write, and sends nothing after it is stopped', async () => {
    const disk = new ManualDisk();
    const sent: unknown[] = [];
    const settled = new DurableNotifier(disk, (item) => sent.push(item));
    settled.push(1);
    await disk.end('fail');
    expect(sent).toEqual([]);
    settled.push(2);
    await disk.end('end');
    expect(sent).toEqual([1, 2]);
    settled.push(3);
    settled.stop();
    await disk.end('end');
    expect(sent).toEqual([1, 2]);
  });

  it('delays subscription notifications until the block is on disk', async () => {
    const { chain, call } = await createRpcHarness({}, { dataDirectory: await temporaryDirectory() });
    const connection = testConnection('websocket');
    await call('eth_subscribe', ['newHeads'], connection);
    const heardBeforeTheDisk: number[] = [];
    chain.events.on('block', () => heardBeforeTheDisk.push(connection.sent.length));
    for (let count = 0; count < 3; count++) await call('evm_mine');
    expect(heardBeforeTheDisk).toEqual([0, 1, 2]);
    expect(connection.sent).toHaveLength(3);
    await chain.close();
  });
});
