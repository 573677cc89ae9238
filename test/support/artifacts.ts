import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';

/** The EVM versions of the compiled fixtures. */
export const EVM_VERSIONS = ['shanghai', 'cancun'] as const;

export type EvmVersion = (typeof EVM_VERSIONS)[number];

/** A compiled contract of `fixtures/contracts`. */
export interface Artifact {
  readonly contractName: string;
  readonly abi: Abi;
  /** Initcode without constructor arguments. */
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

/** Reads one artifact. Throws if the EVM version has no contract of that name. */
export function readArtifact(evmVersion: EvmVersion, contractName: string): Artifact {
  const path = new URL(`../../fixtures/artifacts/${evmVersion}/${contractName}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Artifact;
}
