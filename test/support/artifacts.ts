import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';

/** The EVM versions that the fixtures are compiled for. */
export const EVM_VERSIONS = ['shanghai', 'cancun'] as const;

export type EvmVersion = (typeof EVM_VERSIONS)[number];

/** A compiled contract of `fixtures/contracts`. */
export interface Artifact {
  readonly contractName: string;
  readonly abi: Abi;
  /** The code that creates the contract, without constructor arguments. */
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

/** Reads one artifact. Throws when there is no contract of that name for the EVM version. */
export function readArtifact(evmVersion: EvmVersion, contractName: string): Artifact {
  const path = new URL(`../../fixtures/artifacts/${evmVersion}/${contractName}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Artifact;
}
