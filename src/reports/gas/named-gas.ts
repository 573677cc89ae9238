/** The gas of contracts and functions by name, if the names are known. */

import type { AbiTable } from '../../artifacts/decoding.ts';
import { signatureOf } from '../../artifacts/decoding.ts';
import { wellKnown } from '../../artifacts/well-known.ts';
import type { KnownContract, KnownContracts } from '../../inspect/known-contracts.ts';
import { isMinimalProxy } from '../../inspect/proxies.ts';
import { toHex } from '../../primitives/hex.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import { GasStatistics } from './gas-statistics.ts';
import type { CodeBook, CreationTally, FunctionTally, GasTally } from './gas-tally.ts';

export interface NamedFunction {
  /**
   * `transfer`; with its types if the contract has several functions of that name. The selector if the
   * function is unknown.
   */
  readonly label: string;
  /** `transfer(address,uint256)`; for a fallback function, its label. */
  readonly signature: string;
  /** True if the name is a guess from the selector, not from the contract's own ABI. */
  readonly isGuess: boolean;
  readonly transactions: GasStatistics;
  readonly calls: GasStatistics;
}

export interface NamedDeployments {
  readonly transactions: GasStatistics;
  readonly calls: GasStatistics;
  /** In bytes, the maximum of all deployments. The initcode size depends on the arguments. */
  codeSize: number;
  initcodeSize: number;
}

export interface NamedContract {
  readonly name: string;
  /** `contracts/Token.sol`; `null` without an artifact. */
  readonly source: string | null;
  /** The address of a contract without an artifact; otherwise `null`. */
  readonly address: string | null;
  /** The names of the proxies that called it. */
  readonly proxies: Set<string>;
  readonly functions: Map<string, NamedFunction>;
  readonly deployments: NamedDeployments;
}

type ContractFacts = Pick<NamedContract, 'name' | 'source' | 'address'>;

/** The gas of one chain, or of several together. */
export class NamedGas {
  readonly contracts = new Map<string, NamedContract>();
  readonly transactions = new GasStatistics();
  readonly transfers = new GasStatistics();
  omitted = 0;

  /** Adds all counts of another chain. */
  merge(other: NamedGas): void {
    this.transactions.merge(other.transactions);
    this.transfers.merge(other.transfers);
    this.omitted += other.omitted;
    for (const [key, contract] of other.contracts) {
      const own = this.contract(key, contract);
      for (const proxy of contract.proxies) own.proxies.add(proxy);
      for (const named of contract.functions.values()) {
        const counted = functionIn(own, named);
        counted.transactions.merge(named.transactions);
        counted.calls.merge(named.calls);
      }
      addDeployments(own, contract.deployments);
    }
  }

  contract(key: string, { name, source, address }: ContractFacts): NamedContract {
    const known = this.contracts.get(key);
    if (known !== undefined) return known;
    const deployments = {
      transactions: new GasStatistics(),
      calls: new GasStatistics(),
      codeSize: 0,
      initcodeSize: 0,
    };
    const made = { name, source, address, proxies: new Set<string>(), functions: new Map(), deployments };
    this.contracts.set(key, made);
    return made;
  }
}

function functionIn(
  { functions }: NamedContract,
  { label, signature, isGuess }: FunctionName,
): NamedFunction {
  const known = functions.get(signature);
  if (known !== undefined) return known;
  const made = {
    label,
    signature,
    isGuess,
    transactions: new GasStatistics(),
    calls: new GasStatistics(),
  };
  functions.set(signature, made);
  return made;
}

function addDeployments(
  { deployments: own }: NamedContract,
  { transactions, calls, codeSize, initcodeSize }: Omit<CreationTally, 'code'>,
): void {
  own.transactions.merge(transactions);
  own.calls.merge(calls);
  own.codeSize = Math.max(own.codeSize, codeSize);
  own.initcodeSize = Math.max(own.initcodeSize, initcodeSize);
}

type FunctionName = Pick<NamedFunction, 'label' | 'signature' | 'isGuess'>;

/** Returns a name that is not a signature: a fallback function or an unknown function. */
function plainName(label: string): FunctionName {
  return { label, signature: label, isGuess: false };
}

const SELECTOR_SIZE = 4;

/** Returns the table's function for the selector; `null` for none. */
function named(table: AbiTable, selector: Uint8Array, isGuess: boolean): FunctionName | null {
  const entry = table.functionOf(selector);
  if (entry === null) return null;
  const signature = signatureOf(entry);
  let namesakes = 0;
  for (const { entry: other } of table.functions.values()) if (other.name === entry.name) namesakes++;
  return { label: namesakes > 1 ? signature : entry.name, signature, isGuess };
}

