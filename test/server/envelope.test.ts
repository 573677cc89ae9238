import { describe, expect, it } from 'vitest';
import type { Call, Connection } from '../../src/rpc/connection.ts';
import { answerMessage } from '../../src/server/envelope.ts';
import type { CallReport } from '../../src/server/options.ts';
import { FakeService, SampleError } from './fake-service.ts';
import { Latch } from './latch.ts';
import { errorAnswer, requestText } from './test-server.ts';

const connection: Connection = {
  transport: 'in-process',
  remoteAddress: 'in-process',
  notify: null,
  isClosed: false,
  onClose: () => () => undefined,
};

/** Answers a message and keeps what the hooks were told. */
async function ask(text: string, service = new FakeService(), batchLimit = 5, answerLimit = 1_000_000) {
  const reports: CallReport[] = [];
  const reported: Call[] = [];
  const internalErrors: unknown[] = [];
  let now = 1_000;
  const clock = {
    now: () => {
      now += 7;
      return now;
    },
  };
  const answer = await answerMessage(text, service, connection, {
    batchLimit,
    answerLimit,
    hooks: {
      clock,
      onRequest: (report, call) => {
        reports.push(report);
        reported.push(call);
      },
      onInternalError: (error, method) => internalErrors.push({ error, method }),
    },
  });
  const written = answer?.toString();
  const parsed: unknown = written === undefined ? undefined : JSON.parse(written);
  return {
    text: written,
    answer: parsed,
    reports,
    internalErrors,
    reported,
    calls: service.calls,
    tokens: service.tokens,
  };
}

describe('a request', () => {
  it('is answered with the result and its id', async () => {
    const { answer, calls } = await ask(requestText('eth_call', ['0x1'], 7));
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, result: ['0x1'] });
    expect(calls).toEqual([{ method: 'eth_call', params: ['0x1'] }]);
  });

  it.each(['0', '-1', '1.5', '12345678901234567890', '1e400', 'null', '""', '"0"', '"a\\"\\\\b\\u0001 1"'])(
    'has its id %s echoed exactly',
    async (id) => {
      const { text } = await ask(`{"jsonrpc":"2.0","method":"m","params":["\\\\",1,"\\"2"],"id":${id}}`);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":["\\\\",1,"\\"2"]}`);
    },
  );

  it.each(['{}', '[]', '[1]', 'true', 'false'])('is invalid with %s as its id', async (id) => {
    const { answer, calls } = await ask(`{"jsonrpc":"2.0","method":"m","id":${id}}`);
    expect(answer).toEqual(errorAnswer(-32600, 'id must be'));
    expect(calls).toEqual([]);
  });

  it('may lack the jsonrpc member', async () => {
    const { answer } = await ask('{"method":"m","params":[],"id":1}');
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: [] });
  });

  it.each(['"1.0"', '2', 'null'])('is invalid with %s as jsonrpc, and keeps its id', async (version) => {
    const { answer } = await ask(`{"jsonrpc":${version},"method":"m","id":3}`);
    expect(answer).toEqual(errorAnswer(-32600, 'jsonrpc must be', 3));
  });

  it.each(['', '"method":1,', '"method":null,', '"method":["m"],'])(
    'is invalid without a method name (%s)',
    async (member) => {
      expect((await ask(`{"jsonrpc":"2.0",${member}"id":3}`)).answer).toEqual(
        errorAnswer(-32600, 'method must be', 3),
      );
    },
  );

  it.each(['"text"', '1', 'true'])('is invalid with %s as params', async (params) => {
    const { answer } = await ask(`{"jsonrpc":"2.0","method":"m","params":${params},"id":3}`);
    expect(answer).toEqual(errorAnswer(-32600, 'params must be', 3));
  });

  it.each([
    ['', undefined],
    [',"params":null', null],
    [',"params":[]', []],
    [',"params":{"a":1}', { a: 1 }],
  ])('hands its params on as they are (%s)', async (member, params) => {
    const { calls } = await ask(`{"jsonrpc":"2.0","method":"m","id":1${member}}`);
    expect(calls).toEqual([{ method: 'm', params }]);
  });

  it('may nest its params 100 levels deep and no deeper', async () => {
    const nested = (levels: number) =>
      `{"method":"m","id":1,"params":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect((await ask(nested(100))).calls).toHaveLength(1);
    expect((await ask(nested(101))).answer).toEqual(errorAnswer(-32600, 'deeper than 100 levels', 1));
    expect((await ask(nested(1_000_000))).answer).toEqual(errorAnswer(-32600, 'deeper than 100 levels', 1));
  });

  it.each(['1', '"text"', 'null', 'true'])('must be an object, not %s', async (text) => {
    expect((await ask(text)).answer).toEqual(errorAnswer(-32600, 'must be an object'));
  });

  it.each(['', '{', '[{"jsonrpc":"2.0"', '{"a":1}}', 'nonsense'])('must be JSON, not %j', async (text) => {
    expect((await ask(text)).answer).toEqual(errorAnswer(-32700, /^parse error: /));
  });

  it('takes members only from itself, not from a __proto__ member', async () => {
    const { answer, calls } = await ask('{"__proto__":{"id":5,"method":"m","params":[1]},"jsonrpc":"2.0"}');
    expect(answer).toEqual(errorAnswer(-32600, 'method must be'));
    expect(calls).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'method')).toBe(false);
  });
});

