import { describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpRequest } from '../../../src/fork/upstream/http-post.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { systemClock, systemTimers, type Timers } from '../../../src/primitives/clock.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { failedAnswer, okAnswer, ScriptedUpstream, type WireCall } from '../scripted-upstream.ts';

interface Scene {
  readonly upstream: ScriptedUpstream;
  /** Sends calls in one iteration of the event loop; resolves to their results. */
  ask(count: number): Promise<unknown[]>;
}

function scene(retries = 0, timers: Timers = systemTimers): Scene {
  const upstream = new ScriptedUpstream((method) => method);
  const client = new UpstreamClient(
    ['https://node.example'],
    {
      headers: {},
      timeout: 5_000,
      retries,
      retryBackoff: 0,
      computeUnitsPerSecond: null,
      noRateLimit: true,
    },
    {
      post: upstream.post,
      clock: systemClock,
      timers,
      random: (length) => new Uint8Array(length),
    },
  );
  return {
    upstream,
    ask: (count) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          client.ask({ method: `m${index}`, params: [], expects: 'anything' }),
        ),
      ),
  };
}

function isBatch({ body }: HttpRequest): boolean {
  return body.startsWith('[');
}

function callsOf({ body }: HttpRequest): WireCall[] {
  return [JSON.parse(body)].flat() as WireCall[];
}

/** The number of calls in each request. */
function sizes({ posts }: ScriptedUpstream): number[] {
  return posts.map((request) => callsOf(request).length);
}

const RESULTS = ['m0', 'm1', 'm2'];

