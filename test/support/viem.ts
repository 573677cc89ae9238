import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  type PublicClient,
  type TestClient,
  type WalletClient,
} from 'viem';
import { type EvmVersion, readArtifact } from './artifacts.ts';

/** The node's chain as a viem `Chain`. */
export function defineNetwork33(url: string) {
  return defineChain({
    id: 33,
    name: 'Network 33',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}

/** The three viem clients of one node. */
export interface ViemClients {
  readonly reader: PublicClient;
  readonly writer: WalletClient;
  readonly controls: TestClient;
}

/** Clients without a cache, so that tests see each change. `account` is an account of the node. */
export function connectViem(url: string, account: Address): ViemClients {
  const chain = defineNetwork33(url);
  const transport = http(url, { retryCount: 0 });
  return {
    reader: createPublicClient({ chain, transport, cacheTime: 0, pollingInterval: 20 }),
    writer: createWalletClient({ chain, transport, account }),
    controls: createTestClient({ chain, transport, mode: 'anvil' }),
  };
}

/** Deploys a contract of the fixtures from the account of the writer and waits for it. */
export async function deployWithViem(
  { reader, writer }: ViemClients,
  evmVersion: EvmVersion,
  name: string,
  args: readonly unknown[] = [],
) {
  const { abi, bytecode } = readArtifact(evmVersion, name);
  const account = writer.account ?? null;
  const hash = await writer.deployContract({ abi, bytecode, args, account, chain: writer.chain });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error(`${name} was not created`);
  return { abi, address: contractAddress };
}
