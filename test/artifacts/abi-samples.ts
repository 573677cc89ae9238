// ABI parameters of random types with values.

import type { AbiParameter } from 'abitype';
import fc from 'fast-check';
import { encodeAbiParameters, getAddress, type Hex, toHex } from 'viem';
import type { DecodedParameter } from '../../src/artifacts/decoding.ts';

/** A parameter with a value for viem and the expected decoded value. */
export interface Sample {
  readonly parameter: AbiParameter;
  readonly value: unknown;
  readonly text: unknown;
}

export const bytesOf = (size: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => toHex(bytes));

function sampleOf(type: string, value: unknown, text: unknown = String(value)): Sample {
  return { parameter: { type, name: 'x' }, value, text };
}

const atoms: fc.Arbitrary<Sample> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => sampleOf('uint256', value)),
  fc.integer({ min: -128, max: 127 }).map((value) => sampleOf('int8', value)),
  fc.boolean().map((value) => sampleOf('bool', value, value)),
  fc.string({ unit: 'grapheme' }).map((value) => sampleOf('string', value)),
  bytesOf(20).map((value) => sampleOf('address', value, getAddress(value))),
  bytesOf(4).map((value) => sampleOf('bytes4', value)),
  fc.uint8Array({ maxLength: 70 }).map((value) => sampleOf('bytes', toHex(value))),
  bytesOf(24).map((value) => ({ ...sampleOf('bytes24', value), parameter: { type: 'function', name: 'x' } })),
);

/** Names in ABIs: missing, duplicate, and properties of `Object.prototype`. */
const names = fc.constantFrom('a', 'a', 'b', '', '__proto__', 'constructor', 'length');

export const samples: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample; list: Sample; struct: Sample }>(
  (tie) => ({
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, atoms, tie('list'), tie('struct')),
    // All items have one type: copies of one sample.
    list: fc
      .tuple(tie('any'), fc.nat(3), fc.boolean())
      .filter(([, count, isFixed]) => count > 0 || !isFixed)
      .map(([item, count, isFixed]) => ({
        parameter: { ...item.parameter, type: `${item.parameter.type}[${isFixed ? count : ''}]` },
        value: new Array(count).fill(item.value),
        text: new Array(count).fill(item.text),
      })),
    struct: fc.array(fc.tuple(names, tie('any')), { minLength: 1, maxLength: 3 }).map((members) => ({
      parameter: {
        type: 'tuple',
        name: 'x',
        components: members.map(([name, { parameter }]) => ({ ...parameter, name })),
      },
      value: members.map(([, { value }]) => value),
      text: members.map(([, { text }]) => text),
    })),
  }),
).any;

/** The parameter with unnamed members, as viem encodes lists of members. */
function positional(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace('function', 'bytes24');
  if (!('components' in parameter)) return { type };
  return { type, components: parameter.components.map(positional) } as AbiParameter;
}

/** The value of a parameter in the form of {@link Sample.text}. */
export function textOf({ value }: DecodedParameter): unknown {
  return Array.isArray(value) ? value.map(textOf) : value;
}

export function encoded(parameters: readonly Sample[]): Hex {
  return encodeAbiParameters(
    parameters.map(({ parameter }) => positional(parameter)),
    parameters.map(({ value }) => value),
  );
}
