import { describe, expect, it } from 'vitest';
import { finish, ready, type Steps } from '../../src/primitives/steps.ts';
import { AnswerTooLargeError, ResultTooLongError } from '../../src/rpc/errors.ts';
import { PreserializedJson } from '../../src/rpc/views/log-list.ts';
import { batchAnswer, resultAnswer } from '../../src/server/message.ts';
import { FakeService } from './fake-service.ts';
import { requestText, send, startTestServer } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

/** A result that writes a given JSON text. */
class Written extends PreserializedJson {
  readonly #json: string;

  constructor(json: string) {
    super();
    this.#json = json;
  }

  toBytes(before: string, after: string): Steps<Buffer> {
    return ready(Buffer.from(`${before}${this.#json}${after}`));
  }

  toJSON(): unknown {
    return JSON.parse(this.#json);
  }
}

class Broken extends PreserializedJson {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  toBytes(): Steps<Buffer> {
    throw this.#error;
  }

  toJSON(): unknown {
    throw this.#error;
  }
}

function errorOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

const LONG = ['é'.repeat(9_000), 'x'.repeat(9_000)];

describe('resultAnswer', () => {
  it.each([
    ['a short text', ['é']],
    ['a long text', LONG],
    ['nothing', undefined],
    ['what writes itself', new Written('["é"]')],
  ])('contains id and result for %s', (_, result) => {
    const answer = resultAnswer('"ü"', result, UNLIMITED);
    expect(answer.toString()).toBe(`{"jsonrpc":"2.0","id":"ü","result":${JSON.stringify(result) ?? 'null'}}`);
  });

  it.each([
    ['a text', ['x'.repeat(100)]],
    ['a long text', ['x'.repeat(100_000)]],
  ])('applies the character limit to %s', (_, result) => {
    const { length } = JSON.stringify(result);
    expect(() => resultAnswer('"ü"', result, length)).not.toThrow();
    expect(() => resultAnswer('"ü"', result, length - 1)).toThrow(AnswerTooLargeError);
  });

  it.each([
    ['what writes itself says so', new ResultTooLongError('101 characters')],
    ['there can be no such text', errorOf(() => 'x'.repeat(2 ** 30))],
  ])('throws AnswerTooLargeError if %s', (_, error) => {
    expect(() => resultAnswer('1', new Broken(error), 5)).toThrow(AnswerTooLargeError);
  });

  it.each([
    new TypeError('a bug'),
    new RangeError('a bug'),
    new RangeError('Maximum call stack size exceeded'),
  ])('rethrows an internal error: %s', (bug) => {
    expect(() => resultAnswer('1', new Broken(bug), 5)).toThrow(bug);
  });
});

describe('batchAnswer', () => {
  it('contains short and long responses in order', async () => {
    const results = [1, LONG, new Written('[2]'), 'é'];
    const answers = await Promise.all(results.map((result) => resultAnswer('1', result, UNLIMITED)));
    const parsed = (answer: string | Buffer): unknown => JSON.parse(answer.toString());
    expect(parsed(finish(batchAnswer(answers)))).toEqual(answers.map(parsed));
    expect(finish(batchAnswer(['1', '2']))).toBe('[1,2]');
  });
});

describe('long responses', () => {
  const expected = { jsonrpc: '2.0', id: 1, result: LONG };

  it.each([
    ['an ordinary call', {}],
    ['a call that node:http serves', { 'Transfer-Encoding': 'chunked' }],
  ])('a long response is complete over HTTP for %s and for the next request', async (_, headers) => {
    const server = await startTestServer({}, new FakeService({ long: () => LONG }));
    const options = { headers: { 'Content-Type': 'application/json', ...headers } };
    for (let time = 0; time < 2; time++) {
      const answer = await send(server, requestText('long', []), options);
      expect(answer.json).toEqual(expected);
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    }
  });

  it('a long response is complete over WebSocket, as text', async () => {
    const server = await startTestServer({}, new FakeService({ long: () => LONG }));
    const { socket } = await WebSocketClient.open(server);
    const message = new Promise((resolve) => {
      socket.once('message', (data, isBinary) => resolve([JSON.parse(data.toString()), isBinary]));
    });
    socket.send(requestText('long', []));
    expect(await message).toEqual([expected, false]);
  });
});
