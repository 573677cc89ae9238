/** A vault that pays from a ledger, compiled for the tests of failures and of the debug view. */

import { readFileSync } from 'node:fs';
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import { type Compiled, compileSolidity } from '../solidity.ts';
import { openScene, type Scene, type SceneOptions } from './scene.ts';

export const VAULT_FILE = 'contracts/Vault.sol';
export const VAULT_SOURCE = readFileSync(new URL('./Vault.sol', import.meta.url), 'utf8');

/** Returns the number of the first line of the vault's source that contains the text. */
export function vaultLine(text: string): number {
  return VAULT_SOURCE.split('\n').findIndex((line) => line.includes(text)) + 1;
}

let compiled: Compiled | null = null;

export interface VaultScene extends Scene {
  readonly vault: Hex;
  /** Returns the input of `withdraw`. */
  withdrawal(wei: bigint): Hex;
  /** Estimates the gas of a withdrawal, which fails above 0.98 ether. */
  estimate(wei: bigint, path?: string): Promise<unknown>;
}

/** Starts a node with a vault that contains a deposit of 1 ether, minus the fee of 0.01 ether. */
export async function openVaultScene(options: SceneOptions = {}): Promise<VaultScene> {
  compiled ??= compileSolidity({ [VAULT_FILE]: VAULT_SOURCE });
  const { input, output } = compiled;
  const artifact = output.contracts[VAULT_FILE]?.Vault;
  if (artifact === undefined) throw new Error('solc did not compile the vault');
  const scene = await openScene({ hardfork: 'cancun', ...options });
  await scene.call('inspect_addArtifacts', [input, output]);
  const { abi } = artifact;
  const vault = await scene.deploy(encodeDeployData({ abi, bytecode: `0x${artifact.evm.bytecode.object}` }));
  const data = encodeFunctionData({ abi, functionName: 'deposit' });
  await scene.send({ to: vault, data, value: '0xde0b6b3a7640000' });
  const withdrawal = (wei: bigint): Hex => encodeFunctionData({ abi, functionName: 'withdraw', args: [wei] });
  return {
    ...scene,
    vault,
    withdrawal,
    estimate: (wei, path) =>
      scene.call('eth_estimateGas', [{ from: scene.from, to: vault, data: withdrawal(wei) }], path),
  };
}
