// Searches of the upstream's chain, by values of accounts at a few blocks.

import { UnservedMethodError } from '../../fork/errors.ts';
import type { UpstreamCall } from '../../fork/upstream/upstream-call.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantData, tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';
import type { ForkCall } from '../method.ts';
import { hashesOf, listIn, readAll, readBlocks, readReceipts } from './upstream-reads.ts';

/** Blocks per round of a search: 5 rounds find a block among 16 million. */
const PROBES = 32;

/** Returns up to {@link PROBES} different numbers from `first` to `last`, ascending and evenly spaced. */
function probesBetween(first: number, last: number): number[] {
  const count = Math.min(PROBES, last - first + 1);
  return Array.from({ length: count }, (_, index) => first + Math.floor(((last - first) * index) / count));
}

/**
 * Returns the first number up to `last` that passes the test; `undefined` if there is none. `test` receives the numbers
 * of one round. All numbers above a passing number must pass.
 */
export async function firstNumber(
  last: number,
  test: (numbers: readonly number[]) => Promise<readonly boolean[]>,
): Promise<number | undefined> {
  const [isTrueAtLast] = await test([last]);
  if (isTrueAtLast !== true) return undefined;
  let [low, high] = [0, last];
  while (low < high) {
    const numbers = probesBetween(low, high - 1);
    const place = (await test(numbers)).indexOf(true);
    const found = place === -1 ? undefined : numbers[place];
    const below = place === -1 ? numbers.at(-1) : numbers[place - 1];
    high = found ?? high;
    low = below === undefined ? low : below + 1;
  }
  return high;
}

/** Finds the first block up to the fork block by a value of an account after the block (see {@link firstNumber}). */
function firstBlock(
  call: ForkCall,
  { method, expects }: Pick<UpstreamCall, 'method' | 'expects'>,
  test: (answer: unknown) => boolean,
): Promise<number | undefined> {
  const address = toHex(call.params.decoded[0] as Uint8Array);
  return firstNumber(call.fork.number, async (numbers) => {
    const calls = numbers.map((number) => ({ method, params: [address, toQuantity(number)], expects }));
    return (await readAll(call, calls)).map(test);
  });
}

function isFrom(transaction: unknown, sender: Uint8Array, nonce: bigint): boolean {
  const fields = asObject(transaction);
  const from = tolerantFixedData(fields?.from, 20);
  return from !== undefined && equalBytes(from, sender) && tolerantQuantity(fields?.nonce) === nonce;
}

/** Returns the transaction of the sender and nonce in the first two parameters; `null` if absent. */
export async function transactionOfSender(call: ForkCall): Promise<unknown> {
  const [sender, nonce] = call.params.decoded as [Uint8Array, bigint];
  const question = { method: 'eth_getTransactionCount', expects: 'quantity' } as const;
  const number = await firstBlock(call, question, (count) => (tolerantQuantity(count) ?? 0n) > nonce);
  if (number === undefined) return null;
  const [block] = await readBlocks(call, [number], true);
  const transactions = block === undefined ? [] : listIn(block, 'transactions');
  return transactions.find((transaction) => isFrom(transaction, sender, nonce)) ?? null;
}

/** As {@link transactionOfSender}, but returns only the hash. */
export async function transactionHashOfSender(call: ForkCall): Promise<unknown> {
  return asObject(await transactionOfSender(call))?.hash ?? null;
}

/**
 * Returns the transaction that created the contract in the first parameter, and its sender; `null` if no contract
 * exists at the fork block. Rejects with an {@link UnservedMethodError} if another contract created it, because only
 * traces contain that contract.
 */
export async function contractCreator(call: ForkCall): Promise<unknown> {
  const contract = call.params.decoded[0] as Uint8Array;
  const question = { method: 'eth_getCode', expects: 'dataOrNull' } as const;
  const number = await firstBlock(call, question, (code) => (tolerantData(code)?.length ?? 0) > 0);
  if (number === undefined) return null;
  const [block] = await readBlocks(call, [number], false);
  const receipts = await readReceipts(
    call,
    hashesOf(block === undefined ? [] : listIn(block, 'transactions')),
  );
  for (const receipt of receipts) {
    const { contractAddress, transactionHash, from } = asObject(receipt) ?? {};
    const created = tolerantFixedData(contractAddress, 20);
    if (created !== undefined && equalBytes(created, contract))
      return { hash: transactionHash, creator: from };
  }
  throw new UnservedMethodError(call.fork.upstream.urls, call.method.name);
}
