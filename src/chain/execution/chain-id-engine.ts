import type { Engine } from '../../evm/engine.ts';

/**
 * An engine for a chain whose id can change: CHAINID and authorizations see the id that holds when a message runs.
 * `create` makes an engine for one id; only the one in use is kept.
 */
export function chainIdEngine(
  name: string,
  currentChainId: () => number,
  create: (chainId: number) => Engine,
): Engine {
  let inUse: { readonly chainId: number; readonly engine: Engine } | undefined;
  const engine = (): Engine => {
    const chainId = currentChainId();
    if (inUse?.chainId !== chainId) inUse = { chainId, engine: create(chainId) };
    return inUse.engine;
  };
  return {
    name,
    transact: (...message) => engine().transact(...message),
    call: (...message) => engine().call(...message),
  };
}
