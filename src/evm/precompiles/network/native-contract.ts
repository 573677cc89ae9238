import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { hexKey } from '../../../primitives/hex.ts';
import type { Overlay } from '../../../state/overlay.ts';
import { MissingStateError } from '../../../state/state-source.ts';
import { PrecompileError } from '../input.ts';
import type { PrecompileContext, PrecompiledFunction } from '../precompiled-contract.ts';
import { type AbiType, type AbiValue, type AbiValues, abiSelector, decodeAbi, encodeAbi } from './abi.ts';

const SELECTOR_SIZE = 4;

/** A call of a method whose arguments have been read. */
interface MethodCall {
  readonly gas: bigint;
  run(context: PrecompileContext): Uint8Array;
}

/** A function of a native contract, as contracts call it. */
export interface NativeMethod {
  /** The first four bytes of a call. */
  readonly selector: Uint8Array;
  /** Reads a call: its selector and what follows. Throws a `PrecompileError` when the arguments cannot be read. */
  read(input: Uint8Array): MethodCall;
}

/** What a method is made of. */
export interface MethodDefinition<Inputs extends readonly AbiType[], Output extends AbiType> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly output: Output;
  /** What a call costs, in gas. `input` is all of it, with the selector. */
  gas(values: AbiValues<Inputs>, input: Uint8Array): number;
  /** Returns the result. Throws a `PrecompileError` when the arguments are wrong. */
  run(values: AbiValues<Inputs>, context: PrecompileContext): AbiValue<Output>;
}

/** Returns a method of those parts. */
export function nativeMethod<const Inputs extends readonly AbiType[], const Output extends AbiType>(
  method: MethodDefinition<Inputs, Output>,
): NativeMethod {
  const { name, inputs, output } = method;
  return {
    selector: abiSelector(name, inputs),
    read(input) {
      const values = decodeAbi(inputs, input.subarray(SELECTOR_SIZE));
      return {
        gas: BigInt(method.gas(values, input)),
        run: (context) => encodeAbi([output], [method.run(values, context)]),
      };
    },
  };
}

/**
 * Returns a contract of the network that has these methods and nothing else. A call that none of them can read fails
 * and is free. The methods are made when the contract is first called.
 */
export function nativeContract(makeMethods: () => readonly NativeMethod[]): PrecompiledFunction {
  let methods: ReadonlyMap<string, NativeMethod> | undefined;
  const callOf = (input: Uint8Array): MethodCall => {
    methods ??= new Map(makeMethods().map((method) => [hexKey(method.selector), method]));
    const method = methods.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
    if (method === undefined) throw new PrecompileError('The contract has no such function');
    return method.read(input);
  };
  return {
    isReady: true,
    load: async () => {},
    gas(input) {
      try {
        return callOf(input).gas;
      } catch (error) {
        if (error instanceof PrecompileError) return 0n;
        throw error;
      }
    },
    run: (input, context) => callOf(input).run(context),
  };
}

/**
 * Returns a slot of what a contract of the network keeps, without leading zeros. What it kept on another chain, where
 * this one began as a fork, counts as nothing: other nodes keep it in another form.
 */
export function ownStorageAt(state: Overlay, address: Uint8Array, slot: Uint8Array): Uint8Array {
  try {
    return state.storageAt(address, slot);
  } catch (error) {
    if (error instanceof MissingStateError) return EMPTY_BYTES;
    throw error;
  }
}
