import { describe, expect, it } from 'vitest';
import { finish, ready, type Steps } from '../../src/primitives/steps.ts';
import { AnswerTooLargeError, ResultTooLongError } from '../../src/rpc/errors.ts';
import { PreserializedJson } from '../../src/rpc/views/log-list.ts';
import { batchAnswer, resultAnswer } from '../../src/server/message.ts';
import { FakeService } from './fake-service.ts';
import { requestText, send, startTestServer } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

/** A result that is written as it stands. */
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

describe('the answer with a result', () => {
  it.each([
    ['a short text', ['é']],
    ['a long text', LONG],
    ['nothing', undefined],
    ['what writes itself', new Written('["é"]')],
  ])('has the id and the result for %s', (_, result) => {
    const answer = resultAnswer('"ü"', result, UNLIMITED);
    expect(answer.toString()).toBe(`{"jsonrpc":"2.0","id":"ü","result":${JSON.stringify(result) ?? 'null'}}`);
  });

  it.each([
    ['a text', ['x'.repeat(100)]],
    ['a long text', ['x'.repeat(100_000)]],
  ])('keeps to the limit of characters for %s', (_, result) => {
    const { length } = JSON.stringify(result);
    expect(() => resultAnswer('"ü"', result, length)).not.toThrow();
    expect(() => resultAnswer('"ü"', result, length - 1)).toThrow(AnswerTooLargeError);
  });

  it.each([
    ['what writes itself says so', new ResultTooLongError('101 characters')],
    ['there can be no such text', errorOf(() => 'x'.repeat(2 ** 30))],
  ])('is too large when %s', (_, error) => {
    expect(() => resultAnswer('1', new Broken(error), 5)).toThrow(AnswerTooLargeError);
  });

  it.each([
    new TypeError('a bug'),
    new RangeError('a bug'),
    new RangeError('Maximum call stack size exceeded'),
  ])('fails as the writing does when that is a bug: %s', (bug) => {
    expect(() => resultAnswer('1', new Broken(bug), 5)).toThrow(bug);
  });
});

describe('the answer to a batch', () => {
  it('has short and long answers in their order', async () => {
    const results = [1, LONG, new Written('[2]'), 'é'];
    const answers = await Promise.all(results.map((result) => resultAnswer('1', result, UNLIMITED)));
    const parsed = (answer: string | Buffer): unknown => JSON.parse(answer.toString());
    expect(parsed(finish(batchAnswer(answers)))).toEqual(answers.map(parsed));
    expect(finish(batchAnswer(['1', '2']))).toBe('[1,2]');
  });
});

describe('a long answer', () => {
  const expected = { jsonrpc: '2.0', id: 1, result: LONG };

  it.each([
    ['an ordinary call', {}],
    ['a call that node:http serves', { 'Transfer-Encoding': 'chunked' }],
  ])('comes whole over HTTP, to %s and to the next', async (_, headers) => {
    const server = await startTestServer({}, new FakeService({ long: () => LONG }));
    const options = { headers: { 'Content-Type': 'application/json', ...headers } };
    for (let time = 0; time < 2; time++) {
      const answer = await send(server, requestText('long', []), options);
      expect(answer.json).toEqual(expected);
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    }
  });

  it('comes whole over a WebSocket, as a text', async () => {
    const server = await startTestServer({}, new FakeService({ long: () => LONG }));
    const { socket } = await WebSocketClient.open(server);
    const message = new Promise((resolve) => {
      socket.once('message', (data, isBinary) => resolve([JSON.parse(data.toString()), isBinary]));
    });
    socket.send(requestText('long', []));
    expect(await message).toEqual([expected, false]);
  });
});