/** Returns the name for a call without a matching function. */
function unmatched(table: AbiTable | null, selector: Uint8Array): FunctionName {
  if (selector.length === 0 && table?.hasReceive === true) return plainName('<receive>');
  if (table?.hasFallback === true) return plainName('<fallback>');
  if (selector.length === SELECTOR_SIZE) {
    const digits = toHex(selector);
    return plainName(table === null ? digits : `${digits} (no such function)`);
  }
  return plainName(selector.length === 0 ? '<no data>' : '<short data>');
}

/** The name for calls beyond the limit of selectors. */
const OTHER_SELECTORS = plainName('<other selectors>');

/** One name for all EIP-1167 proxies, because each has its own code and address. */
const MINIMAL_PROXY = 'minimal proxy (EIP-1167)';

/** Functions to name per time slice. */
const NAMED_PER_TURN = 32;

/** Names the sums. Looks up each code once. */
export class GasNaming {
  readonly #known: KnownContracts;
  readonly #codes: CodeBook;
  readonly #contracts = new Map<string, KnownContract | null>();
  #named = 0;

  constructor(known: KnownContracts, codes: CodeBook) {
    this.#known = known;
    this.#codes = codes;
  }

  /** Adds the sums of a chain. Yields to the event loop between contracts. */
  async add(tally: GasTally, to: NamedGas): Promise<void> {
    to.transactions.merge(tally.transactions);
    to.transfers.merge(tally.transfers);
    to.omitted += tally.omitted;
    for (const creation of tally.creations.values()) {
      const contract = await this.#contractOf(creation.code);
      addDeployments(this.#in(to, creation.code, contract), creation);
      await this.#yieldSometimes();
    }
    for (const called of tally.functions.values()) {
      await this.#addFunction(called, to);
      await this.#yieldSometimes();
    }
    await nextIteration();
  }

  async #yieldSometimes(): Promise<void> {
    if (++this.#named % NAMED_PER_TURN === 0) await nextIteration();
  }

  async #addFunction(called: FunctionTally, to: NamedGas): Promise<void> {
    const { code, precompile, handedTo, selector } = called;
    const own = code === null ? null : await this.#contractOf(code);
    const behind = handedTo === null ? null : await this.#contractOf(handedTo);
    const isOwn = selector !== null && own !== null && named(own.table, selector, false) !== null;
    // If neither the proxy nor its implementation has an artifact, the proxy counts as the called contract.
    const isBehind = handedTo !== null && !isOwn && (behind !== null || own !== null);
    const contract = isBehind ? behind : own;
    const key = isBehind ? handedTo : code;
    const into =
      key === null ? this.#precompile(to, precompile ?? new Uint8Array()) : this.#in(to, key, contract);
    if (isBehind && code !== null) into.proxies.add(own?.name ?? this.#addressName(code));
    const counted = functionIn(into, this.#functionName(selector, contract, precompile !== null));
    counted.transactions.merge(called.transactions);
    counted.calls.merge(called.calls);
  }

  #functionName(
    selector: Uint8Array | null,
    contract: KnownContract | null,
    isPrecompile: boolean,
  ): FunctionName {
    if (selector === null) return OTHER_SELECTORS;
    const found =
      contract === null
        ? named(wellKnown.table, selector, !isPrecompile)
        : named(contract.table, selector, false);
    return found ?? unmatched(contract?.table ?? null, selector);
  }

  async #contractOf(key: string): Promise<KnownContract | null> {
    const known = this.#contracts.get(key);
    if (known !== undefined) return known;
    const code = this.#codes.code(key);
    const found =
      code === null ? null : await this.#known.of(code.side, code.bytes, code.address, { hash: code.hash });
    this.#contracts.set(key, found);
    return found;
  }

  #in(to: NamedGas, key: string, contract: KnownContract | null): NamedContract {
    if (contract !== null) {
      const { name } = contract;
      const source = contract.match.contract.sourceName;
      return to.contract(`${source}:${name}`, { name, source, address: null });
    }
    const code = this.#codes.code(key);
    if (code !== null && isMinimalProxy(code.bytes))
      return to.contract(MINIMAL_PROXY, { name: MINIMAL_PROXY, source: null, address: null });
    const digits = code === null ? null : toHex(code.address);
    return to.contract(digits ?? key, { name: this.#addressName(key), source: null, address: digits });
  }

  #precompile(to: NamedGas, address: Uint8Array): NamedContract {
    const digits = toHex(address);
    const name = wellKnown.nameAt(digits) ?? `precompile ${BigInt(digits)}`;
    return to.contract(digits, { name, source: null, address: digits });
  }

  #addressName(key: string): string {
    const code = this.#codes.code(key);
    if (code === null) return '<unknown>';
    if (isMinimalProxy(code.bytes)) return MINIMAL_PROXY;
    const digits = toHex(code.address);
    return this.#known.labelOf(digits) ?? wellKnown.nameAt(digits) ?? digits;
  }
}
