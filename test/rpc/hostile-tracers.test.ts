// Hostile JavaScript tracers, sent to a node over a socket. The time of tracers that reach a limit is fake.

import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RpcService } from '../../src/rpc/connection.ts';
import { startTestServer } from '../server/test-server.ts';
import type { FakeTime } from '../support/fake-time.ts';
import { answerAt, type JsonRpcAnswer, resultAt } from '../support/json-rpc.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { createTestChain } from '../support/test-chain.ts';
import { testService } from './rpc-harness.ts';

const CONTRACT = `0x${'c0'.repeat(20)}`;
/** Counts down from 100 on the stack. */
const LOOP = '0x60645b6001900380600257';

/** A node in a process of its own, without a call timeout. */
let node: RunningNode;

/** The call timeout of the service, in seconds. */
const CALL_TIMEOUT = 5;
/** A limit of a trace that no test reaches. A timer of this length shows that the tracer runs. */
const LONG = { timeout: '1h' };
const HOUR = 3_600_000;

/** A service in this process, and the time that only tests advance. */
let service: RpcService;
let time: FakeTime;
/** Called when a trace with a limit of an hour runs. */
let onBegun = (): void => undefined;

beforeAll(async () => {
  node = await startNode('--call-timeout', '0', '--quiet');
  const made = await createTestChain();
  time = made.time;
  const { timers } = time;
  const after: typeof timers.after = (milliseconds, action) => {
    if (milliseconds === HOUR) onBegun();
    return timers.after(milliseconds, action);
  };
  service = testService(
    made.chain,
    { ...time, timers: { after } },
    { options: { callTimeout: CALL_TIMEOUT } },
  );
});

afterAll(() => node.stop());

/** Serves the service on a port until the test ends. */
async function serve(): Promise<{ readonly url: string }> {
  const { port } = await startTestServer({}, service);
  return { url: `http://127.0.0.1:${port}` };
}

/** Resolves when a trace with a limit of an hour runs. */
function begun(): Promise<void> {
  return new Promise((resolve) => {
    onBegun = resolve;
  });
}

function traced(
  members: string,
  { url }: { readonly url: string } = node,
  options: object = {},
  signal: AbortSignal | null = null,
): Promise<JsonRpcAnswer> {
  const missing = ['fault', 'result'].filter((name) => !new RegExp(`\\b${name}:`).test(members));
  const tracer = `{${[members, ...missing.map((name) => `${name}: function() {}`)].join(', ')}}`;
  const asked = { tracer, stateOverrides: { [CONTRACT]: { code: LOOP } }, ...options };
  return answerAt(url, 'debug_traceCall', [{ to: CONTRACT }, 'latest', asked], signal);
}

const ENDLESS = 'for (;;) {}';

