import { expect, it } from 'vitest';
import { tokenChanges } from '../../src/inspect/token-changes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { WorkPieces } from '../../src/primitives/work-pieces.ts';

const TRANSFER = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'));
const TRANSFERS = 2_000;

/** An address in a word of 32 bytes. */
function addressWord(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte, 12);
}

it('adds up the tokens that many events moved, and lets others be heard meanwhile', async () => {
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
    pieces: new WorkPieces(() => {
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
