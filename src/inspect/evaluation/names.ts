/** Resolves the names of an expression, innermost scope first. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { StorageType, StorageVariable } from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { fromHex, isHexData, toHex } from '../../primitives/hex.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { rootsOf } from '../storage/slot-finder.ts';
import type { LiveVariable } from '../variables/frame-variables.ts';
import type { Denoted } from './denoted.ts';
import { type EvaluationSite, functionsNamed } from './evaluation-site.ts';
import { GLOBALS } from './globals.ts';
import { calldataValue, memoryValue } from './machine-places.ts';
import { OperationError } from './operators.ts';
import type { FixedVariable, ScopedContract } from './scope.ts';
import { ADDRESS, contractType, elementaryType, scalarType, UINT256 } from './value-types.ts';
import { scalar, scalarIn, type Value } from './values.ts';

/** Functions of the language. */
export const BUILTINS: readonly string[] = [
  ...['keccak256', 'abi', 'blockhash', 'gasleft', 'addmod', 'mulmod', 'payable', 'type'],
];

/** The value of a variable that an ETHDebug program does not locate. */
const UNKNOWN = 'unknown';

/** Returns why a variable of the running function has no value. */
function unavailable({ contract, moment }: EvaluationSite, name: string): OperationError {
  if (moment.live !== null) return new OperationError(`${name} has no value at this step`);
  const { optimizer, viaIR, version } = contract?.match.artifact.compiler ?? {};
  const reason =
    optimizer === true || viaIR === true
      ? 'optimized'
      : version === null
        ? 'the compiler settings are unknown'
        : 'the build output has no syntax tree';
  return new OperationError(`${name}: <not available: ${reason}>`);
}

const KEYWORDS_BEFORE_NAMES: ReadonlySet<string> = new Set([
  ...['return', 'emit', 'delete', 'new', 'else', 'if', 'while', 'for', 'do', 'revert', 'is', 'throw'],
]);

/** Comments and texts, which declare nothing. */
const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Returns true if the source may declare the name: if a type precedes it. */
export function mayDeclare(source: string, name: string): boolean {
  const escaped = name.replaceAll('$', '\\$');
  const pattern = new RegExp(
    `(?<before>[\\w$\\])]+)\\s+${escaped}(?![\\w$])|\\blet\\b[^\\n:]*[\\s,]${escaped}(?![\\w$])`,
    'g',
  );
  return Array.from(source.replace(COMMENTS, ' ; ').matchAll(pattern)).some(
    ({ groups }) => groups?.before === undefined || !KEYWORDS_BEFORE_NAMES.has(groups.before),
  );
}

function liveValue(
  { variable, item }: LiveVariable,
  { moment, places }: EvaluationSite,
): Value | Promise<Value> {
  const { name, location, type, label, items } = variable;
  const word = BigInt.asUintN(256, moment.stack[item] ?? 0n);
  const data = { memory: moment.memory, input: moment.frame.input };
  if (type === null || (location === 'stack' && type.kind !== 'value'))
    throw new OperationError(`${name}: a value of type ${label} cannot be read`);
  switch (location) {
    case 'stack': {
      if (type.kind !== 'value' || items === 2)
        throw new OperationError(`${name}: a value of type ${label} cannot be read`);
      const bytes = new Uint8Array(32);
      bytes.set(fromHex(`0x${word.toString(16).padStart(64, '0')}`));
      return scalarIn(scalarType(type), bytes);
    }
    case 'storage':
      return places.value({ type, slot: word, offset: 0, isTransient: false });
    case 'memory':
      return memoryValue(type, word, data);
    case 'calldata':
      return calldataValue(type, word, items === 2 ? (moment.stack[item + 1] ?? 0n) : null, data);
  }
}

const INTEGER = /^-?\d+$/;

/** Returns a value of an ETHDebug program; `null` if its form has no type of expressions. */
function programValue({ type, value }: DecodedParameter): Value | null {
  if (typeof value === 'boolean') return scalar(elementaryType('bool') ?? UINT256, value ? 1n : 0n);
  if (typeof value !== 'string' || value.includes('…')) return null;
  if (type === 'string') return { kind: 'bytes', isText: true, bytes: Uint8Array.from(Buffer.from(value)) };
  if (type === 'bytes' && isHexData(value)) return { kind: 'bytes', isText: false, bytes: fromHex(value) };
  const known = type.startsWith('contract ')
    ? contractType(type.slice('contract '.length))
    : elementaryType(type);
  if (known === null) return null;
  if (known.kind === 'integer' && INTEGER.test(value)) return scalar(known, BigInt(value));
  return isHexData(value) ? scalar(known, bytesToBigInt(fromHex(value))) : null;
}

