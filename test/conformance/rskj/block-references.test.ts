import { beforeAll, describe, expect, it } from 'vitest';
import { word } from '../../support/words.ts';
import { type Call, COUNT, COUNTER, createExampleChain, failureOf, SENDER, UNKNOWN_HASH } from './scene.ts';

// Web3ImplTest: references to blocks by EIP-1898 in the methods that read the state, and the block parameter classes.

interface StateMethod {
  readonly method: string;
  readonly params: (block: unknown) => readonly unknown[];
  /** The result at block 3, and at the replaced block 4. */
  readonly atThird: unknown;
  readonly atReplaced: unknown;
}

const CODE = '0x010203';
const CODE_HOLDER = `0x${'c0'.repeat(20)}`;

const STATE_METHODS: readonly StateMethod[] = [
  {
    method: 'eth_getBalance',
    params: (block) => [`0x${'77'.repeat(20)}`, block],
    atThird: '0x0',
    atReplaced: '0x7',
  },
  {
    method: 'eth_getTransactionCount',
    params: (block) => [SENDER, block],
    atThird: '0x3',
    atReplaced: '0x5',
  },
  {
    method: 'eth_getStorageAt',
    params: (block) => [COUNTER, '0x0', block],
    atThird: word(42),
    atReplaced: word(42),
  },
  { method: 'eth_getCode', params: (block) => [CODE_HOLDER, block], atThird: '0x', atReplaced: CODE },
  {
    method: 'eth_call',
    params: (block) => [{ to: COUNTER, data: COUNT }, block],
    atThird: word(42),
    atReplaced: word(42),
  },
];

describe.each(STATE_METHODS)('$method with a block reference', ({ method, params, atThird, atReplaced }) => {
  let call: Call;
  let thirdHash: string;
  /** A replaced block. */
  let replacedHash: string;

  const at = (block: unknown): Promise<unknown> => call(method, params(block));

  beforeAll(async () => {
    ({ call } = await createExampleChain());
    await call('anvil_setCode', [CODE_HOLDER, CODE]);
    await call('eth_sendTransaction', [{ from: SENDER, to: `0x${'77'.repeat(20)}`, value: '0x7' }]);
    ({ hash: replacedHash } = (await call('eth_getBlockByNumber', ['latest'])) as {
      readonly hash: string;
    });
    await call('anvil_reorg', [1, []]);
    ({ hash: thirdHash } = (await call('eth_getBlockByNumber', ['0x3'])) as { readonly hash: string });
  });

  it.each(['0x3', '3'])('accepts the block number %s', async (number) => {
    expect(await at(number)).toEqual(atThird);
    expect(await at({ blockNumber: number })).toEqual(atThird);
  });

  it('accepts the hash of a canonical block, as a text and in an object', async () => {
    expect(await at(thirdHash)).toEqual(atThird);
    expect(await at({ blockHash: thirdHash })).toEqual(atThird);
  });

  it.each([true, false, 'true', 'false'])(
    'accepts the hash of a canonical block with requireCanonical %j',
    async (requireCanonical) => {
      expect(await at({ blockHash: thirdHash, requireCanonical })).toEqual(atThird);
    },
  );

  it('accepts the hash of a replaced block, unless requireCanonical is true', async () => {
    expect(await at({ blockHash: replacedHash })).toEqual(atReplaced);
    for (const requireCanonical of [false, 'false'])
      expect(await at({ blockHash: replacedHash, requireCanonical })).toEqual(atReplaced);
    for (const requireCanonical of [true, 'true'])
      expect(await failureOf(at({ blockHash: replacedHash, requireCanonical }))).toMatchObject({
        code: -32600,
      });
  });

  it('rejects an unknown block hash with any requireCanonical', async () => {
    for (const block of [
      UNKNOWN_HASH,
      { blockHash: UNKNOWN_HASH },
      { blockHash: UNKNOWN_HASH, requireCanonical: true },
      { blockHash: UNKNOWN_HASH, requireCanonical: false },
    ])
      expect(await failureOf(at(block))).toMatchObject({ code: -32600 });
  });

  it.each([
    'first',
    'pending2',
    '0x1aw',
    '0xf89203860918sv',
    '',
    { invalidInput: '0x1' },
    { invalidKey: UNKNOWN_HASH },
    { blockHash: `${UNKNOWN_HASH.slice(0, -2)}xk` },
    { blockNumber: '0x76ty' },
    { blockNumber: '0x1', requireCanonical: 'first' },
  ])('rejects the block reference %j', async (block) => {
    expect(await failureOf(at(block))).toMatchObject({ code: -32602 });
  });
});

describe('the block tags pending, latest and earliest', () => {
  it('select the state with the pool, of the head, and of block 0', async () => {
    const { call } = await createExampleChain();
    await call('evm_stopMining');
    const to = `0x${'77'.repeat(20)}`;
    await call('eth_sendTransaction', [{ from: SENDER, to, value: '0x7' }]);

    const balances = ['earliest', 'latest', 'pending'].map((tag) => call('eth_getBalance', [to, tag]));

    expect(await Promise.all(balances)).toEqual(['0x0', '0x0', '0x7']);
    expect(await call('eth_getBalance', [to])).toBe('0x0');
  });
});
