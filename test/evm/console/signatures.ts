import { AbiCoder, id } from 'ethers';
import { fromHex } from '../../../src/primitives/hex.ts';

const COMBINED = ['uint256', 'string', 'bool', 'address'];

function ordered(length: number): string[][] {
  if (length === 0) return [[]];
  return COMBINED.flatMap((type) => ordered(length - 1).map((others) => [type, ...others]));
}

/** The parameter types of all 375 `log` functions of Hardhat's console.sol. */
export const HARDHAT_LOGS: readonly (readonly string[])[] = [
  ...[0, 1, 2, 3, 4].flatMap(ordered),
  ['int256'],
  ['bytes'],
  ...Array.from({ length: 32 }, (_, index) => [`bytes${index + 1}`]),
];

/** The parameter types of the `log` functions that only forge-std's console.sol has. */
export const FORGE_LOGS: readonly (readonly string[])[] = [['string', 'int256']];

/** The parameter types of every `table` function of forge-std's console.sol. */
export const FORGE_TABLES: readonly (readonly string[])[] = [
  'uint256',
  'int256',
  'address',
  'bytes32',
  'string',
  'bool',
].flatMap((type) => [[`${type}[]`], ['string[]', `${type}[]`]]);

/** Call data of the function, encoded by ethers. `written`: the types in its signature. */
export function callData(
  name: 'log' | 'table',
  types: readonly string[],
  values: readonly unknown[],
  written: readonly string[] = types,
): Uint8Array {
  const selector = id(`${name}(${written.join(',')})`).slice(0, 10);
  return fromHex(`${selector}${AbiCoder.defaultAbiCoder().encode(types, values).slice(2)}`);
}
