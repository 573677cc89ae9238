import { AbiCoder, id } from 'ethers';
import { fromHex } from '../../../src/primitives/hex.ts';

const COMBINED = ['uint256', 'string', 'bool', 'address'];

function ordered(length: number): string[][] {
  if (length === 0) return [[]];
  return COMBINED.flatMap((type) => ordered(length - 1).map((others) => [type, ...others]));
}

/** The types of every `log` of Hardhat's console.sol: 375 of them. */
export const HARDHAT_LOGS: readonly (readonly string[])[] = [
  ...[0, 1, 2, 3, 4].flatMap(ordered),
  ['int256'],
  ['bytes'],
  ...Array.from({ length: 32 }, (_, index) => [`bytes${index + 1}`]),
];

/** The types of every `log` of forge-std's console.sol that Hardhat's has not. */
export const FORGE_LOGS: readonly (readonly string[])[] = [['string', 'int256']];

/** The types of every `table` of forge-std's console.sol. */
export const FORGE_TABLES: readonly (readonly string[])[] = [
  'uint256',
  'int256',
  'address',
  'bytes32',
  'string',
  'bool',
].flatMap((type) => [[`${type}[]`], ['string[]', `${type}[]`]]);

/** The data of a call of the function, its arguments encoded by ethers. `written` are the types in its signature. */
export function callData(
  name: 'log' | 'table',
  types: readonly string[],
  values: readonly unknown[],
  written: readonly string[] = types,
): Uint8Array {
  const selector = id(`${name}(${written.join(',')})`).slice(0, 10);
  return fromHex(`${selector}${AbiCoder.defaultAbiCoder().encode(types, values).slice(2)}`);
}