export class Names {
  readonly #site: EvaluationSite;
  readonly #constant: (variable: FixedVariable) => Promise<Value>;

  /** `constant` evaluates the expression that a constant is declared with. */
  constructor(site: EvaluationSite, constant: (variable: FixedVariable) => Promise<Value>) {
    this.#site = site;
    this.#constant = constant;
  }

  /** Resolves to the meaning of the name. Rejects with {@link OperationError} if it has no value. */
  async denoted(name: string): Promise<Denoted> {
    const local = await this.#local(name);
    if (local !== null) return { kind: 'value', value: local };
    return (await this.#declared(name)) ?? (await this.#ofLanguage(name)) ?? (await this.#last(name));
  }

  /** Resolves to a name in the initial expression of a constant, which cannot name variables. */
  async inConstant(name: string): Promise<Denoted> {
    const declared = await this.#fixed(name);
    if (declared !== null) return { kind: 'value', value: declared };
    return this.#type(name) ?? (await this.#ofLanguage(name)) ?? (await this.#last(name));
  }

  async #local(name: string): Promise<Value | null> {
    const { moment, running } = this.#site;
    const declared = running?.declared ?? null;
    const live = moment.live?.findLast(
      ({ variable }) =>
        variable.name === name && (declared === null || isInside(variable.range, declared.range)),
    );
    if (live !== undefined) return liveValue(live, this.#site);
    const inProgram = moment.program?.findLast((each) => each.name === name);
    if (inProgram !== undefined) {
      const value = inProgram.value === UNKNOWN ? null : programValue(inProgram);
      if (value === null) throw unavailable(this.#site, name);
      return value;
    }
    if (running === null) return null;
    // A local variable without a value must not be confused with a state variable of the same name.
    const isDeclared = declared === null ? mayDeclare(running.text, name) : declared.names.has(name);
    if (isDeclared) throw unavailable(this.#site, name);
    return null;
  }

  async #declared(name: string): Promise<Denoted | null> {
    const isVyper = this.#site.contract?.match.artifact.compiler.language === 'Vyper';
    const value = (isVyper ? null : await this.stateVariable(name)) ?? (await this.#fixed(name));
    if (value !== null) return { kind: 'value', value };
    return this.#type(name);
  }

  /** Resolves to the value of a state variable; `null` if there is none of this name. */
  async stateVariable(name: string): Promise<Value | null> {
    const { layout, places } = this.#site;
    if (layout === null) return null;
    const stored = this.#variableNamed(rootsOf(layout), name);
    const found = stored ?? this.#variableNamed(layout.transient, name);
    if (found === null) return null;
    const { type, slot, offset } = found;
    return places.value({ type, slot, offset, isTransient: stored === null });
  }

  #variableNamed(variables: readonly StorageVariable[], name: string): StorageVariable | null {
    const named = variables.filter((each) => each.name === name || each.name.endsWith(`.${name}`));
    if (named.length < 2) return named[0] ?? null;
    const owner = this.#site.running?.owner ?? this.#site.contract?.name;
    const own = named.find((each) => each.name === `${owner}.${name}`);
    if (own !== undefined) return own;
    throw new OperationError(`several state variables are named ${name}`);
  }

  async #fixed(name: string): Promise<Value | null> {
    for (const contract of this.#site.scope?.own ?? []) {
      const value = await this.fixedOf(contract, name);
      if (value !== null) return value;
    }
    return null;
  }

  /** Resolves to a constant or immutable variable of a contract; `null` if it has none of this name. */
  async fixedOf(contract: ScopedContract, name: string): Promise<Value | null> {
    const variable = contract.fixed.get(name);
    if (variable === undefined) return null;
    return variable.kind === 'constant' ? this.#constant(variable) : this.#immutable(variable);
  }

  /** Returns the value in the running code. */
  #immutable({ id, name, type, label }: FixedVariable): Value {
    const { contract, code, moment } = this.#site;
    if (moment.frame.isCreation)
      throw new OperationError(`${name}: an immutable variable has no value while its constructor runs`);
    const hole = contract?.match.artifact.deployed?.holes.find(
      (each) => each.kind === 'immutable' && each.name === String(id),
    );
    if (hole === undefined || type?.kind !== 'value')
      throw new OperationError(
        `${name}: no code reads the immutable variable (${label}), so its value is unknown`,
      );
    return scalarIn(scalarType(type), code.subarray(hole.start, hole.start + hole.length));
  }

