import { beforeAll, describe, expect, it } from 'vitest';
import { blockNumberSelector, blockSelector } from '../../src/rpc/codecs/block-selector.ts';
import { hash32 } from '../../src/rpc/codecs/hex-values.ts';
import type { Parameter } from '../../src/rpc/method.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { HASH_TAKERS, NUMBER_TAKERS, OTHER_RULES, SELECTOR_TAKERS, type Taker } from './block-takers.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from './example-chain.ts';

const [FIRST_HASH, , , , HEAD_HASH] = EXAMPLE.blockHashes;
const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
function numbersAndTags(number: number, tags: readonly string[]): unknown[] {
  const hex = number.toString(16);
  return [number, String(number), `0x${hex}`, `0x0${hex}`, ...tags];
}

function hashesAndObjects(number: number, hash: string): unknown[] {
  return [
    hash,
    hash.toUpperCase().replace('0X', '0x'),
    { blockHash: hash },
    ...[true, false, 'true', 'false', null].map((requireCanonical) => ({
      blockHash: hash,
      requireCanonical,
    })),
    { blockNumber: `0x${number}` },
    { blockNumber: number },
    { blockNumber: `0x${number}`, requireCanonical: true },
  ];
}

const FIRST = numbersAndTags(0, ['earliest']);
const HEAD = numbersAndTags(4, ['latest', 'safe', 'finalized']);

/** Values that no method accepts as a block. */
const MALFORMED: readonly unknown[] = [
  'newest',
  'LATEST',
  '',
  '0x',
  '0xzz',
  '-1',
  -1,
  1.5,
  true,
  [],
  ['latest'],
  {},
  { number: '0x1' },
  `0x${'ab'.repeat(31)}`,
  `0x${'ab'.repeat(33)}`,
  'ab'.repeat(32),
  '0x10000000000000000',
  { blockHash: '0x1' },
  { blockNumber: 'latest' },
  { blockHash: HEAD_HASH, blockNumber: '0x4' },
  { blockHash: HEAD_HASH, requireCanonical: 'yes' },
  { blockHash: HEAD_HASH, requireCanonical: 1 },
  JSON.parse(`{"__proto__":{"blockNumber":"0x1"}}`),
];

let service: ExampleChain;

beforeAll(async () => {
  service = await createExampleChain();
});

async function expectAlike({ method, params, isSameEverywhere }: Taker, first: unknown[], head: unknown[]) {
  const [firstForm, headForm] = [first[0], head[0]];
  // The genesis has no witness, so the response is an error.
  const answerAtFirst = (form: unknown): Promise<unknown> =>
    service.call(method, params(form)).catch(({ code, message }) => ({ code, message }));
  const expectedFirst = await answerAtFirst(firstForm);
  const expectedHead = await service.call(method, params(headForm));
  if (isSameEverywhere !== true) expect(expectedFirst).not.toEqual(expectedHead);
  for (const form of first) expect(await answerAtFirst(form)).toEqual(expectedFirst);
  for (const form of head) expect(await service.call(method, params(form))).toEqual(expectedHead);
}

async function expectUnknown({ method, params, unknown }: Taker, forms: readonly unknown[]) {
  for (const form of forms) {
    const answer = service.call(method, params(form));
    if (unknown === 'null') await expect(answer).resolves.toBeNull();
    else {
      await expect(answer).rejects.toMatchObject({
        code: -32600,
        message: expect.stringMatching(/^Block .* not found/),
      });
    }
  }
}

async function expectRejected({ method, params, parameter = 'block' }: Taker, forms: readonly unknown[]) {
  for (const form of forms) {
    await expect(service.call(method, params(form)), JSON.stringify(form)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`invalid params: ${parameter}`),
    });
  }
}

const named = (takers: readonly Taker[]) => takers.map((taker) => [taker.method, taker] as const);

describe('block parameter tables of this test', () => {
  const namesOf = (takers: readonly Taker[]) => takers.map(({ method }) => method).sort();
  const methodsWith = (isOne: (parameter: Parameter<unknown>) => boolean) =>
    METHODS.filter(({ params }) => params.some(isOne))
      .map(({ name }) => name)
      .filter((name) => !OTHER_RULES.includes(name))
      .sort();

  it('the tables list every method with a block parameter', () => {
    expect(namesOf(SELECTOR_TAKERS)).toEqual(methodsWith(({ codec }) => codec === blockSelector));
    expect(namesOf(NUMBER_TAKERS)).toEqual(methodsWith(({ codec }) => codec === blockNumberSelector));
    expect(namesOf(HASH_TAKERS)).toEqual(
      methodsWith(({ name, codec }) => name === 'blockHash' && codec === hash32),
    );
  });
});

