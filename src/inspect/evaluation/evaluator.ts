/** Evaluates the syntax of an expression at a moment. */

import { yieldToOthers } from '../../scheduling/cancel-check.ts';
import { checksumFault } from './address-literal.ts';
import { builtinResult } from './builtins.ts';
import { explicitScalar, implicitScalar } from './conversions.ts';
import { type Denoted, denotedText } from './denoted.ts';
import type { EvaluationSite } from './evaluation-site.ts';
import { type BinaryOperator, type Expression, ExpressionError, type TextRange } from './expression.ts';
import { FunctionCalls } from './function-calls.ts';
import { Members } from './members.ts';
import { Names } from './names.ts';
import { binaryResult, commonValue, mobileValue, OperationError, unaryResult } from './operators.ts';
import { parseExpression } from './parser.ts';
import type { FixedVariable } from './scope.ts';
import { ValueParts } from './value-parts.ts';
import { ADDRESS, BOOL, contractType, type ScalarType, scalarType, UINT256 } from './value-types.ts';
import { literal, type NamedValue, scalar, typeLabel, type Value } from './values.ts';

/** Maximum constants whose expressions name each other. */
const MAX_CONSTANT_DEPTH = 16;
/** Maximum items of an array to pass to a function. */
const MAX_ITEMS = 1_000;
const ADDRESS_DIGITS = 40;

function valueDenoted(value: Value): Denoted {
  return { kind: 'value', value };
}

function fail(reason: string): never {
  throw new OperationError(reason);
}

export class Evaluator {
  readonly #site: EvaluationSite;
  readonly #names: Names;
  readonly #functions: FunctionCalls;
  readonly #members: Members;
  readonly parts: ValueParts;
  /** The constants whose expressions are being evaluated. */
  readonly #openConstants: FixedVariable[] = [];

  constructor(site: EvaluationSite) {
    this.#site = site;
    this.#names = new Names(site, (variable) => this.#constant(variable));
    this.parts = new ValueParts(site);
    this.#functions = new FunctionCalls(
      site,
      (value) => this.parts.itemsOf(value, MAX_ITEMS),
      (label) => this.#names.typeOfLabel(label),
    );
    this.#members = new Members(site, this.#names, this.parts, this.#functions);
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
        return this.#members.of(await this.#denoted(expression.object), expression.name);
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
    if (other === null) return chosen;
    const common = commonValue(chosen, mobileValue(other));
    return common ?? fail(`the branches have the types ${typeLabel(chosen)} and ${typeLabel(other)}`);
  }

  async #list(items: readonly Expression[]): Promise<Value> {
    const values: NamedValue[] = [];
    for (const item of items) values.push({ name: '', value: await this.value(item) });
    const [first] = values;
    const label = first === undefined ? '' : typeLabel(mobileValue(first.value));
    return { kind: 'list', label: `${label}[${values.length}]`, isArray: true, items: values };
  }

  async #indexed(value: Value, expression: Expression): Promise<Value> {
    if (value.kind !== 'storage' || value.type.kind !== 'mapping')
      return this.parts.item(value, await this.#index(expression));
    const { places } = this.#site;
    const key = await this.value(expression);
    return places.value(places.entryOf(value.type, value, key));
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
        return valueDenoted(explicitScalar(single(values), contractType(callee.name)));
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
      case 'contractFunction':
        return fail(
          `${callee.contract}.${callee.name} is called like an internal function; call it on an instance of the contract`,
        );
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
