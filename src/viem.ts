import { PREDEPLOYS } from './chain/genesis/predeploy-addresses.ts';

const { multicall3, create2Deployer, createX, permit2, entryPoint, entryPoint08, entryPoint09 } = PREDEPLOYS;

/**
 * The chain of a node that was started with its defaults, as viem and wagmi define chains. {@link localNetwork33At} has
 * it for another URL or another chain id.
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
    entryPoint08: { address: entryPoint08.address, blockCreated: 0 },
    entryPoint09: { address: entryPoint09.address, blockCreated: 0 },
  },
  testnet: true,
} as const;

/** A transport of viem, by the one member that matters here. */
type TransportLike = (...given: never) => { readonly request: (...given: never) => Promise<unknown> };

/** The members that are read here of an object that a transport of viem makes. */
interface MadeTransport {
  readonly config?: { readonly type?: string };
  readonly request: (...given: readonly unknown[]) => Promise<unknown>;
}

/** The code of a revert in the network's service, and the one by which viem knows a revert. */
const SERVICE_REVERT = -32015;
const VIEM_REVERT = 3;

/** Gives reverts the code of viem, in an error and in those that it wraps, as viem wraps errors of a node in the same process. */
function tellRevert(error: unknown): void {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && each.code === SERVICE_REVERT) each.code = VIEM_REVERT;
}

/**
 * The transport with reverts as viem reads them. viem decodes reverts from error code 3, but not from -32015 (the code of
 * Rootstock and of compat mode `service`). Wrap the transport (`withRevertData(http(url))`) and
 * `readContract`, `simulateContract` and their kin throw a `ContractFunctionRevertedError` with the decoded error.
 *
 * A node in the same process (`withRevertData(custom(node))`) is asked once for each call: viem takes the codes of reverts
 * for faults of the transport there, and would ask three times more within a second unless `retryCount` is 0.
 */
export function withRevertData<Transport extends TransportLike>(transport: Transport): Transport {
  const create = transport as unknown as (given?: object) => MadeTransport;
  const wrapped = (given?: object): MadeTransport => {
    const first = create(given);
    const made = first.config?.type === 'custom' ? create({ ...given, retryCount: 0 }) : first;
    const request = async (...asked: readonly unknown[]): Promise<unknown> => {
      try {
        return await made.request(...asked);
      } catch (error) {
        tellRevert(error);
        throw error;
      }
    };
    return { ...made, request };
  };
  return wrapped as unknown as Transport;
}

/** The URLs of a node, as viem and wagmi define them. */
type RpcUrls = {
  readonly default: { readonly http: readonly [string]; readonly webSocket: readonly [string] };
};

/** {@link localNetwork33} at a URL of its own. */
type LocalNetwork33At = Omit<typeof localNetwork33, 'rpcUrls'> & { readonly rpcUrls: RpcUrls };

const HTTP_OR_WEB_SOCKET = /^(?:http|ws)(?=s?:\/\/[^/])/i;

/**
 * Returns the chain of a node at that URL, HTTP or WebSocket, which clients use that ask the chain and not a transport
 * for it, such as wagmi's mock connector. `overrides` are members of the chain that differ: `{ id: 31337 }` for another
 * chain id, `{ contracts: {} }` with `--no-predeploys`. Throws a `TypeError` for what is no such URL.
 */
export function localNetwork33At<const Overrides extends object = Readonly<Record<never, never>>>(
  url: string,
  overrides?: Overrides,
): Omit<LocalNetwork33At, keyof Overrides> & Overrides;
export function localNetwork33At(url: string, overrides: object = {}): object {
  // Plain JavaScript can give anything.
  if (typeof url !== 'string' || !HTTP_OR_WEB_SOCKET.test(url)) {
    throw new TypeError(
      `url must be an HTTP or WebSocket URL such as http://127.0.0.1:8545, not ${JSON.stringify(url)}`,
    );
  }
  const rpcUrls: RpcUrls = {
    default: {
      http: [url.replace(HTTP_OR_WEB_SOCKET, 'http')],
      webSocket: [url.replace(HTTP_OR_WEB_SOCKET, 'ws')],
    },
  };
  return { ...localNetwork33, rpcUrls, ...overrides };
}
