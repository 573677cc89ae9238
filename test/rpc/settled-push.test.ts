import { describe, expect, it } from 'vitest';
import { DurableNotifier } from '../../src/rpc/methods/eth/subscriptions.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createRpcHarness, testConnection } from './rpc-harness.ts';

/** A disk whose writes end when the test says so. */
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

describe('items of a chain on disk', () => {
  it('are sent in their order, each when the disk has it', async () => {
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

  it('wait for the next one when the disk fails, and are not sent once they are to stop', async () => {
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

  it('are what subscribers hear of', async () => {
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