describe('a notification', () => {
  it('is executed and not answered', async () => {
    const { text, calls } = await ask('{"jsonrpc":"2.0","method":"m","params":[1]}');
    expect(text).toBeUndefined();
    expect(calls).toEqual([{ method: 'm', params: [1] }]);
  });

  it('is not answered when it fails, but the failure is told', async () => {
    const service = new FakeService({
      m: () => {
        throw new Error('broken');
      },
    });
    const { text, reports, internalErrors } = await ask('{"jsonrpc":"2.0","method":"m"}', service);
    expect(text).toBeUndefined();
    expect(internalErrors).toHaveLength(1);
    expect(reports).toMatchObject([{ method: 'm', error: new Error('broken') }]);
  });

  it('is answered when it is not a valid request', async () => {
    expect((await ask('{"jsonrpc":"2.0"}')).answer).toEqual(errorAnswer(-32600, 'method must be'));
  });
});

describe('a batch', () => {
  it('is answered in order, without its notifications, and with exact ids', async () => {
    const { text } = await ask(
      '[{"method":"a","id":"x"},{"method":"b"},{"method":"c","id":98765432109876543210},{"method":"d","id":null}]',
    );
    expect(text).toBe(
      '[{"jsonrpc":"2.0","id":"x","result":null},{"jsonrpc":"2.0","id":98765432109876543210,"result":null},{"jsonrpc":"2.0","id":null,"result":null}]',
    );
  });

  it('runs its requests one after the other', async () => {
    const latch = new Latch();
    const service = new FakeService({ slow: () => latch.opened });
    const answer = ask(`[${requestText('slow')},${requestText('fast')}]`, service);
    await Promise.resolve();
    expect(service.calls.map(({ method }) => method)).toEqual(['slow']);
    latch.open();
    await answer;
    expect(service.calls.map(({ method }) => method)).toEqual(['slow', 'fast']);
  });

  it('answers each of its requests by itself, valid or not', async () => {
    const { answer } = await ask(`[1,${requestText('m', [], 2)},[],{"id":4}]`);
    expect(answer).toEqual([
      errorAnswer(-32600, 'must be an object'),
      { jsonrpc: '2.0', id: 2, result: [] },
      errorAnswer(-32600, 'must be an object'),
      errorAnswer(-32600, 'method must be', 4),
    ]);
  });

  it('is not answered when it holds notifications only', async () => {
    expect((await ask('[{"method":"a"},{"method":"b"}]')).text).toBeUndefined();
  });

  it('is invalid when empty', async () => {
    expect((await ask('[]')).answer).toEqual(errorAnswer(-32600, 'batch is empty'));
  });

  it('is refused as a whole when it is over the limit, naming the limit and its option', async () => {
    const { answer, calls } = await ask(JSON.stringify(Array(6).fill({ method: 'm', id: 1 })));
    expect(answer).toEqual(errorAnswer(-32600, /batch of 6 .* limit of 5 .*--batch-limit/));
    expect(calls).toEqual([]);
  });
});

describe('a result', () => {
  it('is null when the method gives undefined', async () => {
    const { answer } = await ask(requestText('m'), new FakeService({ m: () => undefined }));
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: null });
  });

  it('that is no JSON is a bug: -32603, and reported', async () => {
    const { answer, internalErrors } = await ask(requestText('m'), new FakeService({ m: () => 1n }));
    expect(answer).toEqual(errorAnswer(-32603, /^internal error: .*BigInt/, 1));
    expect(internalErrors).toMatchObject([{ method: 'm', error: expect.any(TypeError) }]);
  });
});

