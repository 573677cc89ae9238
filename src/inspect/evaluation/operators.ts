/** Operators on values, by Solidity's rules since 0.8: checked arithmetic on the common type of the operands. */

import { bytesToBigInt } from '../../primitives/bytes.ts';
import type { BinaryOperator, UnaryOperator } from './expression.ts';
import { reduced } from './fractions.ts';
import {
  BOOL,
  boundsOf,
  INT256,
  type IntegerType,
  integer,
  isSameType,
  type ScalarType,
  UINT256,
  wrapped,
} from './value-types.ts';
import {
  type LiteralNumber,
  type LiteralText,
  literal,
  type Scalar,
  scalar,
  typeLabel,
  type Value,
} from './values.ts';

/** Thrown if an operation has no result. The evaluator adds the place. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

/** Maximum bits of a number literal, as in Solidity. */
const MAX_LITERAL_BITS = 4_096;
const MAX_LITERAL = 2n ** BigInt(MAX_LITERAL_BITS);

function fail(reason: string): never {
  throw new OperationError(reason);
}

function mismatch(operator: string, left: Value, right: Value): never {
  return fail(`operator ${operator} cannot be applied to ${typeLabel(left)} and ${typeLabel(right)}`);
}

function bounded(value: LiteralNumber): LiteralNumber {
  const { numerator, denominator } = value;
  const magnitude = numerator < 0n ? -numerator : numerator;
  if (magnitude >= MAX_LITERAL || denominator >= MAX_LITERAL)
    fail(`a number literal has at most ${MAX_LITERAL_BITS} bits`);
  return value;
}

function fraction(numerator: bigint, denominator: bigint): LiteralNumber {
  const value = reduced(numerator, denominator);
  return bounded(literal(value.numerator, value.denominator));
}

/** Returns the smallest integer type of a literal; `null` for a fraction, and above 256 bits. */
export function mobileType({ numerator, denominator }: LiteralNumber): IntegerType | null {
  if (denominator !== 1n) return null;
  const isNegative = numerator < 0n;
  const magnitude = isNegative ? -numerator - 1n : numerator;
  const digits = magnitude === 0n ? 1 : magnitude.toString(2).length;
  const bits = 8 * Math.ceil((digits + (isNegative ? 1 : 0)) / 8);
  return bits > 256 ? null : integer(bits, isNegative);
}

/** Returns true if the first integer type converts implicitly to the second. */
export function isWithin(from: IntegerType, to: IntegerType): boolean {
  return from.isSigned === to.isSigned && from.bits <= to.bits;
}

/** Returns true if the literal is a value of the type. */
export function isInRange({ numerator, denominator }: LiteralNumber, type: IntegerType): boolean {
  const { min, max } = boundsOf(type);
  return denominator === 1n && numerator >= min && numerator <= max;
}

/** Returns the literal as a number of `bytesN`; `null` if it does not convert implicitly. */
export function literalAsBytes({ numerator, hexDigits }: LiteralNumber, size: number): bigint | null {
  if (numerator === 0n) return 0n;
  return hexDigits?.length === 2 * size ? numerator : null;
}

/** Returns the bytes of a text as a left-aligned number of `bytesN`; `null` if they do not fit. */
export function textAsBytes({ bytes }: Pick<LiteralText, 'bytes'>, size: number): bigint | null {
  if (bytes.length > size) return null;
  return bytesToBigInt(bytes) << BigInt(8 * (size - bytes.length));
}

type Pair = readonly [left: Scalar, right: Scalar];

/** Converts both operands to their common type; `null` if they have none. */
function commonPair(left: Value, right: Value): Pair | null {
  if (left.kind === 'number' && right.kind === 'scalar') {
    const pair = withLiteral(right, left);
    return pair === null ? null : [pair[1], pair[0]];
  }
  if (left.kind === 'scalar' && right.kind === 'number') return withLiteral(left, right);
  if (left.kind === 'text' && right.kind === 'scalar') {
    const text = withText(right.type, left);
    return text === null ? null : [text, right];
  }
  if (left.kind === 'scalar' && right.kind === 'text') {
    const text = withText(left.type, right);
    return text === null ? null : [left, text];
  }
  if (left.kind !== 'scalar' || right.kind !== 'scalar') return null;
  const type = commonType(left.type, right.type);
  return type === null ? null : [converted(left, type), converted(right, type)];
}

/** Returns a text in the type of the other operand; `null` if it does not convert. */
function withText(type: ScalarType, text: LiteralText): Scalar | null {
  const bytes = type.kind === 'fixedBytes' ? textAsBytes(text, type.size) : null;
  return bytes === null ? null : scalar(type, bytes);
}

/** Returns the typed operand and the literal in their common type. */
function withLiteral(typed: Scalar, number: LiteralNumber): Pair | null {
  const { type } = typed;
  if (type.kind === 'fixedBytes') {
    const bytes = literalAsBytes(number, type.size);
    return bytes === null ? null : [typed, scalar(type, bytes)];
  }
  if (type.kind !== 'integer') return null;
  if (isInRange(number, type)) return [typed, scalar(type, number.numerator)];
  const mobile = mobileType(number);
  if (mobile === null || !isWithin(type, mobile)) return null;
  return [scalar(mobile, typed.number), scalar(mobile, number.numerator)];
}

