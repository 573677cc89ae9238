/** Calls of functions in an expression: finds the function by its ABI, and converts arguments and results. */

import type { AbiFunction } from 'abitype';
import { signatureOf } from '../../artifacts/decoding.ts';
import { bytesToBigInt, concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { fetchingState } from '../../state/state-source.ts';
import { decodedResults, encodedArguments, type ItemsOf, type TypeOfLabel } from './abi-values.ts';
import type { Denoted } from './denoted.ts';
import { type CallableContract, type EvaluationSite, functionsNamed } from './evaluation-site.ts';
import { OperationError } from './operators.ts';
import { fixedBytes } from './value-types.ts';
import { type Scalar, scalar, typeLabel, type Value } from './values.ts';

const SELECTOR_SIZE = 4;
const ADDRESS_DIGITS = 40;

/** A function that an expression names. */
type NamedFunction = Denoted & { readonly kind: 'ownFunction' | 'otherFunction' | 'contractFunction' };

/** A function with the encoded arguments of a call. */
interface PreparedCall {
  readonly entry: AbiFunction;
  readonly data: Uint8Array;
}

function fail(reason: string): never {
  throw new OperationError(reason);
}

function addressOf({ number }: Scalar): Uint8Array {
  return fromHex(`0x${number.toString(16).padStart(ADDRESS_DIGITS, '0')}`);
}

function selectorOf(signature: string): Uint8Array {
  return keccak256(Buffer.from(signature)).subarray(0, SELECTOR_SIZE);
}

/** Returns the functions of this name by signature. */
function declaredIn(callable: readonly CallableContract[], name: string): ReadonlyMap<string, AbiFunction> {
  const bySignature = new Map<string, AbiFunction>();
  for (const { abi } of callable)
    for (const entry of functionsNamed(abi, name)) {
      const signature = signatureOf(entry);
      if (!bySignature.has(signature)) bySignature.set(signature, entry);
    }
  return bySignature;
}

export class FunctionCalls {
  readonly #site: EvaluationSite;
  readonly #itemsOf: ItemsOf;
  readonly #typeOf: TypeOfLabel;

  constructor(site: EvaluationSite, itemsOf: ItemsOf, typeOf: TypeOfLabel) {
    this.#site = site;
    this.#itemsOf = itemsOf;
    this.#typeOf = typeOf;
  }

  /** Calls a function of the running contract as its own code does: `msg.sender` stays the same. */
  async own(name: string, values: readonly Value[]): Promise<Value> {
    const { contract, moment, code } = this.#site;
    if (contract === null) return fail(`no artifact describes the contract of ${name}`);
    const { frame } = moment;
    if (frame.isCreation) return fail(`${name} cannot be called while the constructor of the contract runs`);
    if (contract.isLibrary) return fail(`functions of a library cannot be called`);
    const callable = { name: contract.name, abi: contract.match.artifact.abi };
    const isOnOwnStorage = equalBytes(frame.address, frame.storageAddress);
    return this.#call(name, values, [callable], {
      sender: frame.sender,
      to: frame.storageAddress,
      // A delegate call runs this code on the storage of another contract.
      code: isOnOwnStorage ? null : code,
    });
  }

  /** Calls a function of the contract at an address, from the running contract. */
  async other(on: Scalar, name: string, values: readonly Value[]): Promise<Value> {
    const { moment } = this.#site;
    const to = addressOf(on);
    const callable = await this.#contractsOf(on, name);
    const account = await fetchingState(() => moment.state.account(to) ?? null);
    if (account === null || account.code.bytes.length === 0) {
      const isOwn = moment.frame.isCreation && equalBytes(to, moment.frame.address);
      return fail(
        isOwn
          ? `${name} cannot be called while the constructor of the contract runs`
          : `there is no contract at ${toHex(to)}`,
      );
    }
    return this.#call(name, values, callable, { sender: moment.frame.storageAddress, to, code: null });
  }

  /** Resolves to the contracts that declare the function: the type of the object, or the code at its address. */
  async #contractsOf(on: Scalar, name: string): Promise<readonly CallableContract[]> {
    const { contracts } = this.#site;
    const declared = on.type.kind === 'contract' ? await contracts.named(on.type.name) : [];
    const hasFunction = declared.some(({ abi }) => functionsNamed(abi, name).length > 0);
    return hasFunction ? declared : [...declared, ...(await contracts.at(addressOf(on)))];
  }

  /** Resolves to the selector of a function. */
  async selector(denoted: NamedFunction): Promise<Value> {
    const { name } = denoted;
    const signatures = [...declaredIn(await this.#declaring(denoted), name).keys()];
    const [signature, ...others] = signatures;
    if (signature === undefined) return fail(`unknown function ${name}`);
    if (others.length > 0) return fail(`several functions are named ${name}: ${signatures.join(', ')}`);
    return scalar(fixedBytes(SELECTOR_SIZE), bytesToBigInt(selectorOf(signature)));
  }

  async #declaring(denoted: NamedFunction): Promise<readonly CallableContract[]> {
    const { contract, contracts } = this.#site;
    if (denoted.kind === 'otherFunction') return this.#contractsOf(denoted.on, denoted.name);
    if (denoted.kind === 'contractFunction') return contracts.named(denoted.contract);
    return contract === null ? [] : [{ name: contract.name, abi: contract.match.artifact.abi }];
  }

  async #call(
    name: string,
    values: readonly Value[],
    callable: readonly CallableContract[],
    how: { readonly sender: Uint8Array; readonly to: Uint8Array; readonly code: Uint8Array | null },
  ): Promise<Value> {
    const { entry, data } = await this.#prepared(name, values, callable, how.to);
    const abis = callable.map(({ abi }) => abi);
    const returned = await this.#site.calls.run({ name, data, abis, ...how });
    const results = decodedResults(entry.outputs, returned, this.#typeOf);
    if (results === null) return fail(`the data that ${name} returned do not fit its ABI`);
    const [first] = results;
    if (results.length === 1 && first !== undefined) return first.value;
    return { kind: 'list', label: 'tuple', isArray: false, items: results };
  }

  async #prepared(
    name: string,
    values: readonly Value[],
    callable: readonly CallableContract[],
    to: Uint8Array,
  ): Promise<PreparedCall> {
    const [first] = callable;
    if (first === undefined)
      return fail(
        `no artifact describes the contract at ${toHex(to)}; convert the address: IContract(…).${name}(…)`,
      );
    const bySignature = declaredIn(callable, name);
    if (bySignature.size === 0)
      return fail(`contract ${first.name} has no public or external function ${name}`);
    const fitting: PreparedCall[] = [];
    for (const [signature, entry] of bySignature) {
      const encoded = await encodedArguments(entry.inputs, values, this.#itemsOf, this.#typeOf);
      if (encoded === null) continue;
      fitting.push({ entry, data: concatBytes(selectorOf(signature), encoded) });
    }
    const [found, ...others] = fitting;
    const signatures = [...bySignature.keys()].join(', ');
    const got = `(${values.map(typeLabel).join(', ')})`;
    if (found === undefined) return fail(`expected the arguments of ${signatures}, got ${got}`);
    if (others.length > 0) return fail(`several functions fit the arguments ${got}: ${signatures}`);
    return found;
  }
}
