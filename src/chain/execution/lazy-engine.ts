import type { Engine } from '../../evm/engine.ts';

/** An engine that is loaded when it is first used, so that starting a node does not wait for it. */
export function lazyEngine(name: string, load: () => Promise<Engine>): Engine {
  let loading: Promise<Engine> | undefined;
  const engine = (): Promise<Engine> => {
    loading ??= load();
    return loading;
  };
  return {
    name,
    transact: async (...execution) => (await engine()).transact(...execution),
    call: async (...execution) => (await engine()).call(...execution),
  };
}
