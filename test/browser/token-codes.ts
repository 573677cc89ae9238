/** Initcode of tokens without a compiler: they emit events when they are created, and lie in their answers. */

import { encodeAbiParameters, type Hex, pad, toHex } from 'viem';

export const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function word(value: bigint | Hex): string {
  return pad(typeof value === 'bigint' ? toHex(value) : value, { size: 32 }).slice(2);
}

/** Returns the code that emits an event; its data are one word. */
function emitting(topics: readonly string[], data: bigint): string {
  const pushed = topics.toReversed().map((topic) => `7f${topic}`);
  return `7f${word(data)}5f52${pushed.join('')}60205fa${topics.length}`;
}

/** Returns the code that deploys `runtime` after `before`. */
function deploying(before: string, runtime: string): Hex {
  const size = (runtime.length / 2).toString(16).padStart(6, '0');
  // The copying takes 13 bytes.
  const start = (before.length / 2 + 13).toString(16).padStart(6, '0');
  return `0x${before}62${size}8062${start}5f395ff3${runtime}`;
}

/** Returns code that answers each call with the data. */
export function answering(data: Hex): string {
  const size = ((data.length - 2) / 2).toString(16).padStart(6, '0');
  return `62${size}80600b5f395ff3${data.slice(2)}`;
}

/** Code that reverts each call. */
export const REVERTING = '5f5ffd';

/** Returns the initcode of an ERC-20 that mints an amount to an account. */
export function minted20(to: Hex, amount: bigint, runtime: string): Hex {
  return deploying(emitting([TRANSFER, word(0n), word(to)], amount), runtime);
}

/** Returns the initcode of an ERC-721 that mints ids to an account. */
export function minted721(to: Hex, ids: readonly bigint[], runtime: string): Hex {
  return deploying(ids.map((id) => emitting([TRANSFER, word(0n), word(to), word(id)], 0n)).join(''), runtime);
}

/** Returns the initcode of an ERC-20 with one holder for each number from 1 to `count`. The balance is the number. */
export function withHolders(count: number): Hex {
  const loop = `5b805f52805f7f${TRANSFER}60205fa360019003`;
  const before = `62${count.toString(16).padStart(6, '0')}${loop}80600457`;
  return deploying(before, '6004355f5260205ff3');
}

/** Returns an answer with a text. */
export function text(value: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [value]);
}