describe('batches of an UpstreamClient', () => {
  it.each<[string, () => HttpAnswer]>([
    ['an error object', () => okAnswer({ id: null, error: { code: -32600, message: 'no batches' } })],
    ['HTTP status 400', () => failedAnswer(400)],
    ['HTTP status 403', () => failedAnswer(403, 'upgrade for batches')],
    ['HTTP status 413', () => failedAnswer(413)],
    ['text', () => failedAnswer(200, 'batch?')],
    ['an empty list', () => okAnswer([])],
    [
      'a closed connection',
      () => {
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    ],
  ])('are sent as single requests after %s, also later', async (_name, answer) => {
    const { upstream, ask } = scene();
    upstream.script = (request) => (isBatch(request) ? answer() : undefined);

    expect(await ask(3)).toEqual(RESULTS);
    expect(await ask(3)).toEqual(RESULTS);
    expect(sizes(upstream)).toEqual([3, 1, 1, 1, 1, 1, 1]);
  });

  it('are sent as single requests after a timeout', async () => {
    const time = createFakeTime(0);
    const { upstream, ask } = scene(0, time.timers);
    let reach: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    upstream.script = (request) => {
      if (!isBatch(request)) return undefined;
      reach();
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    };
    const answers = ask(3);
    await reached;

    await time.advance(5_000);

    expect(await answers).toEqual(RESULTS);
    expect(sizes(upstream)).toEqual([3, 1, 1, 1]);
  });

  it('accept ids as text', async () => {
    const { upstream, ask } = scene();
    upstream.script = (request) => {
      const answers = callsOf(request).map(({ id, method }) => ({ id: String(id), result: method }));
      return okAnswer(isBatch(request) ? answers : answers[0]);
    };

    expect(await ask(3)).toEqual(RESULTS);
    expect(await ask(1)).toEqual(['m0']);
    expect(sizes(upstream)).toEqual([3, 1]);
  });

  it('keep the responses that arrive, and request only the other calls singly', async () => {
    const { upstream, ask } = scene();
    upstream.script = (request) =>
      isBatch(request) ? okAnswer([{ id: 1, result: 'from the batch' }]) : undefined;

    expect(await ask(3)).toEqual(['m0', 'from the batch', 'm2']);
    expect(upstream.calls.map(({ method }) => method)).toEqual(['m0', 'm2']);
  });

  it('keep the response of a server that answers only the first call', async () => {
    const { upstream, ask } = scene();
    upstream.script = (request) =>
      isBatch(request) ? okAnswer({ id: 0, result: 'from the batch' }) : undefined;

    expect(await ask(3)).toEqual(['from the batch', 'm1', 'm2']);
  });

  it('keep the responses that arrive if the single requests fail, and retry the others', async () => {
    const { upstream, ask } = scene(1);
    upstream.script = (_request, place) => {
      if (place === 0) return okAnswer([{ id: 1, result: 'from the batch' }]);
      return place === 1 ? failedAnswer(502) : undefined;
    };

    expect(await ask(3)).toEqual(['m0', 'from the batch', 'm2']);
    expect(sizes(upstream)).toEqual([3, 1, 2]);
  });

  it.each([429, 500, 503])('are retried as batches after HTTP status %i', async (status) => {
    const { upstream, ask } = scene(1);
    upstream.script = (_request, place) => (place === 0 ? failedAnswer(status) : undefined);

    expect(await ask(3)).toEqual(RESULTS);
    expect(sizes(upstream)).toEqual([3, 3]);
  });

  it('are retried as batches if the connection breaks for single requests, too', async () => {
    const { upstream, ask } = scene(1);
    upstream.script = (_request, place) => {
      if (place < 2) throw new Error('socket hang up');
      return undefined;
    };

    expect(await ask(3)).toEqual(RESULTS);
    expect(sizes(upstream)).toEqual([3, 1, 3]);
  });

  it('continue after one broken connection of an upstream that has answered a batch', async () => {
    const { upstream, ask } = scene();
    const broken = new Set([1]);
    upstream.script = (request) => {
      const batches = upstream.posts.filter(isBatch).length - 1;
      if (isBatch(request) && broken.has(batches)) throw new Error('socket hang up');
      return undefined;
    };
    for (let count = 0; count < 3; count++) expect(await ask(2)).toEqual(['m0', 'm1']);
    expect(sizes(upstream)).toEqual([2, 2, 1, 1, 2]);

    broken.add(3).add(4);
    for (let count = 0; count < 3; count++) await ask(2);
    expect(sizes(upstream).slice(5)).toEqual([2, 1, 1, 2, 1, 1, 1, 1]);
  });

  it('become at most eight concurrent single requests', async () => {
    const { upstream, ask } = scene();
    let pending = 0;
    let most = 0;
    upstream.script = async (request) => {
      if (isBatch(request)) return failedAnswer(413);
      most = Math.max(most, ++pending);
      await new Promise((resolve) => setImmediate(resolve));
      pending--;
      return undefined;
    };

    await ask(50);

    expect(most).toBe(8);
  });

  it('stop the single requests at a rate limit, and keep the responses until then', async () => {
    const { upstream, ask } = scene(1);
    let singles = 0;
    upstream.script = (request) => {
      if (isBatch(request)) return failedAnswer(400);
      singles++;
      return singles === 12 ? failedAnswer(429) : undefined;
    };

    expect(await ask(50)).toEqual(Array.from({ length: 50 }, (_, index) => `m${index}`));
    expect(upstream.calls.length).toBe(50);
    expect(singles).toBe(51);
  });

  it('continue as single requests after failures of some of them', async () => {
    const { upstream, ask } = scene(2);
    upstream.script = (request, place) => {
      if (isBatch(request)) return failedAnswer(400);
      return place % 5 === 0 ? failedAnswer(502) : undefined;
    };

    expect(await ask(100)).toHaveLength(100);
    expect(upstream.posts.length).toBeLessThan(140);
  });

  it('stop the single requests after eight failures in succession', async () => {
    const { upstream, ask } = scene();
    upstream.script = (request) => {
      if (isBatch(request)) return failedAnswer(400);
      return upstream.posts.length > 20 ? failedAnswer(502) : undefined;
    };

    await expect(ask(100)).rejects.toThrow('HTTP 502');
    expect(upstream.posts.length).toBeLessThan(60);
  });
});
