import { expect, it } from 'vitest';
import { tokenChanges } from '../../src/inspect/token-changes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';

const TRANSFER = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
const TRANSFERS = 2_000;

/** An address in a word of 32 bytes. */
function addressWord(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte, 12);
}

it('token changes of many events are summed, and the sum yields', async () => {
  const amount = new Uint8Array(32);
  amount[31] = 1;
  const transfer = {
    address: new Uint8Array(20).fill(9),
    topics: [TRANSFER, addressWord(1), addressWord(2)],
    data: amount,
  };
  const other = { address: new Uint8Array(20), topics: [], data: new Uint8Array(0) };
  let turns = 0;
  const changes = await tokenChanges({
    logs: Array.from({ length: 30_000 }, (_, index) => (index < TRANSFERS ? transfer : other)),
    storage: [],
    isToken: () => false,
    ask: async () => null,
    slice: new TimeSlice(() => {
      turns++;
    }),
  });
  const token = { token: `0x${'09'.repeat(20)}`, standard: 'ERC-20', id: null };
  expect(changes).toMatchObject([
    { ...token, account: `0x${'01'.repeat(20)}`, change: BigInt(-TRANSFERS) },
    { ...token, account: `0x${'02'.repeat(20)}`, change: BigInt(TRANSFERS) },
  ]);
  expect(turns).toBeGreaterThan(20);
});

/** The number, below 2^32, as a word of 32 bytes. */
function word(number: number): Uint8Array {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, number);
  return bytes;
}

function accountWord(number: number): Uint8Array {
  return word(number + 1);
}

/** A transfer of one token between accounts. */
function moved(token: number, from: number, to: number) {
  const topics = [TRANSFER, accountWord(from), accountWord(to)];
  return { address: accountWord(token).subarray(12), topics, data: word(1) };
}

const BALANCE_OF = '0x70a08231';
const DECIMALS = '0x313ce567';

/** The changes of the logs, and the number of calls of each token function. */
async function changesOf(logs: readonly ReturnType<typeof moved>[], decimals: number) {
  const asked = new Map<string, number>();
  const changes = await tokenChanges({
    logs,
    storage: [],
    isToken: () => false,
    ask: async (_when, _token, data) => {
      const selector: string = toHex(data.subarray(0, 4));
      asked.set(selector, (asked.get(selector) ?? 0) + 1);
      return selector === DECIMALS ? word(decimals) : null;
    },
    slice: new TimeSlice(),
  });
  return { changes, asked };
}

it.each([
  [255, 255],
  [256, null],
  [300, null],
])('%i decimals of a token are returned as %s, because the maximum is 255', async (told, expected) => {
  const { changes } = await changesOf([moved(0, 1, 2)], told);
  expect(changes.map(({ decimals }) => decimals)).toEqual([expected, expected]);
});

it('token changes read at most 32 balances before and after, and the decimals of 16 tokens', async () => {
  const logs = Array.from({ length: 40 }, (_, index) => moved(index, 2 * index, 2 * index + 1));
  const { changes, asked } = await changesOf(logs, 6);
  expect(changes).toHaveLength(80);
  expect(asked.get(BALANCE_OF)).toBe(2 * 32);
  expect(asked.get(DECIMALS)).toBe(16);
  expect(changes.filter(({ decimals }) => decimals === 6)).toHaveLength(32);
});

it('at most 1,000 token changes are returned', async () => {
  const logs = Array.from({ length: 600 }, (_, index) => moved(0, 2 * index, 2 * index + 1));
  expect((await changesOf(logs, 6)).changes).toHaveLength(1000);
});