  #type(name: string): Denoted | null {
    const { scope } = this.#site;
    for (const contract of scope?.own ?? []) {
      const type = contract.types.get(name);
      if (type !== undefined) return { kind: 'declaredType', name, type };
    }
    const contract = scope?.contracts.get(name);
    return contract === undefined ? null : { kind: 'contract', name, scope: contract };
  }

  async #ofLanguage(name: string): Promise<Denoted | null> {
    const { moment, contract } = this.#site;
    const scalarFound = elementaryType(name);
    if (scalarFound !== null) return { kind: 'scalarType', type: scalarFound };
    if (name === 'bytes' || name === 'string') return { kind: 'bytesType', isText: name === 'string' };
    if (Object.hasOwn(GLOBALS, name)) return { kind: 'global', name };
    const self = bytesToBigInt(moment.frame.storageAddress);
    if (name === 'this') {
      const type = contract === null ? ADDRESS : contractType(contract.name);
      return { kind: 'value', value: scalar(type, self) };
    }
    const isVyper = contract?.match.artifact.compiler.language === 'Vyper';
    if (name === 'self' && isVyper) return { kind: 'value', value: scalar(ADDRESS, self) };
    if (name === 'now')
      return { kind: 'value', value: scalar(UINT256, BigInt(moment.environment.timestamp)) };
    return BUILTINS.includes(name) ? { kind: 'builtin', name } : null;
  }

  async #last(name: string): Promise<Denoted> {
    const { contract, layout, scope, contracts, moment } = this.#site;
    if (this.functionNames().includes(name)) return { kind: 'ownFunction', name, isBare: true };
    if ((await contracts.named(name)).length > 0) return { kind: 'contract', name, scope: null };
    if (contract === null)
      throw new OperationError(
        `unknown name ${name}: no artifact describes the contract at ${toHex(moment.frame.address)}`,
      );
    const near = nearestWord(name, this.#candidates());
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const hasLocals = moment.live !== null || moment.program !== null || scope !== null;
    const missing = hasLocals ? '' : ' (the build output has no syntax tree, so local variables are unknown)';
    if (layout === null)
      throw new OperationError(
        `unknown name ${name}${missing}: the build output has no storage layout of ${contract.name}`,
      );
    throw new OperationError(`unknown name ${name}${missing}${hint}`);
  }

  /** Returns the names of the functions of the contract, also of internal ones. */
  functionNames(): readonly string[] {
    const { contract, scope } = this.#site;
    const abi = contract?.match.artifact.abi ?? [];
    const external = abi.flatMap((entry) => (entry.type === 'function' ? entry.name : []));
    const declared = (scope?.own ?? []).flatMap(({ functions }) => functions.map((each) => each.name));
    return [...new Set([...external, ...declared])].filter((each) => each !== '');
  }

  /** Returns true if the contract declares the function, and no caller outside can call it. */
  isInternal(name: string): boolean {
    const { contract } = this.#site;
    return functionsNamed(contract?.match.artifact.abi ?? [], name).length === 0;
  }

  #candidates(): string[] {
    const { moment, layout, scope } = this.#site;
    return [
      ...(moment.live ?? []).map(({ variable }) => variable.name),
      ...(moment.program ?? []).map((each) => each.name),
      ...(layout === null ? [] : [...rootsOf(layout), ...layout.transient]).map((each) => each.name),
      ...(scope?.own ?? []).flatMap(({ fixed, types }) => [...fixed.keys(), ...types.keys()]),
      ...(scope?.contracts.keys() ?? []),
      ...this.functionNames(),
      ...Object.keys(GLOBALS),
      ...BUILTINS,
      'this',
    ].filter((name) => name !== '');
  }

  /** Returns the type with this label (`enum Color`, `Price`); `null` if the source declares none. */
  typeOfLabel(label: string): StorageType | null {
    const { scope } = this.#site;
    if (scope === null || label === '') return null;
    for (const contract of [...scope.own, ...scope.contracts.values()])
      for (const type of contract.types.values()) if (type.label === label) return type;
    return null;
  }
}

interface Range {
  readonly file: number;
  readonly start: number;
  readonly length: number;
}

function isInside(inner: Range, outer: Range): boolean {
  return (
    inner.file === outer.file &&
    inner.start >= outer.start &&
    inner.start + inner.length <= outer.start + outer.length
  );
}
