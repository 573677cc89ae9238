import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import { readArtifact } from '../support/artifacts.ts';
import { receiptOf, SENDER } from './methods/contract.ts';
import { createRpcHarness } from './rpc-harness.ts';

/** A node with a token whose supply of 1,000 belongs to the first test account. */
export async function createToken() {
  const harness = await createRpcHarness();
  const { call } = harness;
  const { abi, bytecode }: { abi: Abi; bytecode: Hex } = readArtifact('shanghai', 'Token');
  const data = encodeDeployData({ abi, bytecode, args: ['Token', 'TKN', SENDER, 1_000n] });
  const hash = await call('eth_sendTransaction', [{ from: SENDER, data }]);
  const token = String((await receiptOf(harness, hash)).contractAddress);
  const encode = (functionName: string, ...args: readonly unknown[]) =>
    encodeFunctionData({ abi, functionName, args });
  const ask = async (functionName: string, ...args: readonly unknown[]) =>
    BigInt(String(await call('eth_call', [{ to: token, data: encode(functionName, ...args) }, 'latest'])));
  return { ...harness, token, encode, ask };
}
