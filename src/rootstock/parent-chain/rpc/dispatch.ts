// Decodes the parameters of a call, selects the wallet, and runs the call.

import type { Steps } from '../../../primitives/steps.ts';
import { BlockTimeError, ParentChainError } from '../errors.ts';
import type { ParentChain } from '../parent-chain.ts';
import { DEFAULT_WALLET, type ParentWallet } from '../wallet/parent-wallet.ts';
import {
  type BitcoinCall,
  CallArguments,
  type CallContext,
  jsonType,
  type Parameter,
  type ParameterType,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

const JSON_TYPES: Readonly<Record<ParameterType, readonly string[] | null>> = {
  string: ['string'],
  number: ['number'],
  bool: ['bool'],
  array: ['array'],
  object: ['object'],
  amount: null,
  any: null,
};

/** Returns the line that shows how to use a call: `getblock "blockhash" ( verbosity )`. */
export function usageOf({ name, parameters }: BitcoinCall): string {
  const shown = parameters.map((parameter) => {
    const text = parameter.type === 'string' ? `"${parameter.name}"` : parameter.name;
    return parameter.isRequired ? text : `( ${text} )`;
  });
  return [name, ...shown].join(' ');
}

/** Returns the arguments by name. Named parameters can contain positional ones as `args`. */
function namedArguments(call: BitcoinCall, params: readonly unknown[] | object): Map<string, unknown> {
  const named = Array.isArray(params) ? [] : Object.entries(params);
  const positional: readonly unknown[] = Array.isArray(params) ? params : positionalOf(named);
  if (positional.length > call.parameters.length) throw new BitcoinRpcError(CODES.misc, usageOf(call));
  const values = new Map<string, unknown>();
  for (const [index, value] of positional.entries()) {
    const parameter = call.parameters[index];
    if (parameter !== undefined) values.set(parameter.name, value);
  }
  for (const [name, value] of named) {
    if (name === 'args' && Array.isArray(value)) continue;
    if (!call.parameters.some((parameter) => parameter.name === name)) {
      throw new BitcoinRpcError(CODES.parameter, `Unknown named parameter ${name.slice(0, 100)}`);
    }
    if (values.has(name)) {
      throw new BitcoinRpcError(
        CODES.parameter,
        `Parameter ${name} specified twice both as positional and named argument`,
      );
    }
    values.set(name, value);
  }
  return values;
}

function positionalOf(named: readonly (readonly [string, unknown])[]): readonly unknown[] {
  const found = named.find(([name]) => name === 'args')?.[1];
  return Array.isArray(found) ? found : [];
}

function checkTypes(call: BitcoinCall, values: ReadonlyMap<string, unknown>): void {
  const faults: Record<string, string> = {};
  for (const [index, parameter] of call.parameters.entries()) {
    const value = values.get(parameter.name);
    if (value === undefined && parameter.isRequired) throw new BitcoinRpcError(CODES.misc, usageOf(call));
    const fault = typeFault(parameter, value);
    if (fault !== null) faults[`Position ${index + 1} (${parameter.name})`] = fault;
  }
  if (Object.keys(faults).length > 0) {
    throw new BitcoinRpcError(CODES.type, `Wrong type passed:\n${JSON.stringify(faults, null, 4)}`);
  }
}

function typeFault({ type, isRequired }: Parameter, value: unknown): string | null {
  const expected = JSON_TYPES[type];
  const found = jsonType(value);
  if (expected === null || expected.includes(found) || (!isRequired && found === 'null')) return null;
  return `JSON value of type ${found} is not of expected type ${expected.join(' or ')}`;
}

/**
 * Returns the wallet of a request. Without a name, it is the only wallet that a client created or loaded, or
 * else the default wallet.
 */
function selectWallet(chain: ParentChain, name: string | null): ParentWallet {
  const loaded = chain.state.wallets.filter(({ isLoaded }) => isLoaded);
  if (name !== null) {
    const wallet = loaded.find((candidate) => candidate.name === name);
    if (wallet !== undefined) return wallet;
    throw new BitcoinRpcError(CODES.walletNotFound, 'Requested wallet does not exist or is not loaded');
  }
  const named = loaded.filter((wallet) => wallet.name !== DEFAULT_WALLET);
  const [wallet] = named.length > 0 ? named : loaded;
  if (wallet === undefined) {
    throw new BitcoinRpcError(
      CODES.walletNotFound,
      'No wallet is loaded. Load a wallet using loadwallet or create a new one with createwallet.',
    );
  }
  if (named.length > 1) {
    throw new BitcoinRpcError(
      CODES.walletNotSpecified,
      'Wallet file not specified (must request wallet RPC through /wallet/<filename> uri-path).',
    );
  }
  return wallet;
}

interface DispatchedCall {
  readonly call: BitcoinCall;
  readonly params: readonly unknown[] | object;
  readonly walletName: string | null;
  readonly usages: ReadonlyMap<string, string>;
}

/** Runs a call. Throws {@link BitcoinRpcError} for invalid input. */
export function* dispatch(
  chain: ParentChain,
  { call, params, walletName, usages }: DispatchedCall,
): Steps<unknown> {
  const values = namedArguments(call, params);
  checkTypes(call, values);
  const context: CallContext = {
    chain,
    arguments: new CallArguments(values),
    get wallet() {
      return selectWallet(chain, walletName);
    },
    walletName,
    usages,
  };
  try {
    return 'run' in call ? call.run(context) : yield* call.steps(context);
  } catch (error) {
    if (error instanceof ParentChainError || error instanceof BlockTimeError)
      throw new BitcoinRpcError(CODES.misc, error.message);
    throw error;
  }
}