describe('hostile tracers', () => {
  it('a tracer ends at the timeout of its options, as in geth', async () => {
    const members = `step: function() { ${ENDLESS} }`;
    expect(await traced(members, node, { timeout: '30ms' })).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('30 ms') },
    });
    for (const timeout of ['soon', '5', 5, '5 s', '']) {
      expect(await traced(members, node, { timeout })).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('timeout') },
      });
    }
    expect(await traced('step: function() {}', node, { timeout: '1h30m' })).not.toHaveProperty('error');
  });

  it.each([
    ['step', `step: function() { ${ENDLESS} }`],
    ['result', `result: function() { ${ENDLESS} }`],
    ['setup', `setup: function() { ${ENDLESS} }`],
    ['a getter', `get step() { ${ENDLESS} }`],
    ['toJSON', `result: function() { return { toJSON: function() { ${ENDLESS} } }; }`],
    ['an error that is thrown', `result: function() { throw { toString: function() { ${ENDLESS} } }; }`],
    ['a regular expression', 'result: function() { return /^(a+)+$/.test("a".repeat(64) + "b"); }'],
    ['reads of the state', `step: function(log, db) { for (;;) db.getBalance(log.contract.getAddress()); }`],
    [
      'reads of ever other accounts',
      'step: function(log, db) { for (var n = 0;; n++) db.exists(toAddress(n.toString(16))); }',
    ],
  ])(
    'answers other requests during an endless loop in %s, and ends the loop in time',
    async (_place, members) => {
      const timed = await serve();
      let isEnded = false;
      const running = begun();
      const trace = traced(members, timed, LONG).finally(() => {
        isEnded = true;
      });
      await running;
      for (let asked = 0; asked < 5; asked++) {
        expect(await resultAt(timed.url, 'eth_blockNumber')).toBe('0x0');
      }
      expect(isEnded).toBe(false);
      await time.advance(CALL_TIMEOUT * 1_000);
      expect(await trace).toMatchObject({ error: { code: -32011 } });
    },
  );

  it.each([
    ['recursion', 'step: function again() { again(); }', /stack overflow .*in its function step/],
    [
      'arrays',
      'step: function() { var all = []; for (;;) all.push(new Array(1e5).fill(1)); }',
      /out of memory/,
    ],
    [
      'texts',
      'result: function() { var text = "x"; for (;;) text += text; }',
      /string too long|out of memory/,
    ],
    [
      'buffers',
      'result: function() { var all = []; for (;;) all.push(new Uint8Array(1e7)); }',
      /out of memory/,
    ],
    [
      'the initcode of toContract2',
      'result: function(c) { return toContract2(c.from, "0x00", new Uint8Array(1e8)); }',
      /exceeds the memory limit of tracers in its function result/,
    ],
    [
      'an initcode that is no buffer',
      'result: function(c) { Uint8Array.prototype.slice = function() { return { buffer: 5 }; }; return toContract2(c.from, "0x00", "0x00"); }',
      /the tracer failed/,
    ],
    [
      'answers for which there is no memory',
      'step: function(log) { var all = this.all = this.all || []; for (;;) all.push(log.memory.slice(0, 1e6)); }',
      /memory/,
    ],
    [
      'a result for which there is no memory',
      'result: function() { var all = this.all = []; try { for (;;) all.push(new Uint8Array(1e5)); } catch (error) {} return "x".repeat(3e7); }',
      /memory/,
    ],
    [
      'nesting of its result',
      'result: function() { var inner = []; for (var n = 0; n < 1e5; n++) inner = [inner]; return inner; }',
      /nested too deeply|stack overflow|nested deeper/,
    ],
    ['a cycle in its result', 'result: function() { this.self = this; return this; }', /circular reference/],
    [
      'a result of 40 MB',
      'result: function() { return "x".repeat(4e7); }',
      /its result has 40000002 characters of JSON; the maximum is 33554432/,
    ],
    [
      'a result of 100 MB',
      'result: function() { return "x".repeat(1e8); }',
      /out of memory|its result has 100000002 characters of JSON/,
    ],
    [
      'the members of its result',
      'result: function() { var all = {}; for (var n = 0; n < 2e5; n++) all["m" + n] = n; return all; }',
      /an object of the JSON has more than 131072 members/,
    ],
    [
      'a getter of its result',
      'result: function() { return { get value() { throw new TypeError("no value"); } }; }',
      /TypeError: no value .*in its function result/,
    ],
    [
      'a changed JSON',
      'result: function() { JSON.parse = JSON.stringify = null; String.prototype.slice = null; throw new Error("x"); }',
      /the tracer failed/,
    ],
    [
      'text that is no JSON',
      'result: function() { return { toJSON: function() { return 1n; } }; }',
      /BigInt/,
    ],
  ])('a tracer is rejected with an error for %s', async (_what, members, message) => {
    expect(await traced(members)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(message) },
    });
    expect(await resultAt(node.url, 'eth_chainId')).toBe('0x21');
  });

  it('a tracer cannot reach anything outside its sandbox', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'WebAssembly',
      'Worker',
      'SharedArrayBuffer',
      'std',
      'os',
    ];
    const members = `result: function() {
      var outer = this.constructor.constructor('return typeof globalThis.process')();
      return [${names.map((name) => `typeof ${name}`).join(', ')}, outer];
    }`;
    const { result } = await traced(members);
    expect(result).toEqual([
      ...names.map((name) => (name === 'SharedArrayBuffer' ? expect.any(String) : 'undefined')),
      'undefined',
    ]);
  });

  it('keeps no changed objects of a tracer for the next tracer', async () => {
    const polluting = `result: function() {
      Object.prototype.polluted = 'yes';
      Array.prototype.toJSON = function() { return 'mine'; };
      Uint8Array.prototype.slice = function() { this.fill(255); return this; };
      bigInt = null; toHex = function() { return 'mine'; };
      return [{}.polluted];
    }`;
    expect(await traced(polluting)).toMatchObject({ result: 'mine' });
    const next = 'result: function(ctx) { return [typeof {}.polluted, toHex(ctx.to), bigInt(5)]; }';
    expect(await traced(next)).toMatchObject({ result: ['undefined', CONTRACT, '5'] });
    expect(await resultAt(node.url, 'eth_getBalance', [CONTRACT, 'latest'])).toBe('0x0');
  });

  it('survives a tracer that replaces the functions of its interface', async () => {
    const members = `
      setup: function() {
        Math.trunc = function() { return 1e300; };
        Uint8Array.prototype.slice = function() { this.fill(255); return new Uint8Array(4); };
        Number = function() { return NaN; };
      },
      step: function(log, db) {
        var each = [
          function() { log.stack.peek(0); }, function() { log.memory.slice(0, 1); }, function() { log.memory.getUint(0); },
          function() { db.getState([1], [2]); }, function() { db.getCode([1]); }, function() { toContract([1], -1); },
          function() { toContract2([1], [2], [3]); }, function() { isPrecompiled([1]); }, function() { log.op.toString(); },
          function() { log.contract.getInput(); }, function() { slice([1], 0, 1); },
        ];
        for (var one of each) try { one(); } catch (error) {}
      },
      result: function() { return 'done'; }`;
    expect(await traced(members)).toMatchObject({ error: { code: -32000 } });
    expect(await resultAt(node.url, 'eth_blockNumber')).toBe('0x0');
  });

  it('fractional indexes of memory and stack are harmless', async () => {
    const members = `
      setup: function() { Math.trunc = function(value) { return value; }; },
      step: function(log) { log.memory.slice(0.5, 2); log.memory.slice(0, 1.5); log.stack.length() > 20 && log.stack.peek(18.5); },
      result: function() { return 'done'; }`;
    const answer = await traced(members, node, {
      stateOverrides: { [CONTRACT]: { code: `0x${'5f'.repeat(30)}` } },
    });
    expect(answer).toEqual(expect.objectContaining({ result: 'done' }));
  });

  it.each([
    ['lane', ['--lanes']],
    ['API key', ['--api-key', 'hostile', '--api-key', 'other']],
  ])('endless tracers of one %s do not block tracers of another', async (_, options) => {
    const shared = await startNode(...options, '--call-timeout', '0', '--quiet');
    const leaving = new AbortController();
    try {
      const hostile = { ...shared, url: `${shared.url}/hostile` };
      let ended = 0;
      // More tracers than parallel threads.
      const endless = Array.from({ length: 1 + availableParallelism() }, () =>
        traced(`step: function() { ${ENDLESS} }`, hostile, {}, leaving.signal).finally(() => ended++),
      );
      const gone = Promise.allSettled(endless);
      await resultAt(hostile.url, 'eth_blockNumber');

      const members = 'n: 0, step: function() { this.n++; }, result: function() { return this.n; }';
      const other = await traced(members, { ...shared, url: `${shared.url}/other` });

      expect(other).toMatchObject({ result: expect.any(Number) });
      expect(ended).toBe(0);
      leaving.abort();
      await gone;
    } finally {
      leaving.abort();
      await shared.stop();
    }
  });

  it('many endless tracers end in time, and later tracers run', async () => {
    const timed = await serve();
    // The time limit of each tracer passes when the tracer runs.
    onBegun = () => void time.advance(CALL_TIMEOUT * 1_000);
    const endless = Array.from({ length: 6 }, () => traced(`step: function() { ${ENDLESS} }`, timed, LONG));
    expect(await resultAt(timed.url, 'eth_blockNumber')).toBe('0x0');
    for (const answer of await Promise.all(endless))
      expect(answer).toMatchObject({ error: { code: -32011 } });
    const members = 'n: 0, step: function() { this.n++; }, result: function() { return this.n; }';
    expect(await traced(members, timed)).toMatchObject({ result: 701 });
  });

  it('ends a tracer if its client closes the connection', async () => {
    const gone = new AbortController();
    const request = fetch(node.url, {
      method: 'POST',
      signal: gone.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'debug_traceCall',
        params: [
          { to: CONTRACT },
          'latest',
          { tracer: `{ setup: function() { ${ENDLESS} }, fault: function() {}, result: function() {} }` },
        ],
      }),
    });
    gone.abort();
    await expect(request).rejects.toThrow();
    expect(await traced('result: function() { return 1; }')).toMatchObject({ result: 1 });
  });
});
