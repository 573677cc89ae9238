import { describe, expect, it, onTestFinished } from 'vitest';
import { BlockNotFoundError } from '../../../src/chain/errors.ts';
import { UpstreamError, UpstreamRejectionError } from '../../../src/fork/errors.ts';
import { BlockedPortError } from '../../../src/fork/upstream/blocked-port.ts';
import { UpstreamClient, type UpstreamOptions } from '../../../src/fork/upstream/upstream-client.ts';
import type { CodedError } from '../../../src/primitives/coded-error.ts';
import { nextIteration } from '../../../src/scheduling/cancel-check.ts';
import { createFakeTime, type FakeTime } from '../../support/fake-time.ts';
import { failedAnswer, okAnswer, ScriptedUpstream } from '../scripted-upstream.ts';

const START = 1_700_000_000_000;
const FIRST = 'https://user:password@first.example/v3/abcdef0123456789abcd?token=query-secret';
const SECOND = 'https://second.example/';

interface Scene {
  readonly client: UpstreamClient;
  readonly upstream: ScriptedUpstream;
  readonly time: FakeTime;
  /** Reported reasons of failed connections. */
  readonly unreachable: readonly string[];
}

function scene(options: Partial<UpstreamOptions> = {}, urls: readonly string[] = [FIRST]): Scene {
  const upstream = new ScriptedUpstream((method, params) => {
    if (method === 'refused') throw new BlockNotFoundError('9', 4);
    return [method, ...params];
  });
  const time = createFakeTime(START);
  const unreachable: string[] = [];
  const client = new UpstreamClient(
    urls,
    {
      headers: { 'x-team': 'blue' },
      timeout: 5_000,
      retries: 3,
      retryBackoff: 1_000,
      computeUnitsPerSecond: null,
      noRateLimit: false,
      ...options,
    },
    // The maximum delay: jitter takes nothing off.
    {
      post: upstream.post,
      clock: time.clock,
      timers: time.timers,
      random: (length) => new Uint8Array(length).fill(255),
      traffic: {
        begun() {},
        answered() {},
        unreachable: (reasons) => void unreachable.push(reasons),
        ended() {},
        closed() {},
      },
    },
  );
  return { client, upstream, time, unreachable };
}

/** Advances time until the promise settles; resolves to the elapsed milliseconds. */
async function elapsed(time: FakeTime, promise: Promise<unknown>, most = 200_000): Promise<number> {
  const start = time.clock.now();
  let isSettled = false;
  promise.then(
    () => {
      isSettled = true;
    },
    () => {
      isSettled = true;
    },
  );
  for (let turn = 0; turn < 20 && !isSettled; turn++) await nextIteration();
  while (!isSettled && time.clock.now() - start < most) {
    await time.advance(50);
    for (let turn = 0; turn < 4; turn++) await nextIteration();
  }
  return time.clock.now() - start;
}

const CALL = { method: 'chain_question', params: ['0x01', '0x1'], expects: 'anything' } as const;

