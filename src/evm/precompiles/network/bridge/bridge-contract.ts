import type { NetworkUpgrade } from '../../../../protocol/hardforks/network-upgrades.ts';
import { PrecompileError } from '../../errors.ts';
import type { NativeAccount } from '../../native-account.ts';
import type { NativeCall } from '../../native-call.ts';
import type { PrecompileContext } from '../../precompiled-contract.ts';
import type { BridgeAccess } from './bridge-method.ts';
import { argumentsOf, methodOf } from './bridge-methods.ts';
import { BridgeState } from './bridge-state.ts';

/** What a call costs that no method can read, in gas: as much as releasing coins. */
const UNREADABLE_GAS = 23_000n;
/** Gas of each byte of the input, selector included. */
const BYTE_GAS = 2n;

/** An account that nothing is in, for prices that nobody can tell the state for. */
const EMPTY_ACCOUNT: NativeAccount = {
  slot: () => new Uint8Array(32),
  setSlot: () => {},
  send: () => {},
  log: () => {},
};

/** The price of a call of the Bridge with this input, in gas, on a chain with these upgrades. */
export function bridgeGas(
  input: Uint8Array,
  context: PrecompileContext | undefined,
  upgrades: ReadonlySet<NetworkUpgrade>,
): bigint {
  const method = methodOf(input, upgrades);
  if (method === undefined) return UNREADABLE_GAS;
  const state = new BridgeState(context?.call().account ?? EMPTY_ACCOUNT);
  try {
    return method.gas(argumentsOf(input), state) + BYTE_GAS * BigInt(input.length);
  } catch (error) {
    if (error instanceof PrecompileError) return UNREADABLE_GAS;
    throw error;
  }
}

/** What a method refuses to be called by. */
function refusalOf(access: BridgeAccess, { isBorrowed, isStatic, isQuestion }: NativeCall): string | null {
  if (isBorrowed) return 'The Bridge works on its own account only';
  if (isStatic && access === 'writing') return 'The method changes something';
  if (!isQuestion && access === 'question') return 'The method does not answer transactions';
  return null;
}

/** The answer of the Bridge on a chain with these upgrades. Throws a `PrecompileError` where the network's fails. */
export function runBridge(
  input: Uint8Array,
  context: PrecompileContext,
  upgrades: ReadonlySet<NetworkUpgrade>,
): Uint8Array {
  const method = methodOf(input, upgrades);
  if (method === undefined) throw new PrecompileError('The Bridge has no such method');
  const call = context.call();
  const refusal = refusalOf(method.access, call);
  if (refusal !== null) throw new PrecompileError(refusal);
  const { caller, value, isStatic, isBorrowed, isQuestion, transaction, account } = call;
  return method.run(
    {
      caller,
      value,
      isStatic,
      isBorrowed,
      isQuestion,
      transaction,
      account,
      isFromContract: context.depth > 0,
      environment: context.environment,
      state: new BridgeState(account),
    },
    argumentsOf(input),
  );
}
