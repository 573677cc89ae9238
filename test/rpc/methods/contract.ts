import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { toHex } from '../../../src/primitives/hex.ts';
import { readArtifact } from '../../support/artifacts.ts';
import { testAccount } from '../../support/test-chain.ts';
import type { RpcHarness } from '../rpc-harness.ts';

/** The address of the first test account as hex. */
export const SENDER = toHex(testAccount(0).address);

export interface DeployedContract {
  readonly address: string;
  /** The call data of a function. */
  data(functionName: string, ...args: readonly unknown[]): Hex;
  /** The decoded output of a function. */
  decode(functionName: string, result: unknown): unknown;
}

/** The receipt of a transaction, which must be mined. */
export async function receiptOf(
  { call }: RpcHarness,
  hash: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const receipt = await call('eth_getTransactionReceipt', [hash]);
  if (typeof receipt !== 'object' || receipt === null) throw new Error(`${hash} is not mined`);
  return { ...receipt };
}

/** Deploys a contract of the fixtures from the first test account. */
export async function deploy(harness: RpcHarness, contractName: string): Promise<DeployedContract> {
  const { abi, bytecode }: { abi: Abi; bytecode: Hex } = readArtifact('shanghai', contractName);
  const hash = await harness.call('eth_sendTransaction', [{ from: SENDER, data: bytecode }]);
  const { contractAddress, status } = await receiptOf(harness, hash);
  if (status !== '0x1') throw new Error(`${contractName} was not created`);
  return {
    address: String(contractAddress),
    data: (functionName, ...args) => encodeFunctionData({ abi, functionName, args }),
    decode: (functionName, result) => decodeFunctionResult({ abi, functionName, data: result as Hex }),
  };
}
