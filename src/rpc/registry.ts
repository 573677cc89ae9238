import { misspelled } from '../primitives/nearest-word.ts';
import { MethodNotFoundError } from './errors.ts';
import type { Method } from './method.ts';

/** Thrown if two methods have the same name (a bug of the method table). */
export class DuplicateMethodError extends Error {
  override readonly name = 'DuplicateMethodError';
  constructor(method: string) {
    super(`the method table has the name ${method} twice`);
  }
}

/** Returns the namespace of a method: the part of its name before the first `_` or `.`. */
function namespaceOf(name: string): string {
  const end = name.search(/[._]/);
  return end === -1 ? name : name.slice(0, end);
}

/** The methods of a node, by name or alias. */
export class Registry {
  /** In the order of the table, without aliases. */
  readonly methods: readonly Method[];
  readonly byName: ReadonlyMap<string, Method>;

  /** Throws {@link DuplicateMethodError} if two methods share a name or alias. */
  constructor(methods: readonly Method[]) {
    this.methods = methods;
    const byName = new Map<string, Method>();
    for (const method of methods) {
      for (const name of [method.name, ...method.aliases]) {
        if (byName.has(name)) throw new DuplicateMethodError(name);
        byName.set(name, method);
      }
    }
    this.byName = byName;
  }

  /** Returns the version of each namespace (`rpc_modules`), without the methods that require absent lanes. */
  modules(hasLanes: boolean): Readonly<Record<string, string>> {
    const namespaces = new Set<string>();
    for (const { name, aliases, asksBase } of this.methods) {
      if (asksBase && !hasLanes) continue;
      namespaces.add(namespaceOf(name));
      for (const alias of aliases) namespaces.add(namespaceOf(alias));
    }
    return Object.fromEntries([...namespaces].sort().map((namespace) => [namespace, '1.0']));
  }
}

const NO_COMPILERS = 'the node has no compilers; compile with solc and send the code';
const NO_WHISPER = 'the Whisper protocol is not supported';
const NO_DATABASE = 'the local database methods are deprecated; store the data in your application';

const ONLY_TEMPO = 'the method belongs to the network Tempo, which node-cli does not have';

const NO_STATISTICS =
  'Flashbots switched this method off in June 2025; to find a bundle, look for its transactions in the block';
const SET_BALANCE = 'use tenderly_setErc20Balance';

const NO_SHUTDOWN = 'requests cannot stop the node; stop its process (Ctrl-C, SIGTERM)';

/** Method names of other nodes, with the reason why this node does not have them (service document). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...['eth_getCompilers', 'eth_compileLLL', 'eth_compileSolidity', 'eth_compileSerpent'].map(
    (name) => [name, NO_COMPILERS] as const,
  ),
  ...[
    'anvil_classifyTransaction',
    'anvil_dealTIP20',
    'anvil_setFeeToken',
    'anvil_setValidatorFeeToken',
    'anvil_setFeeAmmLiquidity',
  ].map((name) => [name, ONLY_TEMPO] as const),
  ...[
    'flashbots_getUserStats',
    'flashbots_getUserStatsV2',
    'flashbots_getBundleStats',
    'flashbots_getBundleStatsV2',
    'flashbots_getSbundleStats',
  ].map((name) => [name, NO_STATISTICS] as const),
  ...['tenderly_addErc20Balance', 'tenderly_setMaxErc20Balance'].map((name) => [name, SET_BALANCE] as const),
  ...['rsk_shutdown', 'chain_shutdown'].map((name) => [name, NO_SHUTDOWN] as const),
  ...['db_putString', 'db_getString', 'db_putHex', 'db_getHex'].map((name) => [name, NO_DATABASE] as const),
]);

/** Unsupported namespaces, with the reason. */
const NAMESPACE_REASONS: ReadonlyMap<string, string> = new Map([['shh', NO_WHISPER]]);

/**
 * Returns the error for an unknown method, with the reason from the service document, or the closest name.
 */
export function methodNotFound(method: string, registry: Registry): MethodNotFoundError {
  const reason = REASONS.get(method) ?? NAMESPACE_REASONS.get(namespaceOf(method));
  if (reason !== undefined) return new MethodNotFoundError(method, reason);
  const meant = misspelled(method, registry.byName.keys());
  return new MethodNotFoundError(method, meant === undefined ? undefined : `did you mean ${meant}?`);
}
