import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { start } from '../index/started-node.ts';

const CONTRACT = `0x${'c0'.repeat(20)}`;
const OTHER = `0x${'d0'.repeat(20)}`;
const SLOT = `0x${'0'.repeat(63)}1`;
const VALUE = `0x${'0'.repeat(62)}2a`;

/** Reads accounts that the call does not touch, at its first step. */
const READS = `{
  seen: null,
  step: function(log, db) {
    if (this.seen !== null) return;
    var other = toAddress('${OTHER}');
    this.seen = [db.exists(other), db.getBalance(other).toString(), toHex(db.getState(other, toWord('0x1'))), toHex(db.getCode(other))];
  },
  fault: function() {},
  result: function(ctx, db) { return [this.seen, db.getNonce(toAddress('${OTHER}'))]; }
}`;

describe('a JavaScript tracer on a fork', () => {
  it('reads uncached accounts from the upstream, and fails if a read fails', async () => {
    const upstream = await createNode();
    const request = (method: string, ...params: unknown[]): Promise<unknown> =>
      upstream.request({ method, params });
    await request('hardhat_setCode', CONTRACT, '0x600100');
    await request('hardhat_setCode', OTHER, '0x5b5b');
    await request('hardhat_setBalance', OTHER, '0x7');
    await request('hardhat_setNonce', OTHER, '0x5');
    await request('hardhat_setStorageAt', OTHER, SLOT, VALUE);
    await request('hardhat_mine');
    const { url } = await upstream.listen();
    const fork = await start({ forkUrl: url, retries: 0 });
    const trace = (source: string): Promise<unknown> =>
      fork.request({ method: 'debug_traceCall', params: [{ to: CONTRACT }, 'latest', { tracer: source }] });
    expect(await trace(READS)).toEqual([[true, '7', VALUE, '0x5b5b'], 5]);
    await upstream.close();
    expect(await trace(READS)).toEqual([[true, '7', VALUE, '0x5b5b'], 5]);
    const elsewhere = READS.replaceAll(OTHER, `0x${'e0'.repeat(20)}`);
    await expect(trace(elsewhere)).rejects.toMatchObject({
      message: expect.stringMatching(/upstream|fork/i),
    });
  });
});
