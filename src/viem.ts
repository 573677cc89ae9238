import { PREDEPLOYS } from './node/predeploys.ts';

const { multicall3, create2Deployer, createX, permit2, entryPoint } = PREDEPLOYS;

/**
 * The chain of a node that was started with its defaults, as viem and wagmi define chains. For another address spread
 * it and give `rpcUrls`, for another chain id give `id`; with `--no-predeploys` there are no `contracts`.
 */
export const localNetwork33 = {
  id: 33,
  name: 'Local Network 33',
  nativeCurrency: { name: 'Rootstock Bitcoin', symbol: 'RBTC', decimals: 18 },
  rpcUrls: {
    default: { http: ['http://127.0.0.1:8545'], webSocket: ['ws://127.0.0.1:8545'] },
  },
  contracts: {
    multicall3: { address: multicall3.address, blockCreated: 0 },
    create2Deployer: { address: create2Deployer.address, blockCreated: 0 },
    createX: { address: createX.address, blockCreated: 0 },
    permit2: { address: permit2.address, blockCreated: 0 },
    entryPoint: { address: entryPoint.address, blockCreated: 0 },
  },
  testnet: true,
} as const;

/** A transport of viem, by the one member that matters here. */
type TransportLike = (...given: never) => { readonly request: (...given: never) => Promise<unknown> };

/** The code of a revert in the network's service, and the one by which viem knows a revert. */
const SERVICE_REVERT = -32015;
const VIEM_REVERT = 3;

/**
 * The transport with reverts as viem reads them. viem decodes the data of a revert under the error code 3 alone; the
 * network, and a node in the dialect `service`, answers -32015. Wrap the transport (`withRevertData(http(url))`) and
 * `readContract`, `simulateContract` and their kin throw a `ContractFunctionRevertedError` with the decoded error.
 */
export function withRevertData<Transport extends TransportLike>(transport: Transport): Transport {
  const create = transport as unknown as (...given: readonly unknown[]) => {
    readonly request: (...given: readonly unknown[]) => Promise<unknown>;
  };
  const wrapped = (...given: readonly unknown[]) => {
    const made = create(...given);
    const request = async (...asked: readonly unknown[]): Promise<unknown> => {
      try {
        return await made.request(...asked);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === SERVICE_REVERT)
          error.code = VIEM_REVERT;
        throw error;
      }
    };
    return { ...made, request };
  };
  return wrapped as unknown as Transport;
}
