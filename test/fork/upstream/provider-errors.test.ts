import { describe, expect, it } from 'vitest';
import { UpstreamRejectionError } from '../../../src/fork/errors.ts';
import type { UpstreamCall } from '../../../src/fork/upstream/upstream-call.ts';
import { PINNED_BLOCK } from '../../../src/fork/upstream/upstream-call.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { systemClock, systemTimers } from '../../../src/primitives/clock.ts';
import { okAnswer, ScriptedUpstream } from '../scripted-upstream.ts';

const FIRST = 'https://first.example/v3/abcdef0123456789abcd';
const SECOND = 'https://second.example';
const HASH = `0x${'07'.repeat(32)}`;
const OTHER_HASH = `0x${'08'.repeat(32)}`;
const ADDRESS = `0x${'11'.repeat(20)}`;

/** Returns a client that is pinned to block 16. The first response to other calls is the error. */
function pinned(
  error: object | ((url: string) => object | undefined),
  urls: readonly string[] = [FIRST],
): { readonly client: UpstreamClient; readonly upstream: ScriptedUpstream; readonly asked: string[] } {
  const asked: string[] = [];
  const upstream = new ScriptedUpstream((method) =>
    method === 'eth_getBlockByNumber' ? { hash: HASH } : '0x1',
  );
  upstream.script = ({ url, body }) => {
    if (body.includes('eth_getBlockByNumber')) return undefined;
    asked.push(url);
    const answer = typeof error === 'function' ? error(url) : asked.length === 1 ? error : undefined;
    return answer === undefined ? undefined : okAnswer({ jsonrpc: '2.0', id: 0, error: answer });
  };
  const client = new UpstreamClient(
    urls,
    {
      headers: {},
      timeout: 5_000,
      retries: 1,
      retryBackoff: 0,
      computeUnitsPerSecond: null,
      noRateLimit: true,
    },
    {
      post: upstream.post,
      clock: systemClock,
      timers: systemTimers,
      random: (length) => new Uint8Array(length),
    },
  );
  client.pinTo({ number: 16, hash: Uint8Array.from({ length: 32 }, () => 7) }, () => {});
  return { client, upstream, asked };
}

function balanceAt(block: unknown): UpstreamCall {
  return { method: 'eth_getBalance', params: [ADDRESS, block], expects: 'quantity' };
}

const LAGGING = { code: -32000, message: 'header not found' };

