import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Abi, Hex } from 'viem';

const PACKED = new URL('../../fixtures/openzeppelin/project.json.gz', import.meta.url);

/** The compiler run of the OpenZeppelin project, in the format of `inspect_addArtifacts`. */
export interface OpenZeppelinBuild {
  readonly input: object;
  readonly output: object;
  /** Returns a contract of the file Tokens.sol. */
  token(name: string): { readonly abi: Abi; readonly bytecode: Hex };
}

export function readOpenZeppelin(): OpenZeppelinBuild {
  const files: Readonly<Record<string, string>> = JSON.parse(gunzipSync(readFileSync(PACKED)).toString());
  const [, text = ''] = Object.entries(files).find(([path]) => path.includes('/build-info/')) ?? [];
  const { input, output } = JSON.parse(text);
  return {
    input,
    output,
    token(name) {
      const { abi, evm } = output.contracts['contracts/Tokens.sol'][name];
      return { abi, bytecode: `0x${evm.bytecode.object}` };
    },
  };
}
