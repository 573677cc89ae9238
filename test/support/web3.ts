import { type Contract, type ContractAbi, Web3, type WebSocketProvider } from 'web3';
import type { IpcProvider } from 'web3-providers-ipc';
import { type EvmVersion, readArtifact } from './artifacts.ts';

/** A web3 client of the node. It sends legacy transactions, because web3 does not check for a base fee. */
export function connectWeb3(provider: string | WebSocketProvider | IpcProvider) {
  const web3 = new Web3(provider);
  web3.setConfig({ defaultTransactionType: '0x0', transactionPollingInterval: 20 });
  return web3;
}

export type ConnectedWeb3 = ReturnType<typeof connectWeb3>;

/** The contract method with its arguments, for a call or a transaction. Throws if the method is unknown. */
export function method(contract: Contract<ContractAbi>, name: string, ...parameters: readonly unknown[]) {
  const make = contract.methods[name];
  if (make === undefined) throw new Error(`no method ${name}`);
  return make(...parameters);
}

/** Deploys a contract of the fixtures from an account and waits for it. */
export function deployWithWeb3(
  web3: ConnectedWeb3,
  from: string,
  evmVersion: EvmVersion,
  name: string,
  ...parameters: readonly unknown[]
): Promise<Contract<ContractAbi>> {
  const { abi, bytecode } = readArtifact(evmVersion, name);
  const contract = new web3.eth.Contract(abi as ContractAbi);
  return contract.deploy({ data: bytecode, arguments: parameters as never }).send({ from });
}

/**
 * Return values of the contract's past events of one name, oldest first. `filter` selects events by their
 * arguments.
 */
export async function pastEvents(
  contract: Contract<ContractAbi>,
  name: string,
  filter: Record<string, unknown> = {},
): Promise<unknown[]> {
  const options = { fromBlock: 0, toBlock: 'latest', filter };
  const events = await contract.getPastEvents(name as 'allEvents', options as never);
  return events.map((event) => (typeof event === 'string' ? event : event.returnValues));
}