describe('UpstreamClient', () => {
  it('batches calls of one iteration of the event loop', async () => {
    const { client, upstream } = scene();
    const answers = await Promise.all([
      client.ask(CALL),
      client.ask({ method: 'other_question', params: ['0x02'], expects: 'anything' }),
    ]);
    expect(answers).toEqual([
      ['chain_question', '0x01', '0x1'],
      ['other_question', '0x02'],
    ]);
    expect(upstream.posts).toHaveLength(1);
    expect(upstream.calls).toHaveLength(2);
    expect(upstream.posts[0]?.headers).toEqual({ 'x-team': 'blue' });
  });

  it('splits large batches into requests of 100 calls', async () => {
    const { client, upstream } = scene();
    await Promise.all(
      Array.from({ length: 250 }, (_, index) =>
        client.ask({ method: 'm', params: [index], expects: 'anything' }),
      ),
    );
    expect(upstream.posts.map(({ body }) => (JSON.parse(body) as unknown[]).length)).toEqual([100, 100, 50]);
  });

  it('rejects with the error code of the upstream, without a retry', async () => {
    const { client, upstream } = scene();
    const [refused, answered] = await Promise.allSettled([
      client.ask({ method: 'refused', params: [], expects: 'anything' }),
      client.ask(CALL),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: -32600 } });
    expect(refused.status === 'rejected' && refused.reason).toBeInstanceOf(UpstreamRejectionError);
    expect(answered.status).toBe('fulfilled');
    expect(upstream.posts).toHaveLength(1);
  });

  it('assigns an error without an id to its request', async () => {
    const { client, upstream } = scene({ retries: 0 });
    for (const id of [null, undefined]) {
      upstream.script = () => okAnswer({ id, error: { code: -32600, message: 'no such thing' } });
      await expect(client.ask(CALL)).rejects.toMatchObject({ code: -32600, message: 'no such thing' });
    }
  });

  it('retries after 50 ms, then with doubled delays, and reports the last response', async () => {
    const { client, upstream, time } = scene({ retries: 3 });
    upstream.script = () => failedAnswer(502, 'Bad gateway');
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(50 + 1_000 + 2_000);
    await expect(answer).rejects.toThrow(
      'no response from the fork URL to chain_question after 4 attempts: https://***@first.example/v3/***?token=***: HTTP 502: Bad gateway',
    );
    await expect(answer).rejects.toBeInstanceOf(UpstreamError);
    await expect(answer).rejects.toMatchObject({ code: -32000 });
    expect(upstream.posts).toHaveLength(4);
  });

  it.each([
    [
      'a response that is not JSON',
      () => ({ status: 200, retryAfter: null, text: '<html>' }),
      'its response is not JSON-RPC: <html>',
    ],
    ['an answer without result', () => okAnswer({ id: 0 }), 'its response has neither result nor error'],
    [
      'the answer to another request',
      () => okAnswer({ jsonrpc: '2.0', id: 424242, result: '0x1' }),
      'its response belongs to another request (id 424242)',
    ],
    [
      'an answer to no request',
      () => okAnswer({ jsonrpc: '2.0', result: '0x1' }),
      'its response belongs to another request (no id)',
    ],
    [
      'the refusal of another request',
      () => okAnswer({ id: '7', error: { code: 3, message: 'no' } }),
      'its response belongs to another request (id "7")',
    ],
    ['a broken connection', () => Promise.reject(new Error('socket hang up')), 'socket hang up'],
  ])('retries after %s', async (_name, script, reason) => {
    const { client, upstream, time } = scene({ retries: 2 });
    upstream.script = (_request, place) => (place === 0 ? script() : undefined);
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(50);
    expect(await answer).toEqual(['chain_question', '0x01', '0x1']);
    upstream.script = script;
    const failing = client.ask({ ...CALL, params: [] });
    await elapsed(time, failing);
    await expect(failing).rejects.toThrow(reason);
  });

  it('rejects a request after its timeout', async () => {
    const { client, upstream, time } = scene({ retries: 0, timeout: 700 });
    upstream.script = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(700);
    await expect(answer).rejects.toThrow('no response within 700 ms');
  });

  it('waits for Retry-After and limits its rate afterwards', async () => {
    const { client, upstream, time } = scene({ retries: 1 });
    upstream.script = (_request, place) => (place === 0 ? failedAnswer(429, 'slow down', '7') : undefined);
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(7_000);
    const many = Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.ask({ method: 'm', params: [index], expects: 'anything' }),
      ),
    );
    await many;
    // 100 calls of 20 units at 330 units per second take more than six seconds.
    expect(
      await elapsed(time, client.ask({ method: 'later', params: [], expects: 'anything' })),
    ).toBeGreaterThan(4_000);
  });

  it('limits its rate to computeUnitsPerSecond, unless noRateLimit is set', async () => {
    const slow = scene({ computeUnitsPerSecond: 20 });
    const ask = async ({ client, time }: Scene): Promise<number> => {
      let total = 0;
      for (let index = 0; index < 5; index++)
        total += await elapsed(time, client.ask({ method: 'm', params: [index], expects: 'anything' }));
      return total;
    };
    expect(await ask(slow)).toBeGreaterThanOrEqual(3_000);
    expect(await ask(scene({ noRateLimit: true }))).toBe(0);
  });

  it.each([
    ['HTTP status 429', () => failedAnswer(429)],
    ['HTTP status 429 with Retry-After 0', () => failedAnswer(429, '', '0')],
    ['a rate limit in a JSON-RPC error', () => okAnswer({ id: 0, error: { code: -32005, message: 'no' } })],
  ])('doubles the full delay after %s', async (_name, script) => {
    const { client, upstream, time } = scene({ retries: 3, noRateLimit: true });
    upstream.script = script;
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(1_000 + 2_000 + 4_000);
    await expect(answer).rejects.toThrow('after 4 attempts');
  });

  it('doubles the full delay if only one of the URLs limits its rate', async () => {
    const { client, upstream, time } = scene({ retries: 1 }, [FIRST, SECOND]);
    upstream.script = ({ url }) => failedAnswer(url === FIRST ? 502 : 429);
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(1_000);
    await expect(answer).rejects.toThrow('after 2 attempts');
  });

  it('does not limit its rate after an invalid response', async () => {
    const { client, upstream, time } = scene();
    upstream.script = (_request, place) => (place === 0 ? okAnswer({ id: 0 }) : undefined);
    await elapsed(time, client.ask(CALL));
    for (let index = 0; index < 100; index++)
      expect(await elapsed(time, client.ask({ ...CALL, params: [index] }))).toBe(0);
  });

  it('retries after a rate limit in a JSON-RPC error', async () => {
    const { client, upstream, time } = scene();
    upstream.script = (_request, place) =>
      place === 0 ? okAnswer({ id: 0, error: { code: -32005, message: 'limit exceeded' } }) : undefined;
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(1_000);
    expect(await answer).toEqual(['chain_question', '0x01', '0x1']);
  });

  it('switches to the next URL immediately after a failure, and keeps it', async () => {
    const { client, upstream, time } = scene({}, [FIRST, SECOND]);
    upstream.script = ({ url }) => (url === FIRST ? failedAnswer(500) : undefined);
    expect(await elapsed(time, client.ask(CALL))).toBe(0);
    await client.ask({ ...CALL, params: [] });
    expect(upstream.posts.map(({ url }) => url)).toEqual([FIRST, SECOND, SECOND]);
  });

  it('does not retry after HTTP 401', async () => {
    const { client, upstream, time } = scene({ retries: 5 });
    upstream.script = () =>
      failedAnswer(401, '{"error":{"message":"bad key abcdef0123456789abcd of query-secret"}}');
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(0);
    const error = await answer.catch((caught: CodedError) => caught);
    expect(String(error)).toContain('HTTP 401: bad key *** of ***');
    expect(String(error)).not.toMatch(/password|abcdef|query-secret/);
    expect(upstream.posts).toHaveLength(1);
  });

  it('does not retry a blocked port', async () => {
    const { client, upstream, time } = scene({ retries: 5 });
    upstream.script = () => {
      throw new BlockedPortError('6666');
    };
    const answer = client.ask(CALL);
    expect(await elapsed(time, answer)).toBe(0);
    await expect(answer).rejects.toThrow(
      /after one attempt: .*: cannot connect to port 6666: fetch\(\) blocks it/,
    );
    expect(upstream.posts).toHaveLength(1);
  });

  describe('UpstreamClient without a reachable server', () => {
    const refusal = (code: string) => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) });
    };

    it.each(['ECONNREFUSED', 'ENOTFOUND'])(
      'stops retries within three seconds at the start (%s)',
      async (code) => {
        const { client, upstream, time, unreachable } = scene({ retries: 5 });
        upstream.script = () => refusal(code);
        const answer = client.ask(CALL);
        expect(await elapsed(time, answer)).toBe(2_850);
        await expect(answer).rejects.toThrow(
          new RegExp(`after 5 attempts: https://.*first\\.example/.*: connect ${code}$`),
        );
        expect(unreachable).toEqual([
          expect.stringMatching(`^https://.*first\\.example/.*: connect ${code}$`),
        ]);
      },
    );

    it('stops retries within three seconds if the port of another URL is blocked', async () => {
      const { client, upstream, time } = scene({ retries: 5 }, [FIRST, SECOND]);
      upstream.script = ({ url }) => {
        if (url === FIRST) return refusal('ECONNREFUSED');
        throw new BlockedPortError('6666');
      };
      const answer = client.ask(CALL);
      expect(await elapsed(time, answer)).toBe(2_850);
      await expect(answer).rejects.toThrow('after 5 attempts');
    });

    it('reports an unreachable server immediately, and succeeds when it becomes available', async () => {
      const { client, upstream, time, unreachable } = scene({ retries: 5 });
      upstream.script = (_, place) => (place === 0 ? refusal('ECONNREFUSED') : undefined);
      const answer = client.ask(CALL);
      expect(await elapsed(time, answer)).toBe(50);
      expect(unreachable).toHaveLength(1);
      await expect(answer).resolves.toEqual(['chain_question', '0x01', '0x1']);
    });

    it('uses the full delays if retries is above the default', async () => {
      const { client, upstream, time } = scene({ retries: 6 });
      upstream.script = () => refusal('ECONNREFUSED');
      const answer = client.ask(CALL);
      expect(await elapsed(time, answer)).toBe(50 + 1_000 * (1 + 2 + 4 + 8 + 16));
      await expect(answer).rejects.toThrow('after 7 attempts');
    });

    it('uses the full delays after an earlier success, or if another URL responds', async () => {
      const { client, upstream, time, unreachable } = scene({ retries: 3 });
      await client.ask(CALL);
      upstream.script = () => refusal('ECONNREFUSED');
      const again = client.ask({ ...CALL, params: [] });
      expect(await elapsed(time, again)).toBe(3_050);
      await expect(again).rejects.toThrow('after 4 attempts');
      expect(unreachable).toEqual([]);
      const two = scene({ retries: 3 }, [FIRST, SECOND]);
      two.upstream.script = ({ url }) => (url === FIRST ? refusal('ENOTFOUND') : failedAnswer(503));
      const answer = two.client.ask(CALL);
      expect(await elapsed(two.time, answer)).toBe(3_050);
      await expect(answer).rejects.toThrow('after 4 attempts');
    });
  });

  it('sends calls only to an upstream that has the pinned block', async () => {
    const { client, upstream } = scene({ retries: 0 }, [FIRST, SECOND]);
    const hash = new Uint8Array(32).fill(7);
    const own = `0x${'07'.repeat(32)}`;
    const mismatches: string[] = [];
    client.pinTo({ number: 5, hash }, () => mismatches.push('told'));
    upstream.script = ({ url, body }) => {
      if (!body.includes('eth_getBlockByNumber')) return undefined;
      const block = { id: 0, result: { hash: url === SECOND ? own : `0x${'08'.repeat(32)}` } };
      return okAnswer([block, { id: 1, result: '0x0' }]);
    };
    expect(await client.ask(CALL)).toEqual(['chain_question', '0x01', '0x1']);
    expect(upstream.posts.map(({ url }) => url)).toEqual([FIRST, SECOND, SECOND]);
    expect(mismatches).toEqual(['told']);
  });

  it.each(['nonsense', {}, { hash: '0xzz' }])(
    'requests the pinned block again after the invalid block %j',
    async (block) => {
      const { client, upstream, time } = scene();
      const mismatches: string[] = [];
      client.pinTo({ number: 5, hash: new Uint8Array(32).fill(7) }, () => mismatches.push('told'));
      upstream.script = ({ body }, place) => {
        if (!body.includes('eth_getBlockByNumber')) return undefined;
        const result = place === 0 ? block : { hash: `0x${'07'.repeat(32)}` };
        return okAnswer([
          { id: 0, result },
          { id: 1, result: '0x0' },
        ]);
      };
      const answer = client.ask(CALL);
      expect(await elapsed(time, answer)).toBe(50);
      expect(await answer).toEqual(['chain_question', '0x01', '0x1']);
      expect(mismatches).toEqual([]);
    },
  );

  it('sends headers only to the servers of the start', async () => {
    const { client, upstream } = scene();
    await client.useUrls([SECOND], null);
    await client.ask(CALL);
    await client.useUrls(['https://first.example/other-path'], null);
    await client.ask(CALL);
    expect(upstream.posts.map(({ headers }) => headers)).toEqual([{}, { 'x-team': 'blue' }]);
  });

  it('limits texts of upstream errors to 1 kB, but not returned data', async () => {
    const { client, upstream } = scene({ retries: 0 });
    const long = 'ä'.repeat(100_000);
    const returned = `0x${'ab'.repeat(5_000)}`;
    let nested: unknown = 'deep';
    for (let level = 0; level < 5_000; level++) nested = [nested];
    const data = { message: long, data: returned, nested, wide: Array.from({ length: 1_000 }, () => 1) };
    upstream.script = () => okAnswer({ id: 0, error: { code: 3, message: long, data } });
    const error: unknown = await client.ask(CALL).catch((caught: unknown) => caught);
    if (!(error instanceof UpstreamRejectionError)) throw error;
    const told = error.data as { message: string; data: string; nested: unknown; wide: unknown[] };
    for (const text of [error.message, told.message]) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
      expect(text).toMatch(/^ä{500,}…$/);
    }
    expect(told.data).toBe(returned);
    expect(told.nested).toEqual([[['…']]]);
    expect(told.wide.length).toBeLessThan(100);

    upstream.script = () => okAnswer({ id: 0, error: { code: 429, message: long } });
    const limited: unknown = await client.ask(CALL).catch((caught: unknown) => caught);
    expect(Buffer.byteLength(String(limited))).toBeLessThanOrEqual(1_300);
    upstream.script = () => okAnswer({ id: long, result: 1 });
    const foreign: unknown = await client.ask(CALL).catch((caught: unknown) => caught);
    expect(Buffer.byteLength(String(foreign))).toBeLessThanOrEqual(1_300);
  });

  it('masks secrets in error data, even in a truncated text', async () => {
    const headers = { authorization: 'Bearer header-secret' };
    const { client, upstream } = scene({ headers, retries: 0 });
    const error = { code: 3, message: 'no', data: { url: [FIRST], token: 'header-secret', count: 1 } };
    upstream.script = () => okAnswer({ jsonrpc: '2.0', id: 0, error });
    await expect(client.ask({ method: 'eth_call', params: [], expects: 'data' })).rejects.toMatchObject({
      data: {
        url: ['https://***@first.example/v3/***?token=***'],
        token: '***',
        count: 1,
      },
    });
    upstream.script = () => ({ status: 200, retryAfter: null, text: `${'-'.repeat(190)}header-secret` });
    await expect(client.ask({ method: 'eth_call', params: [], expects: 'data' })).rejects.not.toThrow(
      'header',
    );
  });

  it('sends many requests simultaneously without a warning of Node', async () => {
    const warnings: string[] = [];
    const listener = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    const { client } = scene();
    await Promise.all(
      Array.from({ length: 2_000 }, (_, index) =>
        client.ask({ method: 'm', params: [index], expects: 'anything' }),
      ),
    );
    await nextIteration();
    expect(warnings).toEqual([]);
  });

  it('rejects calls that wait for the rate limit when it is closed', async () => {
    const { client, upstream } = scene({ computeUnitsPerSecond: 1, retries: 0 });
    await client.ask({ method: 'first', params: [], expects: 'anything' });
    const second = client.ask({ method: 'second', params: [], expects: 'anything' });
    await nextIteration();
    client.close();
    upstream.script = ({ signal }) => signal.throwIfAborted() ?? undefined;
    await expect(second).rejects.toThrow('the chain left the fork or is closing');
  });
});