describe('an error', () => {
  const failing = (error: unknown) =>
    new FakeService({
      m: () => {
        throw error;
      },
    });

  it('for the caller leaves with its code, message and data', async () => {
    const { answer, internalErrors } = await ask(
      requestText('m'),
      failing(new SampleError('reverted', '0x08c379a0')),
    );
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32015, message: 'reverted', data: '0x08c379a0' },
    });
    expect(internalErrors).toEqual([]);
  });

  it('without data has no data member', async () => {
    const { text } = await ask(requestText('m'), failing(new SampleError('reverted')));
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"reverted"}}');
  });

  it('of any other kind is -32603 and is reported with its method', async () => {
    const error = new TypeError('x is not a function');
    const { answer, internalErrors } = await ask(requestText('m'), failing(error));
    expect(answer).toEqual(errorAnswer(-32603, /^internal error: x is not a function$/, 1));
    expect(internalErrors).toEqual([{ error, method: 'm' }]);
  });

  it('thrown before there is a promise is answered too', async () => {
    const service = new FakeService();
    service.call = () => {
      throw new SampleError('at once');
    };
    expect((await ask(requestText('m'), service)).answer).toEqual(errorAnswer(-32015, 'at once', 1));
  });

  it('whose data is no JSON is a bug', async () => {
    const { answer, internalErrors } = await ask(requestText('m'), failing(new SampleError('reverted', 1n)));
    expect(answer).toEqual(errorAnswer(-32603, 'internal error', 1));
    expect(internalErrors).toHaveLength(1);
  });
});

describe('the call report', () => {
  it('names the call that the service got, one for each request, which is answered by then', async () => {
    const service = new FakeService({ a: () => 1, b: () => Promise.reject(new SampleError('reverted')) });
    const text = `[${requestText('a')},${requestText('a')},{"method":"b"}]`;
    const { reported, tokens } = await ask(text, service);
    expect(reported).toHaveLength(3);
    expect(new Set(reported).size).toBe(3);
    for (const [index, call] of reported.entries()) expect(tokens[index]).toBe(call);
    expect(reported).toMatchObject(
      ['a', 'a', 'b'].map((method) => ({ method, isAnswered: true, connection })),
    );
    expect(service.answeredEarly).toBe(false);
    expect(new Set(reported.map(({ batch }) => batch)).size).toBe(1);
  });

  it('tells each call with its method and how long it took', async () => {
    const { reports } = await ask(`[${requestText('a')},{"method":"b"}]`);
    expect(reports).toEqual([
      { method: 'a', durationMs: 7 },
      { method: 'b', durationMs: 7 },
    ]);
  });

  it('tells the error of a call that failed', async () => {
    const error = new SampleError('reverted');
    const { reports } = await ask(requestText('a'), new FakeService({ a: () => Promise.reject(error) }));
    expect(reports).toEqual([{ method: 'a', durationMs: 7, error }]);
  });

  it('does not tell what was no call', async () => {
    expect((await ask('[1,{"id":1}]')).reports).toEqual([]);
  });
});

describe('an answer that is too long', () => {
  const long = new FakeService({ long: () => 'x'.repeat(600), short: () => 1 });

  it('is an error of the caller instead, and no bug', async () => {
    const { answer, internalErrors } = await ask(requestText('long', [], 1), long, 5, 500);
    expect(answer).toEqual(errorAnswer(-32000, 'response too large', 1));
    expect(internalErrors).toEqual([]);
  });

  it('refuses what comes behind it in its batch without beginning it, as it could not say what it did', async () => {
    let begun = 0;
    const service = new FakeService({ long: () => 'x'.repeat(920), change: () => ++begun });
    const texts = ['long', 'change'].map((method, id) => requestText(method, [], id));
    const { answer } = await ask(`[${texts.join(',')}]`, service, 5, 1_000);
    expect(answer).toEqual([
      { jsonrpc: '2.0', id: 0, result: 'x'.repeat(920) },
      errorAnswer(-32000, 'so the request was not executed', 1),
    ]);
    expect(begun).toBe(0);
  });

  it('leaves the other requests of its batch answered', async () => {
    const texts = ['long', 'long', 'short'].map((method, id) => requestText(method, [], id));
    const { answer } = await ask(`[${texts.join(',')}]`, long, 5, 1_000);
    expect(answer).toEqual([
      { jsonrpc: '2.0', id: 0, result: 'x'.repeat(600) },
      errorAnswer(-32000, 'response too large', 1),
      { jsonrpc: '2.0', id: 2, result: 1 },
    ]);
  });
});
