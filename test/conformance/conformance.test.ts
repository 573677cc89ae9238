import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { METHODS } from '../../src/rpc/method-table.ts';
import { createExampleChain, EXAMPLE } from '../rpc/example-chain.ts';
import { exampleOf } from '../rpc/method-examples.ts';
import { decisionOn } from './decisions.ts';
import { MODES, type Mode } from './modes.ts';
import { callsOf, createConformanceChain, FIRST_RESULT } from './scenarios.ts';
import { resultSchema, transactionSchema } from './schemas.ts';
import { describedMethods, namedMethods, rejectedMethods } from './service-document.ts';

const DESCRIBED = describedMethods();
const SERVED_NAMES = [...DESCRIBED.map(({ name }) => name), ...namedMethods()];

function methodNamed(name: string) {
  const method = METHODS.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(`${name} is not in the table of methods`);
  return method;
}

/** Methods without a meaningful result on a lone node without uncles or without accounts. */
function alwaysEmpty(mode: Mode): ReadonlySet<string> {
  const own = mode === '--hosted' ? ['eth_accounts'] : [];
  return new Set([
    'net_peerList',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    ...own,
  ]);
}

function isEmpty(result: unknown): boolean {
  return result === null || (Array.isArray(result) && result.length === 0);
}

describe('the methods of the service document', () => {
  it('contain 106 names: 88 served and 18 rejected', () => {
    expect([new Set(SERVED_NAMES).size, new Set(rejectedMethods()).size]).toEqual([88, 18]);
  });

  it.each(SERVED_NAMES)('include the served method %s', (name) => {
    expect(METHODS.map((method) => method.name)).toContain(name);
  });

  it.each(rejectedMethods())('reject %s with the reason', async (name) => {
    const { call } = await createExampleChain();
    await expect(call(name)).rejects.toMatchObject({
      code: -32601,
      message: expect.stringMatching(
        new RegExp(
          `^the method ${name} does not exist/is not available: .*(not supported|no compilers|deprecated)`,
        ),
      ),
    });
  });
});

/** This chain mines no blocks by itself, so these calls would never return. */
const WAITS_FOR_A_BLOCK: ReadonlySet<string> = new Set([
  'eth_sendRawTransactionSync',
  'eth_sendTransactionSync',
]);

/** The nonce of the example belongs to a waiting transaction of this chain. Other tests check the result. */
const REUSES_A_NONCE: ReadonlySet<string> = new Set(['eth_sendRawTransactionConditional']);

describe('the parameters of', () => {
  it.each(DESCRIBED)('$name include the parameters of the service document', ({ name, params }) => {
    const method = methodNamed(name);
    // Additional parameters are optional; other nodes have them too.
    expect(method.params.length).toBeGreaterThanOrEqual(params.length);
    for (const { name: extra, fallback } of method.params.slice(params.length)) {
      expect(fallback, extra).toBeDefined();
    }
    for (const [position, text] of params.entries()) {
      const isOptional = method.params[position]?.fallback !== undefined;
      if (text.includes('(optional')) expect(isOptional, text).toBe(true);
      if (text.includes('(required')) expect(isOptional, text).toBe(false);
    }
  });
});

/** Methods whose row excludes the tag `pending`. */
const WITHOUT_PENDING = DESCRIBED.filter(({ params, result }) =>
  /`pending`(?: is)? not supported/.test([...params, result].join(' ')),
);

describe.each(MODES)('the tag pending on a node in mode %s', (mode) => {
  it('is unsupported in five rows', () => {
    expect(WITHOUT_PENDING).toHaveLength(5);
  });

  it.each(WITHOUT_PENDING)('is rejected by $name', async ({ name }) => {
    const { call } = await createConformanceChain({ hosted: mode === '--hosted' });
    const second = { eth_getBlockByNumber: [], eth_getUncleCountByBlockNumber: [] }[name] ?? ['0x0'];
    const params = name === 'eth_getCode' ? [EXAMPLE.counter, 'pending'] : ['pending', ...second];
    await expect(call(name, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('pending'),
    });
  });
});

const RESULT_ROWS = MODES.flatMap((mode) => DESCRIBED.map((row) => ({ ...row, mode })));

describe('the results of', () => {
  it.each(RESULT_ROWS)('$name match the service document, $mode', async ({ name, result: words, mode }) => {
    const options = { hosted: mode === '--hosted' };
    const decision = decisionOn(`method ${name}`, mode);
    if (decision !== undefined) {
      const chain = await createConformanceChain(options);
      const [[first] = []] = await callsOf(name, chain);
      await expect(chain.call(name, first?.slice(1)), decision.reason).rejects.toMatchObject({
        code: -32601,
      });
      return;
    }
    const schema = resultSchema(words);
    const results: unknown[] = [];
    const lists = await callsOf(name, await createConformanceChain(options));
    for (const index of lists.keys()) {
      const chain = await createConformanceChain(options);
      const list = (await callsOf(name, chain))[index] ?? [];
      let first: unknown;
      let last: unknown;
      for (const [method, ...params] of list) {
        last = await chain.call(
          method,
          params.map((param) => (param === FIRST_RESULT ? first : param)),
        );
        first ??= last;
      }
      const { error } = schema.safeParse(last);
      expect(error && z.prettifyError(error), JSON.stringify(last)).toBeUndefined();
      results.push(last);
    }
    expect(results.every(isEmpty)).toBe(alwaysEmpty(mode).has(name));
  });

  it('all other methods match their own descriptions', async () => {
    for (const { name, result } of METHODS) {
      const example = exampleOf(name);
      if (example.error !== undefined || example.option !== undefined) continue;
      if (WAITS_FOR_A_BLOCK.has(name) || REUSES_A_NONCE.has(name)) continue;
      const { call } = await createConformanceChain();
      for (const { method, params } of example.before ?? []) await call(method, params);
      const answer = await call(name, example.params);
      // The form of a trace is up to its tracer.
      expect(result.schema !== undefined || name.startsWith('debug_trace'), name).toBe(true);
      const { error } = z.fromJSONSchema({ ...result.schema }).safeParse(answer);
      expect(error && z.prettifyError(error), `${name}: ${JSON.stringify(answer)}`).toBeUndefined();
    }
  });
});

describe('the block fields of a transaction', () => {
  it('are null for a pending transaction and set for a mined one', async () => {
    const { call, waiting } = await createConformanceChain();
    for (const hash of [waiting.transferHash, waiting.creationHash, EXAMPLE.queuedHash]) {
      transactionSchema('pending').parse(await call('eth_getTransactionByHash', [hash]));
    }
    for (const hash of [EXAMPLE.transferHash, EXAMPLE.creationHash, EXAMPLE.failureHash]) {
      transactionSchema('mined').parse(await call('eth_getTransactionByHash', [hash]));
    }
    expect(await call('eth_getTransactionReceipt', [waiting.transferHash])).toBeNull();
  });

  it('set the recipient of a call or the address of a creation, and null for the other', async () => {
    const { call } = await createConformanceChain();
    const receipts = [EXAMPLE.transferHash, EXAMPLE.creationHash, EXAMPLE.failureHash].map((hash) =>
      call('eth_getTransactionReceipt', [hash]),
    );
    expect(await Promise.all(receipts)).toMatchObject([
      { to: EXAMPLE.receiver, contractAddress: null, status: '0x1' },
      { to: null, contractAddress: EXAMPLE.counter, status: '0x1' },
      { to: EXAMPLE.counter, contractAddress: null, status: '0x0' },
    ]);
  });
});
