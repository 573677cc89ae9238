// Precompiles of Rootstock, built from ABI methods.

import {
  type PrecompileContext,
  type PrecompiledFunction,
  PrecompileError,
} from '../evm/precompiles/precompiled-contract.ts';
import { hexKey } from '../primitives/hex.ts';
import { type AbiType, type AbiValue, type AbiValues, abiSelector, decodeAbi, encodeAbi } from './abi.ts';

const SELECTOR_SIZE = 4;

/** A method call with decoded arguments. */
interface MethodCall {
  readonly gas: bigint;
  run(context: PrecompileContext): Uint8Array;
}

/** A method of a Rootstock precompile. */
export interface PrecompileMethod {
  /** 4 bytes. */
  readonly selector: Uint8Array;
  /** Decodes a call (selector and arguments). Throws `PrecompileError` if the arguments are malformed. */
  read(input: Uint8Array): MethodCall;
}

export interface PrecompileMethodDefinition<Inputs extends readonly AbiType[], Output extends AbiType> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly output: Output;
  /** Returns the price of a call in gas. `input` is the whole calldata, including the selector. */
  gas(values: AbiValues<Inputs>, input: Uint8Array): number;
  /** Throws `PrecompileError` if the arguments are invalid. */
  run(values: AbiValues<Inputs>, context: PrecompileContext): AbiValue<Output>;
}

export function precompileMethod<const Inputs extends readonly AbiType[], const Output extends AbiType>(
  method: PrecompileMethodDefinition<Inputs, Output>,
): PrecompileMethod {
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
 * Creates a Rootstock precompile with exactly these methods. A call that no method can decode fails and is
 * free. The methods are created on the first call.
 */
export function rootstockPrecompile(makeMethods: () => readonly PrecompileMethod[]): PrecompiledFunction {
  let methods: ReadonlyMap<string, PrecompileMethod> | undefined;
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
