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

/** Handles a message, and records the hook calls. */
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

describe('JSON-RPC requests', () => {
  it('a request returns the result with its id', async () => {
    const { answer, calls } = await ask(requestText('eth_call', ['0x1'], 7));
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, result: ['0x1'] });
    expect(calls).toEqual([{ method: 'eth_call', params: ['0x1'] }]);
  });

  it.each(['0', '-1', '1.5', '12345678901234567890', '1e400', 'null', '""', '"0"', '"a\\"\\\\b\\u0001 1"'])(
    'the id %s is returned exactly',
    async (id) => {
      const { text } = await ask(`{"jsonrpc":"2.0","method":"m","params":["\\\\",1,"\\"2"],"id":${id}}`);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":["\\\\",1,"\\"2"]}`);
    },
  );

  it.each(['{}', '[]', '[1]', 'true', 'false'])('the id %s is invalid', async (id) => {
    const { answer, calls } = await ask(`{"jsonrpc":"2.0","method":"m","id":${id}}`);
    expect(answer).toEqual(errorAnswer(-32600, 'id must be'));
    expect(calls).toEqual([]);
  });

  it('the jsonrpc member is optional', async () => {
    const { answer } = await ask('{"method":"m","params":[],"id":1}');
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: [] });
  });

  it.each(['"1.0"', '2', 'null'])(
    'the jsonrpc value %s is invalid, and the error has the id',
    async (version) => {
      const { answer } = await ask(`{"jsonrpc":${version},"method":"m","id":3}`);
      expect(answer).toEqual(errorAnswer(-32600, 'jsonrpc must be', 3));
    },
  );

  it.each(['', '"method":1,', '"method":null,', '"method":["m"],'])(
    'a request without a method name is invalid (%s)',
    async (member) => {
      expect((await ask(`{"jsonrpc":"2.0",${member}"id":3}`)).answer).toEqual(
        errorAnswer(-32600, 'method must be', 3),
      );
    },
  );

  it.each(['"text"', '1', 'true'])('params %s are invalid', async (params) => {
    const { answer } = await ask(`{"jsonrpc":"2.0","method":"m","params":${params},"id":3}`);
    expect(answer).toEqual(errorAnswer(-32600, 'params must be', 3));
  });

  it.each([
    ['', undefined],
    [',"params":null', null],
    [',"params":[]', []],
    [',"params":{"a":1}', { a: 1 }],
  ])('params are passed on unchanged (%s)', async (member, params) => {
    const { calls } = await ask(`{"jsonrpc":"2.0","method":"m","id":1${member}}`);
    expect(calls).toEqual([{ method: 'm', params }]);
  });

  it('params may be nested up to 100 levels', async () => {
    const nested = (levels: number) =>
      `{"method":"m","id":1,"params":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect((await ask(nested(100))).calls).toHaveLength(1);
    expect((await ask(nested(101))).answer).toEqual(errorAnswer(-32600, 'deeper than 100 levels', 1));
    expect((await ask(nested(1_000_000))).answer).toEqual(errorAnswer(-32600, 'deeper than 100 levels', 1));
  });

  it.each(['1', '"text"', 'null', 'true'])('a request must be an object, not %s', async (text) => {
    expect((await ask(text)).answer).toEqual(errorAnswer(-32600, 'must be an object'));
  });

  it.each(['', '{', '[{"jsonrpc":"2.0"', '{"a":1}}', 'nonsense'])(
    'a request must be JSON, not %j',
    async (text) => {
      expect((await ask(text)).answer).toEqual(errorAnswer(-32700, /^parse error: /));
    },
  );

  it('members of __proto__ are ignored', async () => {
    const { answer, calls } = await ask('{"__proto__":{"id":5,"method":"m","params":[1]},"jsonrpc":"2.0"}');
    expect(answer).toEqual(errorAnswer(-32600, 'method must be'));
    expect(calls).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'method')).toBe(false);
  });
});