describe('an upstream that lacks a block', () => {
  it.each([
    'header not found',
    'block not found',
    'block #16 not found',
    'Block 16 not found',
    'Block with hash 0707 not found',
    'block not found: 16',
    'Unknown block',
    'unknown block',
    'could not find block',
    'Cannot find block 16',
    'cannot query unfinalized data',
  ])('is requested again after "%s"', async (message) => {
    const { client, asked } = pinned({ code: -32000, message });

    expect(await client.ask(balanceAt(PINNED_BLOCK))).toBe('0x1');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['the pinned block', balanceAt(PINNED_BLOCK)],
    ['an older block', balanceAt('0x1')],
    ['the pinned block by hash', balanceAt({ blockHash: HASH })],
    ['an older block in an object', balanceAt({ blockNumber: '0x10' })],
    [
      'the logs of older blocks',
      { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x2' }], expects: 'anything' },
    ],
  ] as const)('is requested again for %s', async (_name, call) => {
    const { client, asked } = pinned(LAGGING);

    await client.ask(call);

    expect(asked).toHaveLength(2);
  });

  it.each([
    ['a later block', balanceAt('0x11')],
    ['another hash', balanceAt({ blockHash: OTHER_HASH })],
    ['a hash', { method: 'debug_traceBlockByHash', params: [OTHER_HASH], expects: 'anything' }],
  ] as const)('rejects the call for %s', async (_name, call) => {
    const { client, asked } = pinned(LAGGING);

    await expect(client.ask(call)).rejects.toBeInstanceOf(UpstreamRejectionError);
    expect(asked).toHaveLength(1);
  });

  it.each([
    { code: -32601, message: 'the block method eth_x not found' },
    { code: 3, message: 'execution reverted: block not found' },
    { code: -32000, message: 'execution reverted: missing trie node' },
    { code: -32000, message: 'intrinsic gas too low' },
  ])('is not requested again after %o', async (error) => {
    const { client, asked } = pinned(error);

    await expect(client.ask(balanceAt(PINNED_BLOCK))).rejects.toMatchObject(error);
    expect(asked).toHaveLength(1);
  });

  it('rejects a call with an error of a million characters', async () => {
    // Time that grows with the square of the length would block the node for minutes.
    const { client, asked } = pinned({ code: -32000, message: 'exceeded '.repeat(120_000) });

    await expect(client.ask(balanceAt(PINNED_BLOCK))).rejects.toThrow('exceeded');
    expect(asked).toHaveLength(1);
  });

  it('rejects with its error after the last retry', async () => {
    const { client } = pinned(() => LAGGING);

    await expect(client.ask(balanceAt(PINNED_BLOCK))).rejects.toThrow(
      'no response from the fork URL to eth_getBalance after 2 attempts: https://first.example/v3/***: header not found (-32000)',
    );
  });

  it('is requested again for the pinned block if this block came from it', async () => {
    const upstream = new ScriptedUpstream(() => '0x1');
    let blocks = 0;
    upstream.script = ({ body }) => {
      if (!body.includes('eth_getBlockByNumber')) return undefined;
      const result = ++blocks === 1 ? null : { hash: HASH };
      return okAnswer([
        { id: 0, result },
        { id: 1, result: '0x0' },
      ]);
    };
    const client = new UpstreamClient(
      [FIRST],
      {
        headers: {},
        timeout: 5_000,
        retries: 1,
        retryBackoff: 0,
        computeUnitsPerSecond: null,
        noRateLimit: true,
      },
      {
        post: upstream.post,
        clock: systemClock,
        timers: systemTimers,
        random: (length) => new Uint8Array(length),
      },
    );
    const mismatches: string[] = [];
    await client.ask({ method: 'eth_chainId', params: [], expects: 'quantity' });
    client.pinTo({ number: 16, hash: Uint8Array.from({ length: 32 }, () => 7) }, () => {
      mismatches.push('mismatch');
    });

    expect(await client.ask(balanceAt(PINNED_BLOCK))).toBe('0x1');
    expect(blocks).toBe(2);
    expect(mismatches).toEqual([]);
  });
});

describe('an upstream that pruned the state', () => {
  it.each([
    'missing trie node 0af1 (path ) state 0x0af1 is not available',
    'required historical state unavailable (reexec=128)',
    'historical state 0x0af1 is not available',
    'No state available for block 16',
    'state at block #16 is pruned',
    'World state unavailable',
    'State not found for block with hash 0707',
    'old data not available due to pruning',
    'pruned history unavailable',
    'project ID does not have access to archive state',
  ])('is requested once, and the error contains the remedy (%s)', async (message) => {
    const { client, asked } = pinned(() => ({ code: -32000, message }));

    await expect(client.ask(balanceAt(PINNED_BLOCK))).rejects.toThrow(
      `the fork URL does not store the state for eth_getBalance (https://first.example/v3/***: ${message} (-32000)); use an archive node or a newer block`,
    );
    expect(asked).toHaveLength(1);
  });

  it('is replaced with an archive node among the URLs', async () => {
    const { client, asked } = pinned(
      (url) => (url === FIRST ? { code: -32000, message: 'missing trie node' } : undefined),
      [FIRST, SECOND],
    );

    expect(await client.ask(balanceAt(PINNED_BLOCK))).toBe('0x1');
    expect(asked).toEqual([FIRST, SECOND]);
  });

  it('does not affect other calls of the same batch', async () => {
    const { client, upstream } = pinned(() => undefined);
    await client.ask(balanceAt(PINNED_BLOCK));
    upstream.script = () =>
      okAnswer([
        { id: 0, error: { code: -32000, message: 'missing trie node' } },
        { id: 1, result: '0x2' },
      ]);

    const outcomes = await Promise.allSettled([
      client.ask(balanceAt('0x1')),
      client.ask(balanceAt(PINNED_BLOCK)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});