/** Returns a literal in its smallest type. A fraction has none and is returned unchanged. */
export function mobileValue(value: Value): Value {
  const type = value.kind === 'number' ? mobileType(value) : null;
  return type === null || value.kind !== 'number' ? value : scalar(type, value.numerator);
}

/** Returns a value in its common type with another value; `null` if they have none. */
export function commonValue(value: Value, other: Value): Value | null {
  if (value.kind === 'scalar' && other.kind === 'scalar') return commonPair(value, other)?.[0] ?? null;
  // The types of the parts are not compared.
  return value.kind === 'scalar' || other.kind === 'scalar' ? null : value;
}

function commonType(left: ScalarType, right: ScalarType): ScalarType | null {
  if (isSameType(left, right)) return left;
  if (left.kind === 'integer' && right.kind === 'integer') {
    if (isWithin(right, left)) return left;
    return isWithin(left, right) ? right : null;
  }
  if (left.kind === 'fixedBytes' && right.kind === 'fixedBytes') return left.size > right.size ? left : right;
  return null;
}

function converted(value: Scalar, type: ScalarType): Scalar {
  if (value.type.kind === 'fixedBytes' && type.kind === 'fixedBytes')
    return scalar(type, value.number << BigInt(8 * (type.size - value.type.size)));
  return scalar(type, value.number);
}

function checked(type: IntegerType, number: bigint, operator: string): Scalar {
  const { min, max } = boundsOf(type);
  if (number > max) fail(`overflow: the result of ${operator} is above the maximum of ${type.label}`);
  if (number < min) fail(`underflow: the result of ${operator} is below the minimum of ${type.label}`);
  return scalar(type, number);
}

function notZero(divisor: bigint): void {
  if (divisor === 0n) fail('division or modulo by zero');
}

function arithmetic(operator: '+' | '-' | '*' | '/' | '%', type: IntegerType, [left, right]: Pair): Scalar {
  const [a, b] = [left.number, right.number];
  switch (operator) {
    case '+':
      return checked(type, a + b, operator);
    case '-':
      return checked(type, a - b, operator);
    case '*':
      return checked(type, a * b, operator);
    case '/':
      notZero(b);
      return checked(type, a / b, operator);
    case '%':
      notZero(b);
      return scalar(type, a % b);
  }
}

function bitwise(operator: '&' | '|' | '^', left: bigint, right: bigint): bigint {
  if (operator === '&') return left & right;
  return operator === '|' ? left | right : left ^ right;
}

function compared(operator: '<' | '>' | '<=' | '>=' | '==' | '!=', left: bigint, right: bigint): Scalar {
  const results = {
    '<': left < right,
    '>': left > right,
    '<=': left <= right,
    '>=': left >= right,
    '==': left === right,
    '!=': left !== right,
  };
  return scalar(BOOL, results[operator] ? 1n : 0n);
}

/** Operators on two number literals, whose result is exact. */
function onLiterals(operator: BinaryOperator, left: LiteralNumber, right: LiteralNumber): Value {
  const [a, b] = [left.numerator * right.denominator, right.numerator * left.denominator];
  const denominator = left.denominator * right.denominator;
  switch (operator) {
    case '+':
      return fraction(a + b, denominator);
    case '-':
      return fraction(a - b, denominator);
    case '*':
      return fraction(left.numerator * right.numerator, denominator);
    case '/':
      notZero(b);
      return fraction(a, b);
    case '%':
      notZero(b);
      return fraction(a % b, denominator);
    case '**':
      return literalPower(left, right);
    case '<':
    case '>':
    case '<=':
    case '>=':
    case '==':
    case '!=':
      return compared(operator, a, b);
    default:
      return onWholeLiterals(operator, left, right);
  }
}

function onWholeLiterals(operator: BinaryOperator, left: LiteralNumber, right: LiteralNumber): Value {
  if (left.denominator !== 1n || right.denominator !== 1n) return mismatch(operator, left, right);
  const [a, b] = [left.numerator, right.numerator];
  switch (operator) {
    case '&':
    case '|':
    case '^':
      return literal(bitwise(operator, a, b));
    case '<<':
      if (b < 0n || (a !== 0n && b >= BigInt(MAX_LITERAL_BITS))) return mismatch(operator, left, right);
      if (a === 0n) return left;
      return bounded(literal(a << b));
    case '>>':
      if (b < 0n) return mismatch(operator, left, right);
      // A literal has no more bits than that.
      return literal(a >> (b > BigInt(MAX_LITERAL_BITS) ? BigInt(MAX_LITERAL_BITS) : b));
    default:
      return mismatch(operator, left, right);
  }
}

