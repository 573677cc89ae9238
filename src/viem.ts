import { PREDEPLOYS } from './chain/genesis/predeploy-addresses.ts';

const { multicall3, create2Deployer, createX, permit2, entryPoint, entryPoint08, entryPoint09 } = PREDEPLOYS;

/**
 * The chain of a node with default options, in the format of viem and wagmi. For another URL or chain id, use
 * {@link localNetwork33At}.
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

/** The used part of a viem transport. */
type TransportLike = (...given: never) => { readonly request: (...given: never) => Promise<unknown> };

/** The used part of a created transport. */
interface MadeTransport {
  readonly config?: { readonly type?: string };
  readonly request: (...given: readonly unknown[]) => Promise<unknown>;
}

/** The code of reverts in compat mode `service`, and the code that viem decodes. */
const SERVICE_REVERT = -32015;
const VIEM_REVERT = 3;

/** Replaces the code of reverts in an error and its causes. viem wraps errors of an in-process node. */
function tellRevert(error: unknown): void {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && each.code === SERVICE_REVERT) each.code = VIEM_REVERT;
}

/**
 * Wraps a transport so that viem decodes reverts. Compat mode `service` has error code -32015, but viem
 * decodes only code 3. With `withRevertData(http(url))`, `readContract`, `simulateContract` and similar
 * functions throw a `ContractFunctionRevertedError` with the decoded error.
 *
 * For an in-process node (`withRevertData(custom(node))`), `retryCount` is 0. Otherwise, viem would take
 * reverts for faults of the transport and repeat each failed call three times.
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

/** The URLs of a node in the format of viem and wagmi. */
type RpcUrls = {
  readonly default: { readonly http: readonly [string]; readonly webSocket: readonly [string] };
};

/** {@link localNetwork33} with other URLs. */
type LocalNetwork33At = Omit<typeof localNetwork33, 'rpcUrls'> & { readonly rpcUrls: RpcUrls };

const HTTP_OR_WEB_SOCKET = /^(?:http|ws)(?=s?:\/\/[^/])/i;

/**
 * Returns the chain of a node at an HTTP or WebSocket URL, for clients without a transport, such as wagmi's
 * mock connector. `overrides` replaces members: `{ id: 31337 }` for another chain id, `{ contracts: {} }`
 * with `--no-predeploys`. Throws a `TypeError` for an invalid URL.
 */
export function localNetwork33At<const Overrides extends object = Readonly<Record<never, never>>>(
  url: string,
  overrides?: Overrides,
): Omit<LocalNetwork33At, keyof Overrides> & Overrides;
export function localNetwork33At(url: string, overrides: object = {}): object {
  // JavaScript clients can pass any value.
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