describe.each(named(SELECTOR_TAKERS))('%s', (_method, taker) => {
  it('accepts numbers, tags, hashes and objects for the same block', async () => {
    await expectAlike(
      taker,
      [...FIRST, ...hashesAndObjects(0, FIRST_HASH)],
      [...HEAD, ...hashesAndObjects(4, HEAD_HASH)],
    );
  });

  it(`returns ${taker.unknown} for an unknown block`, async () => {
    await expectUnknown(taker, [
      ...numbersAndTags(5, []),
      '0xffffffffffffffff',
      ...hashesAndObjects(5, UNKNOWN_HASH),
    ]);
  });

  it('rejects values that are not a block', () => expectRejected(taker, MALFORMED));
});

describe.each(named(NUMBER_TAKERS))('%s', (_method, taker) => {
  it('accepts numbers and tags for the same block', () => expectAlike(taker, FIRST, HEAD));

  it(`returns ${taker.unknown} for an unknown block`, () =>
    expectUnknown(taker, [...numbersAndTags(5, []), '0xffffffffffffffff']));

  it('rejects values that are not a number or tag, including hashes and objects', () =>
    expectRejected(taker, [...MALFORMED, ...hashesAndObjects(4, HEAD_HASH)]));
});

describe.each(named(HASH_TAKERS))('%s', (_method, taker) => {
  it('accepts a hash in either case', () =>
    expectAlike(
      taker,
      [FIRST_HASH, FIRST_HASH.toUpperCase().replace('0X', '0x')],
      [HEAD_HASH, HEAD_HASH.toUpperCase().replace('0X', '0x')],
    ));

  it(`returns ${taker.unknown} for an unknown block`, () => expectUnknown(taker, [UNKNOWN_HASH]));

  it('rejects values that are not a hash, including numbers, tags and objects', () =>
    expectRejected(taker, [...MALFORMED, ...HEAD, { blockHash: HEAD_HASH }, null]));
});

describe('ranges of log filters', () => {
  const logsTo = (toBlock: unknown, fromBlock: unknown = '0x0') =>
    service.call('eth_getLogs', [{ fromBlock, toBlock }]);

  it('log ranges accept numbers and tags for the same block', async () => {
    for (const form of FIRST) expect(await logsTo(form)).toEqual([]);
    for (const form of [...HEAD, 'pending', 99]) expect(await logsTo(form)).toHaveLength(1);
    for (const form of FIRST) expect(await logsTo('latest', form)).toHaveLength(1);
    for (const form of [...HEAD, 'pending', 99]) expect(await logsTo('latest', form)).toEqual([]);
  });

  it('log ranges reject malformed blocks and report the parameter', async () => {
    for (const method of ['eth_getLogs', 'eth_newFilter']) {
      for (const end of ['fromBlock', 'toBlock']) {
        for (const form of [...MALFORMED, HEAD_HASH, { blockNumber: '0x1' }]) {
          await expect(service.call(method, [{ [end]: form }])).rejects.toMatchObject({
            code: -32602,
            message: expect.stringContaining(`params: filter.${end}:`),
          });
        }
      }
    }
  });
});

describe('the tag pending', () => {
  const takers = named([...SELECTOR_TAKERS, ...NUMBER_TAKERS]);
  const flagged = takers.filter(([, { rejectsPending }]) => rejectsPending === true);
  const others = takers.filter(([, { rejectsPending }]) => rejectsPending !== true);

  it('pending is flagged for five methods', () => expect(flagged).toHaveLength(5));

  it.each(flagged)('%s rejects pending except in compat modes anvil and hardhat', async (method, taker) => {
    await expectRejected(taker, ['pending']);
    for (const compat of ['anvil', 'hardhat'] as const) {
      const { call } = await createExampleChain({ compat });
      expect(await call(method, taker.params('pending'))).toBeDefined();
    }
  });

  it.each(others)('%s accepts pending', async (method, { params, pendingIsNull = false }) => {
    expect((await service.call(method, params('pending'))) === null).toBe(pendingIsNull);
  });
});

describe('blocks removed by a revert', () => {
  it.each(named(SELECTOR_TAKERS))(
    '%s does not find a removed block, canonical or not',
    async (method, taker) => {
      const { call } = await createExampleChain();
      const snapshot = await call('evm_snapshot');
      await call('evm_mine');
      const { hash } = (await call('eth_getBlockByNumber', ['latest'])) as { readonly hash: string };
      const forms = [hash, { blockHash: hash }, { blockHash: hash, requireCanonical: true }];
      for (const form of forms) await call(method, taker.params(form));
      await call('evm_revert', [snapshot]);
      for (const form of forms) {
        const answer = call(method, taker.params(form));
        if (taker.unknown === 'null') await expect(answer).resolves.toBeNull();
        else await expect(answer).rejects.toMatchObject({ code: -32600 });
      }
    },
  );
});