function literalPower(base: LiteralNumber, power: LiteralNumber): LiteralNumber {
  const { numerator, denominator } = base;
  const exponent = power.numerator < 0n ? -power.numerator : power.numerator;
  if (power.denominator !== 1n) return mismatch('**', base, power);
  const isSmall = numerator >= -1n && numerator <= 1n && denominator === 1n;
  if (exponent > BigInt(MAX_LITERAL_BITS) && !isSmall)
    fail(`a number literal has at most ${MAX_LITERAL_BITS} bits`);
  // The power of -1, 0 or 1 only depends on the parity.
  const times = isSmall && exponent > 2n ? 2n - (exponent & 1n) : exponent;
  // As in solc, each power of zero except the zeroth is zero.
  if (numerator === 0n) return literal(exponent === 0n ? 1n : 0n);
  const [above, below] = [numerator ** times, denominator ** times];
  return power.numerator < 0n ? fraction(below, above) : fraction(above, below);
}

/** Returns the amount of a shift or the exponent of a power, which must be unsigned. */
function unsignedAmount(operator: string, left: Value, right: Value): bigint {
  if (right.kind === 'number' && right.denominator === 1n && right.numerator >= 0n) {
    if (isInRange(right, UINT256)) return right.numerator;
  } else if (right.kind === 'scalar' && right.type.kind === 'integer' && !right.type.isSigned)
    return right.number;
  return mismatch(operator, left, right);
}

/** Returns the left operand of a shift or power. A literal with a typed amount has 256 bits. */
function shiftedOperand(operator: string, left: Value, right: Value): Scalar {
  if (left.kind === 'scalar') return left;
  if (left.kind !== 'number') return mismatch(operator, left, right);
  const type = left.numerator < 0n ? INT256 : UINT256;
  return isInRange(left, type) ? scalar(type, left.numerator) : mismatch(operator, left, right);
}

function shift(operator: '<<' | '>>', left: Value, right: Value): Scalar {
  const operand = shiftedOperand(operator, left, right);
  const amount = unsignedAmount(operator, left, right);
  const { type, number } = operand;
  const places = amount > 256n ? 256n : amount;
  const moved = operator === '<<' ? number << places : number >> places;
  if (type.kind === 'integer') return scalar(type, wrapped(type, moved));
  if (type.kind === 'fixedBytes') return scalar(type, BigInt.asUintN(8 * type.size, moved));
  return mismatch(operator, left, right);
}

function power(left: Value, right: Value): Scalar {
  const { type, number } = shiftedOperand('**', left, right);
  const exponent = unsignedAmount('**', left, right);
  if (type.kind !== 'integer') return mismatch('**', left, right);
  if (number >= -1n && number <= 1n)
    return scalar(type, exponent === 0n ? 1n : number === -1n && exponent % 2n === 0n ? 1n : number);
  // Any other base exceeds each type with this exponent.
  return checked(type, number ** (exponent > 257n ? 257n : exponent), '**');
}

const ORDERED: ReadonlySet<ScalarType['kind']> = new Set(['integer', 'fixedBytes', 'address', 'enum']);
const EQUATED: ReadonlySet<ScalarType['kind']> = new Set([...ORDERED, 'bool', 'contract']);

/** Returns the result of an operator. `&&` and `||` are left to the evaluator. Throws {@link OperationError}. */
export function binaryResult(operator: BinaryOperator, left: Value, right: Value): Value {
  if (left.kind === 'number' && right.kind === 'number') return onLiterals(operator, left, right);
  if (operator === '<<' || operator === '>>') return shift(operator, left, right);
  if (operator === '**') return power(left, right);
  const pair = commonPair(left, right);
  if (pair === null) return mismatch(operator, left, right);
  const { type } = pair[0];
  const [a, b] = [pair[0].number, pair[1].number];
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return type.kind === 'integer' ? arithmetic(operator, type, pair) : mismatch(operator, left, right);
    case '&':
    case '|':
    case '^':
      if (type.kind === 'integer') return scalar(type, wrapped(type, bitwise(operator, a, b)));
      return type.kind === 'fixedBytes'
        ? scalar(type, bitwise(operator, a, b))
        : mismatch(operator, left, right);
    case '==':
    case '!=':
      return EQUATED.has(type.kind) ? compared(operator, a, b) : mismatch(operator, left, right);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return ORDERED.has(type.kind) ? compared(operator, a, b) : mismatch(operator, left, right);
    default:
      return mismatch(operator, left, right);
  }
}

/** Returns the result of an operator. Throws {@link OperationError}. */
export function unaryResult(operator: UnaryOperator, operand: Value): Value {
  if (operand.kind === 'number' && operator === '-') return literal(-operand.numerator, operand.denominator);
  if (operand.kind === 'number' && operator === '~' && operand.denominator === 1n)
    return literal(-operand.numerator - 1n);
  if (operand.kind === 'scalar') {
    const { type, number } = operand;
    if (operator === '!' && type.kind === 'bool') return scalar(type, 1n - number);
    if (operator === '-' && type.kind === 'integer' && type.isSigned) return checked(type, -number, operator);
    if (operator === '~' && type.kind === 'integer') return scalar(type, wrapped(type, ~number));
    if (operator === '~' && type.kind === 'fixedBytes')
      return scalar(type, BigInt.asUintN(8 * type.size, ~number));
  }
  return fail(`operator ${operator} cannot be applied to ${typeLabel(operand)}`);
}
