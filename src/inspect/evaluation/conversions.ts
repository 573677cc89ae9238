/** Type conversions of Solidity: implicit ones for operands and arguments, explicit ones as `uint8(x)`. */

import { isInRange, isWithin, literalAsBytes, mobileType, OperationError, textAsBytes } from './operators.ts';
import { type IntegerType, isSameType, type ScalarType, wrapped } from './value-types.ts';
import { type LiteralNumber, type Scalar, scalar, typeLabel, type Value } from './values.ts';

const ADDRESS_BITS = 160;
const ADDRESS_SIZE = 20;

/** Converts a value to a type without a change of its meaning; `null` if the types do not allow it. */
export function implicitScalar(value: Value, type: ScalarType): Scalar | null {
  switch (value.kind) {
    case 'number':
      return literalScalar(value, type);
    case 'text': {
      const bytes = type.kind === 'fixedBytes' ? textAsBytes(value, type.size) : null;
      return bytes === null ? null : scalar(type, bytes);
    }
    case 'scalar':
      return implicitlyTyped(value, type);
    default:
      return null;
  }
}

function literalScalar(value: LiteralNumber, type: ScalarType): Scalar | null {
  if (type.kind === 'integer' && isInRange(value, type)) return scalar(type, value.numerator);
  const bytes = type.kind === 'fixedBytes' ? literalAsBytes(value, type.size) : null;
  return bytes === null ? null : scalar(type, bytes);
}

function implicitlyTyped(value: Scalar, type: ScalarType): Scalar | null {
  const { type: from, number } = value;
  if (isSameType(from, type)) return scalar(type, number);
  if (from.kind === 'integer' && type.kind === 'integer')
    return isWithin(from, type) ? scalar(type, number) : null;
  if (from.kind === 'fixedBytes' && type.kind === 'fixedBytes' && from.size < type.size)
    return scalar(type, number << BigInt(8 * (type.size - from.size)));
  // The inheritance of contracts is not checked: the address stays the same.
  const isAddress = type.kind === 'address' || type.kind === 'contract';
  return from.kind === 'contract' && isAddress ? scalar(type, number) : null;
}

function inRangeOfEnum(number: bigint, names: readonly string[] | null, label: string): void {
  if (number < 0n || (names !== null && number >= BigInt(names.length)))
    throw new OperationError(`${number} is out of range of ${label}`);
}

/** Converts a value as `uint8(x)` does. Throws {@link OperationError} if Solidity does not allow it. */
export function explicitScalar(value: Value, type: ScalarType): Scalar {
  const converted = implicitScalar(value, type) ?? explicitlyTyped(value, type);
  if (converted === null) throw new OperationError(`cannot convert ${typeLabel(value)} to ${type.label}`);
  return converted;
}

function explicitlyTyped(value: Value, type: ScalarType): Scalar | null {
  if (value.kind === 'number') return explicitLiteral(value, type);
  // A longer value is cut, a shorter one is padded.
  if (value.kind === 'bytes' && type.kind === 'fixedBytes' && !value.isText) {
    const number = textAsBytes({ bytes: value.bytes.subarray(0, type.size) }, type.size);
    return number === null ? null : scalar(type, number);
  }
  if (value.kind !== 'scalar') return null;
  switch (value.type.kind) {
    case 'integer':
      return fromInteger(value.number, value.type, type);
    case 'fixedBytes':
      return fromBytes(value.number, value.type.size, type);
    case 'address':
    case 'contract':
      return fromAddress(value.number, type);
    case 'enum':
      return type.kind === 'integer' ? scalar(type, wrapped(type, value.number)) : null;
    default:
      return null;
  }
}

function explicitLiteral(value: LiteralNumber, type: ScalarType): Scalar | null {
  const { numerator } = value;
  if (type.kind === 'enum' && mobileType(value) !== null) {
    inRangeOfEnum(numerator, type.names, type.label);
    return scalar(type, numerator);
  }
  const mobile = mobileType(value);
  const isAddress = mobile !== null && !mobile.isSigned && mobile.bits <= ADDRESS_BITS;
  return type.kind === 'address' && isAddress ? scalar(type, numerator) : null;
}

function fromInteger(number: bigint, from: IntegerType, type: ScalarType): Scalar | null {
  switch (type.kind) {
    case 'integer':
      return scalar(type, wrapped(type, number));
    case 'fixedBytes':
      return from.bits === 8 * type.size ? scalar(type, BigInt.asUintN(from.bits, number)) : null;
    case 'address':
      return from.bits === ADDRESS_BITS && !from.isSigned ? scalar(type, number) : null;
    case 'enum':
      inRangeOfEnum(number, type.names, type.label);
      return scalar(type, number);
    default:
      return null;
  }
}

function fromBytes(number: bigint, size: number, type: ScalarType): Scalar | null {
  switch (type.kind) {
    case 'integer':
      return type.bits === 8 * size ? scalar(type, wrapped(type, number)) : null;
    case 'fixedBytes':
      return scalar(type, number >> BigInt(8 * (size - type.size)));
    case 'address':
      return size === ADDRESS_SIZE ? scalar(type, number) : null;
    default:
      return null;
  }
}

function fromAddress(number: bigint, type: ScalarType): Scalar | null {
  switch (type.kind) {
    case 'address':
    case 'contract':
      return scalar(type, number);
    case 'integer':
      return type.bits >= ADDRESS_BITS && !type.isSigned ? scalar(type, number) : null;
    case 'fixedBytes':
      return type.size === ADDRESS_SIZE ? scalar(type, number) : null;
    default:
      return null;
  }
}