describe('JSON-RPC notifications', () => {
  it('a notification runs and has no response', async () => {
    const { text, calls } = await ask('{"jsonrpc":"2.0","method":"m","params":[1]}');
    expect(text).toBeUndefined();
    expect(calls).toEqual([{ method: 'm', params: [1] }]);
  });

  it('a failed notification has no response, and the failure is reported', async () => {
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

  it('an invalid notification has an error response', async () => {
    expect((await ask('{"jsonrpc":"2.0"}')).answer).toEqual(errorAnswer(-32600, 'method must be'));
  });
});

describe('JSON-RPC batches', () => {
  it('a batch is answered in order with exact ids and without notifications', async () => {
    const { text } = await ask(
      '[{"method":"a","id":"x"},{"method":"b"},{"method":"c","id":98765432109876543210},{"method":"d","id":null}]',
    );
    expect(text).toBe(
      '[{"jsonrpc":"2.0","id":"x","result":null},{"jsonrpc":"2.0","id":98765432109876543210,"result":null},{"jsonrpc":"2.0","id":null,"result":null}]',
    );
  });

  it('requests of a batch run one by one', async () => {
    const latch = new Latch();
    const service = new FakeService({ slow: () => latch.opened });
    const answer = ask(`[${requestText('slow')},${requestText('fast')}]`, service);
    await Promise.resolve();
    expect(service.calls.map(({ method }) => method)).toEqual(['slow']);
    latch.open();
    await answer;
    expect(service.calls.map(({ method }) => method)).toEqual(['slow', 'fast']);
  });

  it('each request of a batch has its own response, valid or not', async () => {
    const { answer } = await ask(`[1,${requestText('m', [], 2)},[],{"id":4}]`);
    expect(answer).toEqual([
      errorAnswer(-32600, 'must be an object'),
      { jsonrpc: '2.0', id: 2, result: [] },
      errorAnswer(-32600, 'must be an object'),
      errorAnswer(-32600, 'method must be', 4),
    ]);
  });

  it('a batch of only notifications has no response', async () => {
    expect((await ask('[{"method":"a"},{"method":"b"}]')).text).toBeUndefined();
  });

  it('an empty batch is invalid', async () => {
    expect((await ask('[]')).answer).toEqual(errorAnswer(-32600, 'batch is empty'));
  });

  it('a batch above the limit is rejected with the limit and the option', async () => {
    const { answer, calls } = await ask(JSON.stringify(Array(6).fill({ method: 'm', id: 1 })));
    expect(answer).toEqual(errorAnswer(-32600, /batch of 6 .* limit of 5 .*--batch-limit/));
    expect(calls).toEqual([]);
  });
});

describe('JSON-RPC results', () => {
  it('an undefined result is null', async () => {
    const { answer } = await ask(requestText('m'), new FakeService({ m: () => undefined }));
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: null });
  });

  it('a result that is not JSON is an internal error', async () => {
    const { answer, internalErrors } = await ask(requestText('m'), new FakeService({ m: () => 1n }));
    expect(answer).toEqual(errorAnswer(-32603, /^internal error: .*BigInt/, 1));
    expect(internalErrors).toMatchObject([{ method: 'm', error: expect.any(TypeError) }]);
  });
});

describe('JSON-RPC errors', () => {
  const failing = (error: unknown) =>
    new FakeService({
      m: () => {
        throw error;
      },
    });

  it('a coded error has its code, message and data', async () => {
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

  it('an error without data has no data member', async () => {
    const { text } = await ask(requestText('m'), failing(new SampleError('reverted')));
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32015,"message":"reverted"}}');
  });

  it('any other error is reported as internal error -32603', async () => {
    const error = new TypeError('x is not a function');
    const { answer, internalErrors } = await ask(requestText('m'), failing(error));
    expect(answer).toEqual(errorAnswer(-32603, /^internal error: x is not a function$/, 1));
    expect(internalErrors).toEqual([{ error, method: 'm' }]);
  });

  it('a synchronously thrown error is returned too', async () => {
    const service = new FakeService();
    service.call = () => {
      throw new SampleError('at once');
    };
    expect((await ask(requestText('m'), service)).answer).toEqual(errorAnswer(-32015, 'at once', 1));
  });

  it('error data that is not JSON is an internal error', async () => {
    const { answer, internalErrors } = await ask(requestText('m'), failing(new SampleError('reverted', 1n)));
    expect(answer).toEqual(errorAnswer(-32603, 'internal error', 1));
    expect(internalErrors).toHaveLength(1);
  });
});

describe('call reports', () => {
  it('a report contains the same call as the service, after the response', async () => {
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

  it('a report contains the method and the duration', async () => {
    const { reports } = await ask(`[${requestText('a')},{"method":"b"}]`);
    expect(reports).toEqual([
      { method: 'a', durationMs: 7 },
      { method: 'b', durationMs: 7 },
    ]);
  });

  it('a report of a failed call contains the error', async () => {
    const error = new SampleError('reverted');
    const { reports } = await ask(requestText('a'), new FakeService({ a: () => Promise.reject(error) }));
    expect(reports).toEqual([{ method: 'a', durationMs: 7, error }]);
  });

  it('an invalid request has no report', async () => {
    expect((await ask('[1,{"id":1}]')).reports).toEqual([]);
  });
});

describe('responses above the limit', () => {
  const long = new FakeService({ long: () => 'x'.repeat(600), short: () => 1 });

  it('a response above the limit is an error of the client', async () => {
    const { answer, internalErrors } = await ask(requestText('long', [], 1), long, 5, 500);
    expect(answer).toEqual(errorAnswer(-32000, 'response too large', 1));
    expect(internalErrors).toEqual([]);
  });

  it('a later request of the batch is not executed if its response would not fit', async () => {
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

  it('smaller requests of the same batch are still answered', async () => {
    const texts = ['long', 'long', 'short'].map((method, id) => requestText(method, [], id));
    const { answer } = await ask(`[${texts.join(',')}]`, long, 5, 1_000);
    expect(answer).toEqual([
      { jsonrpc: '2.0', id: 0, result: 'x'.repeat(600) },
      errorAnswer(-32000, 'response too large', 1),
      { jsonrpc: '2.0', id: 2, result: 1 },
    ]);
  });
});
