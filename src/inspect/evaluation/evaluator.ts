/** Evaluates the syntax of an expression at a moment. */

import { bytesToBigInt, padLeft } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { yieldToOthers } from '../../scheduling/cancel-check.ts';
import { fetchingState } from '../../state/state-source.ts';
import { checksumFault } from './address-literal.ts';
import { builtinResult } from './builtins.ts';
import { explicitScalar, implicitScalar } from './conversions.ts';
import { type Denoted, denotedText } from './denoted.ts';
import type { EvaluationSite } from './evaluation-site.ts';
import type { BinaryOperator, Expression, TextRange } from './expression.ts';
import { ExpressionError } from './expression.ts';
import { FunctionCalls } from './function-calls.ts';
import { GLOBALS, globalMember } from './globals.ts';
import { calldataParts, memoryParts, type Parts } from './machine-places.ts';
import { Names } from './names.ts';
import { binaryResult, commonValues, mobileValue, OperationError, unaryResult } from './operators.ts';
import { parseExpression } from './parser.ts';
import type { FixedVariable } from './scope.ts';
import {
  ADDRESS,
  BOOL,
  BYTES1,
  BYTES32,
  boundsOf,
  type ScalarType,
  scalarType,
  UINT256,
} from './value-types.ts';
import { literal, type NamedValue, type Scalar, scalar, typeLabel, type Value } from './values.ts';

/** Maximum constants whose expressions name each other. */
const MAX_CONSTANT_DEPTH = 16;
/** Maximum items of an array to pass to a function. */
const MAX_ITEMS = 1_000;
const ADDRESS_DIGITS = 40;
const ADDRESS_SIZE = 20;

function valueDenoted(value: Value): Denoted {
  return { kind: 'value', value };
}

function fail(reason: string): never {
  throw new OperationError(reason);
}

function numberedAddress(value: Scalar): Uint8Array {
  return padLeft(fromHex(`0x${value.number.toString(16).padStart(ADDRESS_DIGITS, '0')}`), ADDRESS_SIZE);
}

export class Evaluator {
  readonly #site: EvaluationSite;
  readonly #names: Names;
  readonly #functions: FunctionCalls;
  /** The constants whose expressions are being evaluated. */
  readonly #openConstants: FixedVariable[] = [];

