/** Compiles Solidity during a test, for sources that belong next to their assertions. */

import { createRequire } from 'node:module';
import type { Abi } from 'viem';

const solc = createRequire(import.meta.url)('solc') as { readonly compile: (input: string) => string };

/** Compiler output of a contract. */
export interface CompiledContract {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

/** A compiler run in the format of `inspect_addArtifacts`. */
export interface Compiled {
  readonly input: object;
  readonly output: {
    readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>;
  };
}

const WANTED = [
  'abi',
  'metadata',
  'storageLayout',
  'evm.bytecode',
  'evm.deployedBytecode',
  'evm.methodIdentifiers',
];

/** Compiles sources, by name, with these settings. Throws the messages of the compiler. */
export function compileSolidity(sources: Readonly<Record<string, string>>, settings: object = {}): Compiled {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: {
      evmVersion: 'cancun',
      ...settings,
      outputSelection: { '*': { '*': WANTED, '': ['ast'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error');
  if (errors.length > 0) {
    const texts = errors.map(({ formattedMessage }: { formattedMessage: string }) => formattedMessage);
    throw new Error(texts.join('\n'));
  }
  return { input, output };
}
