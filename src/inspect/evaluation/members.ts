/** Resolves the members of values, types, contracts and global variables. */

import { bytesToBigInt, EMPTY_BYTES, padLeft } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { fetchingState } from '../../state/state-source.ts';
import { type Denoted, denotedText } from './denoted.ts';
import type { EvaluationSite } from './evaluation-site.ts';
import type { FunctionCalls } from './function-calls.ts';
import { GLOBALS, globalMember } from './globals.ts';
import type { Names } from './names.ts';
import { OperationError } from './operators.ts';
import type { ValueParts } from './value-parts.ts';
import { BYTES32, boundsOf, type ScalarType, scalarType, UINT256 } from './value-types.ts';
import { type Scalar, scalar, typeLabel, type Value } from './values.ts';

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

export class Members {
  readonly #site: EvaluationSite;
  readonly #names: Names;
  readonly #parts: ValueParts;
  readonly #functions: FunctionCalls;

  constructor(site: EvaluationSite, names: Names, parts: ValueParts, functions: FunctionCalls) {
    this.#site = site;
    this.#names = names;
    this.#parts = parts;
    this.#functions = functions;
  }

  /** Resolves to a member of a value or a name. Rejects with {@link OperationError}. */
  async of(object: Denoted, name: string): Promise<Denoted> {
    switch (object.kind) {
      case 'value':
        return this.#ofValue(object.value, name);
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
        return this.#ofContract(object, name);
      case 'builtin':
        return { kind: 'builtin', name: `${object.name}.${name}` };
      case 'ownFunction':
      case 'otherFunction':
      case 'contractFunction': {
        if (name !== 'selector') return fail(`the function ${object.name} has no member ${name}`);
        return valueDenoted(await this.#functions.selector(object));
      }
      default:
        return fail(`${denotedText(object)} has no member ${name}`);
    }
  }

  async #ofContract(
    { name: contract, scope }: Denoted & { readonly kind: 'contract' },
    name: string,
  ): Promise<Denoted> {
    if (scope === null) return fail(`the members of contract ${contract} are not known here`);
    const fixed = await this.#names.fixedOf(scope, name);
    if (fixed !== null) return valueDenoted(fixed);
    const type = scope.types.get(name);
    if (type !== undefined) return { kind: 'declaredType', name: `${contract}.${name}`, type };
    if (scope.functions.some((each) => each.name === name))
      return { kind: 'contractFunction', name, contract };
    if (this.#site.scope?.own.includes(scope) === true) {
      const state = await this.#names.stateVariable(name);
      if (state !== null) return valueDenoted(state);
    }
    return unknownMember(contract, name, [...scope.fixed.keys(), ...scope.types.keys()]);
  }

  async #ofValue(value: Value, name: string): Promise<Denoted> {
    const part = await this.#parts.named(value, name);
    if (part !== null) return valueDenoted(part);
    if (name === 'length') {
      const length = await this.#parts.lengthOf(value);
      if (length !== null) return valueDenoted(length);
    }
    if (value.kind !== 'scalar' || (value.type.kind !== 'address' && value.type.kind !== 'contract'))
      return unknownMember(typeLabel(value), name, this.#parts.memberNames(value));
    const isSelf = value.number === bytesToBigInt(this.#site.moment.frame.storageAddress);
    const isVyper = this.#site.contract?.match.artifact.compiler.language === 'Vyper';
    if (isSelf && isVyper && name !== 'balance') {
      const state = await this.#names.stateVariable(name);
      if (state !== null) return valueDenoted(state);
      if (this.#site.layout === null)
        return fail(`${name}: the build output has no storage layout of ${this.#site.contract?.name ?? ''}`);
    }
    const ofAccount = await this.#ofAccount(value, name);
    return ofAccount === null ? { kind: 'otherFunction', name, on: value } : valueDenoted(ofAccount);
  }

  async #ofAccount(value: Scalar, name: string): Promise<Value | null> {
    if (name !== 'balance' && name !== 'code' && name !== 'codehash') return null;
    const account = await fetchingState(
      () => this.#site.moment.state.account(numberedAddress(value)) ?? null,
    );
    if (name === 'balance') return scalar(UINT256, account?.balance ?? 0n);
    if (name === 'code') return { kind: 'bytes', isText: false, bytes: account?.code.bytes ?? EMPTY_BYTES };
    return scalar(BYTES32, account === null ? 0n : bytesToBigInt(account.code.hash));
  }
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