  constructor(site: EvaluationSite) {
    this.#site = site;
    this.#names = new Names(site, (variable) => this.#constant(variable));
    this.#functions = new FunctionCalls(
      site,
      (value) => this.itemsOf(value, MAX_ITEMS),
      (label) => this.#names.typeOfLabel(label),
    );
  }

  /** Resolves to the value of an expression. Rejects with {@link ExpressionError}. */
  async value(expression: Expression): Promise<Value> {
    const denoted = await this.#denoted(expression);
    if (denoted.kind === 'value') return denoted.value;
    throw new ExpressionError(rangeOf(expression), `expected a value, got ${denotedText(denoted)}`);
  }

  async #denoted(expression: Expression): Promise<Denoted> {
    await yieldToOthers(this.#site.checkCancelled);
    try {
      return await this.#evaluated(expression);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      throw new ExpressionError(faultRange(expression), error.message);
    }
  }

  async #evaluated(expression: Expression): Promise<Denoted> {
    switch (expression.kind) {
      case 'number':
        return valueDenoted(numberValue(expression));
      case 'text':
        return valueDenoted({ kind: 'text', bytes: expression.bytes, isHex: expression.isHex });
      case 'boolean':
        return valueDenoted(scalar(BOOL, expression.value ? 1n : 0n));
      case 'name': {
        const isConstant = this.#openConstants.length > 0;
        return isConstant ? this.#names.inConstant(expression.name) : this.#names.denoted(expression.name);
      }
      case 'member':
        return this.#member(await this.#denoted(expression.object), expression.name);
      case 'index':
        return valueDenoted(await this.#indexed(await this.value(expression.object), expression.index));
      case 'slice':
        return valueDenoted(await this.#sliced(expression));
      case 'call':
        return this.#called(expression);
      case 'unary':
        return valueDenoted(unaryResult(expression.operator, await this.value(expression.operand)));
      case 'binary':
        return valueDenoted(await this.#binary(expression.operator, expression.left, expression.right));
      case 'conditional':
        return valueDenoted(await this.#conditional(expression.condition, expression.yes, expression.no));
      case 'list':
        return valueDenoted(await this.#list(expression.items));
    }
  }

  async #binary(operator: BinaryOperator, left: Expression, right: Expression): Promise<Value> {
    if (operator !== '&&' && operator !== '||') {
      const value = await this.value(left);
      return binaryResult(operator, value, await this.value(right));
    }
    const first = await this.#condition(left);
    return scalar(BOOL, (await this.#continued(operator, first, right)) ? 1n : 0n);
  }

  #continued(operator: '&&' | '||', first: boolean, right: Expression): boolean | Promise<boolean> {
    const isDecided = operator === '&&' ? !first : first;
    return isDecided ? first : this.#condition(right);
  }

  async #condition(expression: Expression): Promise<boolean> {
    const value = await this.value(expression);
    if (value.kind === 'scalar' && value.type.kind === 'bool') return value.number !== 0n;
    throw new ExpressionError(rangeOf(expression), `expected a bool, got ${typeLabel(value)}`);
  }

  async #conditional(condition: Expression, yes: Expression, no: Expression): Promise<Value> {
    const isYes = await this.#condition(condition);
    const chosen = mobileValue(await this.value(isYes ? yes : no));
    // The other branch contributes its type, but Solidity does not run it.
    const other = await this.value(isYes ? no : yes).catch((error: unknown) => {
      if (error instanceof ExpressionError) return null;
      throw error;
    });
    return (other === null ? null : commonValues(chosen, mobileValue(other))?.[0]) ?? chosen;
  }

  async #list(items: readonly Expression[]): Promise<Value> {
    const values: NamedValue[] = [];
    for (const item of items) values.push({ name: '', value: await this.value(item) });
    const [first] = values;
    const label = first === undefined ? '' : typeLabel(mobileValue(first.value));
    return { kind: 'list', label: `${label}[${values.length}]`, isArray: true, items: values };
  }

  async #member(object: Denoted, name: string): Promise<Denoted> {
    switch (object.kind) {
      case 'value':
        return this.#memberOfValue(object.value, name);
      case 'global': {
        const { moment, ruleSet, chainId } = this.#site;
        const value = globalMember(object.name, name, moment, ruleSet, chainId);
        return value === null
          ? unknownMember(object.name, name, GLOBALS[object.name] ?? [])
          : valueDenoted(value);
      }
      case 'typeInfo':
        return valueDenoted(memberOfType(object.type, name));
      case 'declaredType':
        return memberOfDeclared(
          object.name,
          object.type.kind === 'value' ? scalarType(object.type) : null,
          name,
        );
      case 'contract':
        return this.#memberOfContract(object, name);
      case 'builtin':
        return { kind: 'builtin', name: `${object.name}.${name}` };
      case 'ownFunction':
      case 'otherFunction': {
        if (name !== 'selector') return fail(`the function ${object.name} has no member ${name}`);
        const on = object.kind === 'otherFunction' ? object.on : null;
        return valueDenoted(await this.#functions.selector(on, object.name));
      }
      default:
        return fail(`${denotedText(object)} has no member ${name}`);
    }
  }

  async #memberOfContract(
    { name: contract, scope }: Denoted & { readonly kind: 'contract' },
    name: string,
  ): Promise<Denoted> {
    if (scope === null) return fail(`the members of contract ${contract} are not known here`);
    const fixed = await this.#names.fixedOf(scope, name);
    if (fixed !== null) return valueDenoted(fixed);
    const type = scope.types.get(name);
    if (type !== undefined) return { kind: 'declaredType', name: `${contract}.${name}`, type };
    if (scope.functions.some((each) => each.name === name))
      return fail(
        `${contract}.${name} is called by its name, like an internal function; only functions of this contract and of other contracts can be called`,
      );
    if (this.#site.scope?.own.includes(scope) === true) {
      const state = await this.#names.stateVariable(name);
      if (state !== null) return valueDenoted(state);
    }
    return unknownMember(contract, name, [...scope.fixed.keys(), ...scope.types.keys()]);
  }

  async #memberOfValue(value: Value, name: string): Promise<Denoted> {
    const part = await this.#namedPart(value, name);
    if (part !== null) return valueDenoted(part);
    if (name === 'length') {
      const length = await this.#lengthOf(value);
      if (length !== null) return valueDenoted(length);
    }
    if (value.kind !== 'scalar' || (value.type.kind !== 'address' && value.type.kind !== 'contract'))
      return unknownMember(typeLabel(value), name, await this.#memberNames(value));
    const isSelf = value.number === bytesToBigInt(this.#site.moment.frame.storageAddress);
    const isVyper = this.#site.contract?.match.artifact.compiler.language === 'Vyper';
    if (isSelf && isVyper) {
      const state = await this.#names.stateVariable(name);
      if (state !== null) return valueDenoted(state);
    }
    const ofAccount = await this.#memberOfAccount(value, name);
    return ofAccount === null ? { kind: 'otherFunction', name, on: value } : valueDenoted(ofAccount);
  }

  async #memberOfAccount(value: Scalar, name: string): Promise<Value | null> {
    if (name !== 'balance' && name !== 'code' && name !== 'codehash') return null;
    const account = await fetchingState(
      () => this.#site.moment.state.account(numberedAddress(value)) ?? null,
    );
    if (name === 'balance') return scalar(UINT256, account?.balance ?? 0n);
    if (name === 'code')
      return { kind: 'bytes', isText: false, bytes: account?.code.bytes ?? new Uint8Array(0) };
    return scalar(BYTES32, account === null ? 0n : bytesToBigInt(account.code.hash));
  }

  async #namedPart(value: Value, name: string): Promise<Value | null> {
    if (value.kind === 'storage') {
      const place = this.#site.places.memberOf(value, name);
      return place === null ? null : this.#site.places.value(place);
    }
    if (value.kind === 'list')
      return value.items.find((item) => !value.isArray && item.name === name)?.value ?? null;
    const parts = this.#partsOf(value);
    const index = parts?.names?.indexOf(name) ?? -1;
    return parts === null || index < 0 ? null : parts.part(BigInt(index));
  }

  async #memberNames(value: Value): Promise<readonly string[]> {
    if (value.kind === 'storage')
      return value.type.kind === 'struct' ? value.type.members.map((member) => member.name) : ['length'];
    if (value.kind === 'list') return value.items.map((item) => item.name);
    return this.#partsOf(value)?.names ?? ['length'];
  }

  #partsOf(value: Value): Parts | null {
    const data = { memory: this.#site.moment.memory, input: this.#site.moment.frame.input };
    if (value.kind === 'memory') return memoryParts(value, data);
    return value.kind === 'calldata' ? calldataParts(value, data) : null;
  }

  /** Resolves to the length; `null` for a value without one. */
  async #lengthOf(value: Value): Promise<Value | null> {
    if (value.kind === 'bytes' && value.isText) return fail('a string has no length; use bytes(…).length');
    if (value.kind === 'bytes') return scalar(UINT256, BigInt(value.bytes.length));
    if (value.kind === 'scalar' && value.type.kind === 'fixedBytes')
      return scalar({ kind: 'integer', label: 'uint8', bits: 8, isSigned: false }, BigInt(value.type.size));
    const count = await this.#countOf(value);
    return count === null ? null : scalar(UINT256, count);
  }

  /** Resolves to the number of items of an array; `null` for other values. */
  async #countOf(value: Value): Promise<bigint | null> {
    if (value.kind === 'list') return value.isArray ? BigInt(value.items.length) : null;
    if (value.kind === 'storage') return this.#site.places.lengthOf(value);
    const parts = this.#partsOf(value);
    return parts === null || parts.names !== null ? null : parts.count;
  }

  /**
   * Resolves to the items of an array or the members of a struct; `null` for other values. Rejects with
   * {@link OperationError} above the maximum.
   */
  async itemsOf(value: Value, most: number): Promise<readonly NamedValue[] | null> {
    const count = await this.#partCount(value);
    if (count === null) return null;
    if (count > BigInt(most)) return fail(`the value has ${count} items; at most ${most} can be used`);
    return (await this.firstItems(value, most)).items;
  }

  /** Resolves to the first items of an array, or the first members of a struct. */
  async firstItems(
    value: Value,
    most: number,
  ): Promise<{ readonly items: readonly NamedValue[]; readonly hasMore: boolean }> {
    const count = (await this.#partCount(value)) ?? 0n;
    const items: NamedValue[] = [];
    for (let index = 0n; index < count && items.length < most; index++)
      items.push(await this.#partAt(value, index));
    return { items, hasMore: count > BigInt(items.length) };
  }

  /** Resolves to the number of items or members; `null` for other values. */
  async #partCount(value: Value): Promise<bigint | null> {
    if (value.kind === 'list') return BigInt(value.items.length);
    if (value.kind === 'storage' && value.type.kind === 'struct') return BigInt(value.type.members.length);
    return this.#partsOf(value)?.count ?? this.#countOf(value);
  }

  async #partAt(value: Value, index: bigint): Promise<NamedValue> {
    const at = Number(index);
    if (value.kind === 'list') return value.items[at] ?? fail(`${typeLabel(value)} has no item ${index}`);
    if (value.kind === 'storage' && value.type.kind === 'struct') {
      const { name } = value.type.members[at] ?? fail(`${typeLabel(value)} has no member ${index}`);
      const part = await this.#namedPart(value, name);
      return { name, value: part ?? fail(`${typeLabel(value)} has no member ${name}`) };
    }
    return { name: this.#partsOf(value)?.names?.[at] ?? '', value: await this.#itemAt(value, index) };
  }

  async #itemAt(value: Value, index: bigint): Promise<Value> {
    if (value.kind === 'storage') return this.#site.places.value(this.#site.places.itemAt(value, index));
    const item =
      value.kind === 'list' ? value.items[Number(index)]?.value : this.#partsOf(value)?.part(index);
    return item ?? fail(`${typeLabel(value)} has no items`);
  }

  async #indexed(value: Value, expression: Expression): Promise<Value> {
    if (value.kind === 'storage' && value.type.kind === 'mapping') {
      const key = await this.value(expression);
      return this.#site.places.value(this.#site.places.entryOf(value.type, value, key));
    }
    const index = await this.#index(expression);
    const isFixed = value.kind === 'scalar' && value.type.kind === 'fixedBytes';
    const count = isFixed
      ? BigInt(value.type.kind === 'fixedBytes' ? value.type.size : 0)
      : value.kind === 'bytes' && !value.isText
        ? BigInt(value.bytes.length)
        : await this.#countOf(value);
    if (count === null) return fail(`${typeLabel(value)} has no items`);
    if (index >= count) return fail(`index ${index} is out of range: the length is ${count}`);
    if (value.kind === 'bytes') return scalar(BYTES1, BigInt(value.bytes[Number(index)] ?? 0));
    if (isFixed) return scalar(BYTES1, (value.number >> (8n * (count - 1n - index))) & 0xffn);
    return this.#itemAt(value, index);
  }

  async #index(expression: Expression): Promise<bigint> {
    const value = await this.value(expression);
    const index = implicitScalar(value, UINT256);
    if (index !== null) return index.number;
    throw new ExpressionError(
      rangeOf(expression),
      `expected an index of type uint256, got ${typeLabel(value)}`,
    );
  }

  async #sliced({ object, from, to }: Expression & { readonly kind: 'slice' }): Promise<Value> {
    const value = await this.value(object);
    if (value.kind !== 'bytes') return fail(`${typeLabel(value)} cannot be sliced`);
    const length = BigInt(value.bytes.length);
    const start = from === null ? 0n : await this.#index(from);
    const end = to === null ? length : await this.#index(to);
    if (start > end || end > length)
      return fail(`the slice from ${start} to ${end} is out of range: the length is ${length}`);
    return { ...value, bytes: value.bytes.subarray(Number(start), Number(end)) };
  }

  async #called(expression: Expression & { readonly kind: 'call' }): Promise<Denoted> {
    const callee = await this.#denoted(expression.callee);
    if (callee.kind === 'builtin' && callee.name === 'type') return this.#typeInfo(expression.arguments);
    const values: Value[] = [];
    for (const argument of expression.arguments) values.push(await this.value(argument));
    switch (callee.kind) {
      case 'scalarType':
        return valueDenoted(explicitScalar(single(values), callee.type));
      case 'bytesType':
        return valueDenoted(bytesConversion(single(values), callee.isText));
      case 'declaredType':
        return valueDenoted(
          convertedTo(
            callee.name,
            callee.type.kind === 'value' ? scalarType(callee.type) : null,
            single(values),
          ),
        );
      case 'contract':
        return valueDenoted(
          explicitScalar(single(values), {
            kind: 'contract',
            label: `contract ${callee.name}`,
            name: callee.name,
          }),
        );
      case 'wrap':
        return valueDenoted(
          scalar(callee.type, explicitScalar(single(values), callee.type.underlying).number),
        );
      case 'unwrap':
        return valueDenoted(
          scalar(callee.type.underlying, explicitScalar(single(values), callee.type).number),
        );
      case 'builtin':
        return valueDenoted(builtinResult(callee.name, values, this.#site));
      case 'ownFunction':
        if (this.#names.isInternal(callee.name))
          return fail(
            `${callee.name} is an internal function; only public and external functions can be called`,
          );
        return valueDenoted(await this.#functions.own(callee.name, values));
      case 'otherFunction':
        return valueDenoted(await this.#functions.other(callee.on, callee.name, values));
      case 'value':
        return fail(
          `${typeLabel(callee.value)} is not a function${isPlace(callee.value) ? '; use [ ] to read an item' : ''}`,
        );
      default:
        return fail(`${denotedText(callee)} cannot be called`);
    }
  }

  async #typeInfo(items: readonly Expression[]): Promise<Denoted> {
    const [item, ...rest] = items;
    if (item === undefined || rest.length > 0) return fail('type takes one type');
    const denoted = await this.#denoted(item);
    if (denoted.kind === 'scalarType') return { kind: 'typeInfo', type: denoted.type };
    if (denoted.kind === 'declaredType' && denoted.type.kind === 'value')
      return { kind: 'typeInfo', type: scalarType(denoted.type) };
    return fail('type takes an integer type or an enum');
  }

  /** Evaluates the expression that a constant is declared with. */
  async #constant(variable: FixedVariable): Promise<Value> {
    const { name, value: range } = variable;
    const { contract } = this.#site;
    if (this.#openConstants.length >= MAX_CONSTANT_DEPTH || this.#openConstants.includes(variable))
      return fail(`${name}: the constant depends on itself`);
    const file = range === null ? null : ((await contract?.file(range.file)) ?? null);
    if (file === null || range === null) return fail(`${name}: the source of the constant is unknown`);
    this.#openConstants.push(variable);
    try {
      const value = await this.value(parseExpression(file.outline.textOf(range.start, range.length)));
      return convertedConstant(value, variable);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return fail(`${name}: the constant cannot be evaluated: ${error.reason}`);
    } finally {
      this.#openConstants.pop();
    }
  }
}

function convertedConstant(value: Value, { name, type, label }: FixedVariable): Value {
  if (type?.kind === 'bytes') return bytesConversion(value, type.isText);
  if (type?.kind === 'value') return explicitScalar(value, scalarType(type));
  return fail(`${name}: a constant of type ${label} cannot be read`);
}

function isPlace(value: Value): boolean {
  return (
    value.kind === 'storage' || value.kind === 'memory' || value.kind === 'calldata' || value.kind === 'list'
  );
}

function single(values: readonly Value[]): Value {
  const [value, ...rest] = values;
  if (value === undefined || rest.length > 0) return fail(`a conversion takes 1 value, got ${values.length}`);
  return value;
}

function bytesConversion(value: Value, isText: boolean): Value {
  if (value.kind === 'text' || value.kind === 'bytes') return { kind: 'bytes', isText, bytes: value.bytes };
  return fail(`cannot convert ${typeLabel(value)} to ${isText ? 'string' : 'bytes'}`);
}

function convertedTo(name: string, type: ScalarType | null, value: Value): Value {
  if (type?.kind === 'enum') return explicitScalar(value, type);
  if (type?.kind === 'named') return fail(`use ${name}.wrap(…) to convert to ${name}`);
  return fail(`values of ${name} cannot be created`);
}

function memberOfDeclared(label: string, type: ScalarType | null, name: string): Denoted {
  if (type?.kind === 'enum') {
    const index = type.names?.indexOf(name) ?? -1;
    return index < 0
      ? unknownMember(label, name, type.names ?? [])
      : valueDenoted(scalar(type, BigInt(index)));
  }
  if (type?.kind === 'named' && (name === 'wrap' || name === 'unwrap')) return { kind: name, type };
  return fail(`the type ${label} has no member ${name}`);
}

function memberOfType(type: ScalarType, name: string): Value {
  if (name === 'min' || name === 'max') {
    if (type.kind === 'integer') return scalar(type, boundsOf(type)[name]);
    if (type.kind === 'enum' && type.names !== null)
      return scalar(type, name === 'min' ? 0n : BigInt(type.names.length - 1));
  }
  return fail(`type(${type.label}) has no member ${name}`);
}

function unknownMember(object: string, name: string, known: readonly string[]): never {
  const near = nearestWord(name, known);
  return fail(`${object} has no member ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
}

function numberValue(expression: Expression & { readonly kind: 'number' }): Value {
  const { numerator, denominator, hexDigits } = expression;
  if (hexDigits?.length !== ADDRESS_DIGITS) return { ...literal(numerator, denominator), hexDigits };
  const fault = checksumFault(hexDigits);
  return fault === null ? scalar(ADDRESS, numerator) : fail(fault);
}

function rangeOf({ start, end }: TextRange): TextRange {
  return { start, end };
}

/** Returns the part of an expression that an error concerns: for a member, its name. */
function faultRange(expression: Expression): TextRange {
  if (expression.kind === 'member') return { start: expression.nameStart, end: expression.end };
  return rangeOf(expression);
}
