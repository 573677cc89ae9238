import { keyOf } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

/** A type of Solidity that the console takes. */
export type ConsoleType = 'uint256' | 'int256' | 'string' | 'bool' | 'address' | 'bytes' | `bytes${number}`;

/** What a selector of the console stands for: `log` with these types, or `table` with an array, or two, of a type. */
export type ConsoleSignature =
  | { readonly kind: 'log'; readonly types: readonly ConsoleType[] }
  | { readonly kind: 'table'; readonly hasKeys: boolean; readonly type: ConsoleType };

/** Of these `log` takes up to four, in any order. */
const COMBINED: readonly ConsoleType[] = ['uint256', 'string', 'bool', 'address'];
const MOST_COMBINED = 4;
const TABLE_TYPES: readonly ConsoleType[] = ['uint256', 'int256', 'address', 'bytes32', 'string', 'bool'];
const SELECTOR_SIZE = 4;

function combinations(length: number): ConsoleType[][] {
  if (length === 0) return [[]];
  return combinations(length - 1).flatMap((shorter) => COMBINED.map((type) => [...shorter, type]));
}

function logTypes(): ConsoleType[][] {
  const fixedBytes = Array.from({ length: 32 }, (_, index): ConsoleType => `bytes${index + 1}`);
  const alone: ConsoleType[] = ['int256', 'bytes', ...fixedBytes];
  const combined = Array.from({ length: MOST_COMBINED + 1 }, (_, length) => combinations(length));
  return [...combined.flat(), ...alone.map((type) => [type]), ['string', 'int256']];
}

function selectorOf(signature: string): string {
  return keyOf(keccak256(new TextEncoder().encode(signature)).subarray(0, SELECTOR_SIZE));
}

/**
 * All functions of `console.sol` of Hardhat and forge-std, by their selector (eight digits): `log` and what has names
 * of its own there (`logBytes32` sends `log(bytes32)`), and `table` of forge-std. Until version 2.10.2 Hardhat made
 * selectors with `uint` and `int`, which the ABI does not know; contracts of that time are understood too.
 */
export function consoleSignatures(): ReadonlyMap<string, ConsoleSignature> {
  const signatures = new Map<string, ConsoleSignature>();
  for (const types of logTypes()) {
    const written = `log(${types.join(',')})`;
    const signature = { kind: 'log', types } as const;
    signatures.set(selectorOf(written), signature);
    if (written.includes('int256'))
      signatures.set(selectorOf(written.replaceAll('int256', 'int')), signature);
  }
  for (const type of TABLE_TYPES) {
    signatures.set(selectorOf(`table(${type}[])`), { kind: 'table', hasKeys: false, type });
    signatures.set(selectorOf(`table(string[],${type}[])`), { kind: 'table', hasKeys: true, type });
  }
  return signatures;
}
