/** The functions of the language: hashes, encodings and modular arithmetic. */

import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { explicitScalar, implicitScalar } from './conversions.ts';
import type { EvaluationSite } from './evaluation-site.ts';
import { mobileValue, OperationError } from './operators.ts';
import { ADDRESS, BYTES32, fixedBytes, sizeOf, UINT256 } from './value-types.ts';
import { scalar, typeLabel, type Value, wordOf } from './values.ts';

const WORD = 32;
const SELECTOR_SIZE = 4;

function fail(reason: string): never {
  throw new OperationError(reason);
}

function numbers(name: string, values: readonly Value[], count: number): readonly bigint[] {
  if (values.length !== count) return fail(`${name} takes ${count} arguments, got ${values.length}`);
  return values.map(
    (value) =>
      (
        implicitScalar(value, UINT256) ??
        fail(`${name} takes values of type uint256, got ${typeLabel(value)}`)
      ).number,
  );
}

function bytesOf(name: string, values: readonly Value[]): Uint8Array {
  const [value, ...rest] = values;
  const isBytes = value?.kind === 'text' || (value?.kind === 'bytes' && !value.isText);
  if (value === undefined || rest.length > 0 || !isBytes)
    return fail(`${name} takes one value of type bytes`);
  return value.bytes;
}

/** Returns the encoding without padding. */
function packed(name: string, value: Value): Uint8Array {
  if (value.kind === 'text' || value.kind === 'bytes') return value.bytes;
  if (value.kind !== 'scalar' || value.type.kind === 'other')
    return fail(`${name} cannot encode ${typeLabel(value)}`);
  const size = sizeOf(value.type);
  return bigIntToFixedBytes(BigInt.asUintN(8 * size, value.number), size);
}

/** Returns `abi.encode` of single values and bytes. */
function encoded(name: string, values: readonly Value[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let tailStart = WORD * values.length;
  for (const given of values) {
    const value = mobileValue(given);
    if (value.kind === 'text' || value.kind === 'bytes') {
      const { length } = value.bytes;
      const body = new Uint8Array(WORD * Math.ceil(length / WORD));
      body.set(value.bytes);
      heads.push(bigIntToFixedBytes(BigInt(tailStart), WORD));
      tails.push(bigIntToFixedBytes(BigInt(length), WORD), body);
      tailStart += WORD + body.length;
    } else if (value.kind === 'scalar' && value.type.kind !== 'other') heads.push(wordOf(value));
    else return fail(`${name} cannot encode ${typeLabel(value)}`);
  }
  return concatBytes(...heads, ...tails);
}

/** Returns the selector that the first argument of an encoding gives. */
function selectorOf(name: string, value: Value | undefined): Uint8Array {
  if (name === 'abi.encodeWithSignature') {
    if (value?.kind === 'text' || (value?.kind === 'bytes' && value.isText))
      return keccak256(value.bytes).subarray(0, SELECTOR_SIZE);
    return fail(`${name} takes a signature first`);
  }
  const selector = value === undefined ? null : implicitScalar(value, fixedBytes(SELECTOR_SIZE));
  if (selector === null) return fail(`${name} takes a value of type bytes4 first`);
  return bigIntToFixedBytes(selector.number, SELECTOR_SIZE);
}

/** Returns the result of a function of the language. Throws {@link OperationError}. */
export function builtinResult(name: string, values: readonly Value[], { moment }: EvaluationSite): Value {
  switch (name) {
    case 'keccak256':
      return scalar(BYTES32, bytesToBigInt(keccak256(bytesOf(name, values))));
    case 'abi.encode':
      return { kind: 'bytes', isText: false, bytes: encoded(name, values) };
    case 'abi.encodeWithSelector':
    case 'abi.encodeWithSignature': {
      const [head, ...rest] = values;
      return {
        kind: 'bytes',
        isText: false,
        bytes: concatBytes(selectorOf(name, head), encoded(name, rest)),
      };
    }
    case 'abi.encodePacked':
      return {
        kind: 'bytes',
        isText: false,
        bytes: concatBytes(...values.map((value) => packed(name, mobileValue(value)))),
      };
    case 'gasleft':
      if (values.length > 0) return fail('gasleft takes no arguments');
      return scalar(UINT256, moment.gas);
    case 'payable': {
      const [value, ...rest] = values;
      if (value === undefined || rest.length > 0) return fail('payable takes one address');
      return explicitScalar(value, { ...ADDRESS, label: 'address payable' });
    }
    case 'addmod':
    case 'mulmod': {
      const [a = 0n, b = 0n, modulus = 0n] = numbers(name, values, 3);
      if (modulus === 0n) return fail('division or modulo by zero');
      return scalar(UINT256, (name === 'addmod' ? a + b : a * b) % modulus);
    }
    default: {
      const near = nearestWord(name, ['abi.encode', 'abi.encodePacked', 'keccak256']);
      return fail(`${name} is not supported${near === undefined ? '' : `; did you mean ${near}?`}`);
    }
  }
}
