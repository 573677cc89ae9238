import {
  Contract,
  ContractFactory,
  type ContractTransactionReceipt,
  Interface,
  JsonRpcProvider,
  type Signer,
} from 'ethers';
import { type EvmVersion, readArtifact } from './artifacts.ts';

/** A provider without a cache, so that tests see each change. */
export function connectEthers(url: string): JsonRpcProvider {
  return new JsonRpcProvider(url, undefined, { cacheTimeout: -1, polling: true, pollingInterval: 20 });
}

/** Deploys a contract of the fixtures and waits for it. */
export async function deploy(
  signer: Signer,
  evmVersion: EvmVersion,
  name: string,
  ...parameters: readonly unknown[]
): Promise<Contract> {
  const { abi, bytecode } = readArtifact(evmVersion, name);
  const description = new Interface(JSON.stringify(abi));
  const created = await new ContractFactory(description, bytecode, signer).deploy(...parameters);
  await created.waitForDeployment();
  return new Contract(await created.getAddress(), description, signer);
}

/** The decoded result of a function call without a transaction. */
export function read(contract: Contract, name: string, ...parameters: readonly unknown[]): Promise<unknown> {
  return contract.getFunction(name).staticCall(...parameters);
}

/** Sends a transaction to a function and waits for its receipt. */
export async function write(
  contract: Contract,
  name: string,
  ...parameters: readonly unknown[]
): Promise<ContractTransactionReceipt> {
  const response = await contract.getFunction(name).send(...parameters);
  const receipt = await response.wait();
  if (receipt === null) throw new Error(`no receipt for ${name}`);
  return receipt;
}
