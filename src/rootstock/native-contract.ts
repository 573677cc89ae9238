// Native contracts of the network, built from ABI methods.

import {
  type PrecompileContext,
  type PrecompiledFunction,
  PrecompileError,
} from '../evm/precompiles/precompiled-contract.ts';
import { hexKey } from '../primitives/hex.ts';
import { type AbiType, type AbiValue, type AbiValues, abiSelector, decodeAbi, encodeAbi } from './abi.ts';

const SELECTOR_SIZE = 4;

/** A call of a method with its arguments decoded. */
interface MethodCall {
  readonly gas: bigint;
  run(context: PrecompileContext): Uint8Array;
}

/** A function of a native contract. */
export interface NativeMethod {
  /** The first four bytes of a call. */
  readonly selector: Uint8Array;
  /** Decodes a call: its selector and arguments. Throws a `PrecompileError` when the arguments are malformed. */
  read(input: Uint8Array): MethodCall;
}

export interface NativeMethodDefinition<Inputs extends readonly AbiType[], Output extends AbiType> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly output: Output;
  /** Returns the price of a call, in gas. `input` is the whole input, with the selector. */
  gas(values: AbiValues<Inputs>, input: Uint8Array): number;
  /** Returns the result. Throws a `PrecompileError` when the arguments are wrong. */
  run(values: AbiValues<Inputs>, context: PrecompileContext): AbiValue<Output>;
}

/** Returns the method of a definition. */
export function nativeMethod<const Inputs extends readonly AbiType[], const Output extends AbiType>(
  method: NativeMethodDefinition<Inputs, Output>,
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
 * Returns a native contract of the network with exactly these methods. A call that none of them can decode fails and is
 * free. The methods are created when the contract is first called.
 */
export function nativeContract(makeMethods: () => readonly NativeMethod[]): PrecompiledFunction {
  let methods: ReadonlyMap<string, NativeMethod> | undefined;
  const callOf = (input: Uint8Array): MethodCall => {
    methods ??= new Map(makeMethods().map((method) => [hexKey(method.selector), method]));
    const method = methods.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
    if (method === undefined) throw new PrecompileError('it has no method with this selector');
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
