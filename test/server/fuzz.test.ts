import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { FakeService } from './fake-service.ts';
import { requestText, startTestServer, type TestServer } from './test-server.ts';

const BODIES = 2_000;

/** A member of an envelope, with a valid or invalid value. */
const member = fc.tuple(
  fc.constantFrom('jsonrpc', 'id', 'method', 'params', '__proto__', 'constructor', 'toString', 'extra'),
  fc.oneof(
    fc.constantFrom('"2.0"', '"m"', '[]', '{}', 'null', '0', '"__proto__"', '{"__proto__":{"id":1}}'),
    fc.bigInt().map(String),
    fc.integer({ min: 1, max: 10_000 }).map((digits) => '9'.repeat(digits)),
    fc.constantFrom('1e999', '-0', '0.1', '-1E-400'),
    fc.integer({ min: 1, max: 50_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc.integer({ min: 1, max: 2_000 }).map((length) => JSON.stringify('é"\\'.repeat(length))),
    fc.json(),
  ),
);

const envelope = fc
  .array(member, { maxLength: 8 })
  .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`);

const validRequest = fc
  .record({
    method: fc.string(),
    params: fc.array(fc.jsonValue()),
    id: fc.oneof(fc.string(), fc.maxSafeInteger()),
  })
  .map(({ method, params, id }) => requestText(method, params, id));

/** A text with one part replaced. */
const damaged = fc
  .tuple(fc.oneof(envelope, validRequest), fc.nat(), fc.nat({ max: 5 }), fc.string({ maxLength: 5 }))
  .map(([text, position, removed, inserted]) => {
    const start = position % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + removed);
  });

const text = fc.oneof(
  envelope,
  validRequest,
  damaged,
  fc.json(),
  fc.array(fc.oneof(envelope, validRequest), { maxLength: 12 }).map((requests) => `[${requests.join(',')}]`),
);

const body = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 6, arbitrary: text },
);

interface Exchange {
  readonly status: number;
  readonly text: string;
  readonly reusedSocket: boolean;
}

function exchange({ port }: TestServer, agent: Agent, bytes: string | Uint8Array): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const request: ClientRequest = httpRequest({ agent, port, host: '127.0.0.1', method: 'POST', headers });
    request.on('error', reject);
    request.on('response', (response) => {
      let received = '';
      response.on('data', (chunk) => {
        received += String(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: received, reusedSocket: request.reusedSocket }),
      );
    });
    request.end(bytes);
  });
}

const ERROR_CODES = [-32700, -32600];

/** Fails unless this is a JSON-RPC result, or an error caused by the client. */
function checkAnswer(answer: unknown): void {
  expect(answer).toMatchObject({ jsonrpc: '2.0' });
  const { id, error, ...others } = answer as { id: unknown; error?: { code: number; message: string } };
  expect(id === null || typeof id === 'string' || typeof id === 'number').toBe(true);
  if (error === undefined) {
    expect(Object.keys(others)).toEqual(['jsonrpc', 'result']);
  } else {
    expect(ERROR_CODES).toContain(error.code);
    expect(error.message).not.toBe('');
    expect(Object.keys(others)).toEqual(['jsonrpc']);
  }
}

it(`the server responds to ${BODIES} random bodies with valid JSON-RPC on one connection`, async () => {
  const server = await startTestServer({ batchLimit: 10 }, new FakeService({ m: () => 'a result' }));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await exchange(server, agent, requestText('first'));
  await fc.assert(
    fc.asyncProperty(body, async (bytes) => {
      const { status, text: received, reusedSocket } = await exchange(server, agent, bytes);
      expect(reusedSocket).toBe(true);
      if (status === 204) {
        expect(received).toBe('');
        return;
      }
      expect(status).toBe(200);
      const answer: unknown = JSON.parse(received);
      for (const each of Array.isArray(answer) ? answer : [answer]) checkAnswer(each);
    }),
    { numRuns: BODIES },
  );
  expect(server.internalErrors).toEqual([]);
});
