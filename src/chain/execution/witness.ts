// Replays a block to find its witness (the state and headers that its execution needs) and its access list
// (EIP-7928).

import type { ExecutionStep, FrameStart, StateNow } from '../../evm/observer.ts';
import { type TouchedAccount, TouchedState } from '../../evm/tracers/touched-state.ts';
import { TraceBudget, type Tracer, type TraceSubject } from '../../evm/tracers/tracer.ts';
import { recordBlockAccesses } from '../../execution/block-accesses.ts';
import { beginBlock, endBlock, hasSystemCalls, systemMessage } from '../../execution/system-calls.ts';
import { EMPTY_BYTES, equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { ready, type Steps } from '../../primitives/steps.ts';
import type { Block, BlockHeader } from '../../protocol/block.ts';
import type { BlockAccessList } from '../../protocol/block-access-list.ts';
import { NO_ACCESSES_HASH } from '../../protocol/genesis.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import { SYSTEM_ADDRESS } from '../../protocol/hardforks/system-contracts.ts';
import { type CancelCheck, neverCancelled } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { encodeAccount, encodeStorageEntry } from '../../state/account.ts';
import { Overlay } from '../../state/overlay.ts';
import { loaded } from '../../state/trie/trie-node.ts';
import { trieWitness } from '../../state/trie/trie-walks.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { ChainCore } from '../chain-core.ts';
import { NoExecutionError, NotInRuleSetError } from '../errors.ts';
import type { BlockContext, BlockResolver } from './block-resolver.ts';
import { runAgain, stateBefore } from './replay.ts';
import type { ChainTracing, TracedBlock } from './tracing.ts';

/** The parts of the parent state and of earlier blocks that a block's execution reads. */
export interface ExecutionWitness {
  /** RLP encodings of state and storage trie nodes, including nodes for the new root. */
  readonly state: readonly Uint8Array[];
  readonly codes: readonly Uint8Array[];
  /** The touched addresses and slots. Trie keys are their hashes. */
  readonly keys: readonly Uint8Array[];
  /** The headers from the lowest block that BLOCKHASH read, up to the parent. */
  readonly headers: readonly BlockHeader[];
}

/** The accounts and block hashes that a transaction read. */
interface Touched {
  readonly accounts: readonly TouchedAccount[];
  /** The lowest block that BLOCKHASH read. */
  readonly lowestBlock: number;
}

const { BLOCKHASH } = OPCODES;

/** Records the touched accounts and slots, and the blocks that BLOCKHASH reads. */
class WitnessTracer implements Tracer<Touched> {
  readonly wantedSteps: ReadonlySet<number>;
  readonly #touched: TouchedState;
  readonly #number: number;
  #lowestBlock: number;

  constructor(subject: TraceSubject) {
    this.#touched = new TouchedState(subject);
    this.wantedSteps = new Set([...this.#touched.wantedSteps, BLOCKHASH]);
    this.#number = subject.environment.number;
    this.#lowestBlock = this.#number - 1;
  }

  begin(state: StateNow): void {
    this.#touched.begin(state);
  }

  frameStart(start: FrameStart): void {
    this.#touched.frameStart(start);
  }

  step(step: ExecutionStep): void {
    this.#touched.step(step);
    const asked = step.opcode === BLOCKHASH ? step.stackItem(0) : undefined;
    if (asked === undefined || asked >= BigInt(this.#number) || asked < BigInt(this.#number - 256)) return;
    this.#lowestBlock = Math.min(this.#lowestBlock, Number(asked));
  }

  result(): Steps<Touched> {
    return ready(this.touched());
  }

  touched(): Touched {
    return { accounts: Array.from(this.#touched.accounts()), lowestBlock: this.#lowestBlock };
  }
}

/** Work units per trie key and per trie node. */
const KEY_WORK = 2_000;
const NODE_WORK = 1_000;
/** Work units per merged account or slot. */
const MERGED_WORK = 128;

export class ChainWitness {
  readonly #core: ChainCore;
  readonly #blocks: BlockResolver;
  readonly #tracing: ChainTracing;

  constructor(core: ChainCore, blocks: BlockResolver, tracing: ChainTracing) {
    this.#core = core;
    this.#blocks = blocks;
    this.#tracing = tracing;
  }

  /**
   * Resolves to the witness of a block: the reads of its replayed transactions, and the block's other
   * changes. Rejects with `BlockNotFoundError` if the block's parent is no longer known. Rejects with
   * {@link NoExecutionError} for the first block. Rejects with `UnprovableStateError` if part of the state is
   * remote.
   */
  async of(
    { block, state: after }: BlockContext,
    checkCancelled: CancelCheck = neverCancelled,
  ): Promise<ExecutionWitness> {
    const { number } = block.header;
    if (number === this.#core.blockchain.lowest) throw new NoExecutionError(number);
    const held = this.#tracing.hold(block);
    const { before } = held;
    const create = (subject: TraceSubject): WitnessTracer => new WitnessTracer(subject);
    const traced = await this.#tracing.block(block, create, { checkCancelled });
    const touched = traced.map(({ trace }) => trace);
    if (hasSystemCalls(this.#core.ruleSet)) touched.push(await this.#touchedByProtocol(held, checkCancelled));
    const lowest = touched.reduce((least, { lowestBlock }) => Math.min(least, lowestBlock), number - 1);
    const { ancestor } = this.#blocks.ancestors(block);
    const headers: BlockHeader[] = [];
    for (let below = lowest; below < number; below++) {
      const earlier = ancestor(below);
      if (earlier !== undefined) headers.push(earlier.header);
    }
    const slice = new TimeSlice(checkCancelled);
    const accounts = await runTask(mergedAccounts(touched, before, after), slice);
    return { ...(await runTask(witnessOfState(accounts, before, after), slice)), headers };
  }

  /** Resolves to the reads of the system calls before and after the transactions. */
  async #touchedByProtocol(
    { block, environment, before }: TracedBlock,
    checkCancelled: CancelCheck,
  ): Promise<Touched> {
    const { engine, ruleSet, settings } = this.#core;
    const observer = new WitnessTracer({
      message: systemMessage(ruleSet, SYSTEM_ADDRESS, EMPTY_BYTES),
      environment,
      before,
      position: null,
      budget: new TraceBudget(),
      impersonatedSigner: settings.impersonatedSigner,
    });
    const { parentHash } = block.header;
    const site = { engine, ruleSet, environment, parentHash, observer, checkCancelled };
    await runTask(beginBlock({ ...site, state: new Overlay(before) }), new TimeSlice(checkCancelled));
    const { length } = block.transactions;
    const state = await stateBefore(this.#core, this.#blocks, block, length, checkCancelled);
    await runTask(endBlock({ ...site, state }), new TimeSlice(checkCancelled));
    return observer.touched();
  }
}

/** Returns the touched and changed accounts with all their touched slots, merged by address. */
function* mergedAccounts(
  touched: readonly Touched[],
  before: WorldState,
  after: WorldState,
): Steps<TouchedAccount[]> {
  const merged = new Map<string, { readonly address: Uint8Array; readonly slots: Map<string, Uint8Array> }>();
  const slotsOf = (address: Uint8Array): Map<string, Uint8Array> => {
    const key = hexKey(address);
    const known = merged.get(key) ?? { address, slots: new Map<string, Uint8Array>() };
    merged.set(key, known);
    return known.slots;
  };
  for (const { accounts } of touched) {
    for (const { address, slots } of accounts) {
      const all = slotsOf(address);
      yield MERGED_WORK;
      for (const [key, slot] of slots) {
        all.set(key, slot);
        yield MERGED_WORK;
      }
    }
  }
  for (const { address, becomes } of after.differencesFrom(before)) {
    const all = slotsOf(address);
    const changed = becomes?.storage ?? [];
    for (const { slot } of changed) all.set(hexKey(slot), slot);
    yield MERGED_WORK * (1 + changed.length);
  }
  return Array.from(merged.values());
}

/** Returns the hashes of keys and a lookup from hash to key. Yields between keys. */
function* hashesOf(keys: Iterable<Uint8Array>) {
  const touched: Uint8Array[] = [];
  const byHash = new Map<string, Uint8Array>();
  for (const key of keys) {
    const hash = keccak256(key);
    touched.push(hash);
    byHash.set(hexKey(hash), key);
    yield KEY_WORK;
  }
  return { touched, keyOf: (hash: Uint8Array) => byHash.get(hexKey(hash)) };
}

function* witnessOfState(
  accounts: readonly TouchedAccount[],
  before: WorldState,
  after: WorldState,
): Steps<Omit<ExecutionWitness, 'headers'>> {
  const nodes = new Map<string, Uint8Array>();
  const codes = new Map<string, Uint8Array>();
  const keys: Uint8Array[] = [];
  for (const { address, slots } of accounts) {
    keys.push(address);
    const account = before.account(address);
    yield KEY_WORK;
    for (const slot of slots.values()) keys.push(slot);
    if (account === undefined) continue;
    if (account.code.bytes.length > 0) codes.set(hexKey(account.code.hash), account.code.bytes);
    const { touched, keyOf } = yield* hashesOf(slots.values());
    const isRemoved = (hash: Uint8Array): boolean => {
      const slot = keyOf(hash);
      return slot !== undefined && after.storageAt(address, slot).length === 0;
    };
    const storage = trieWitness(loaded(account.storage), { touched, isRemoved }, encodeStorageEntry);
    yield* addNodes(nodes, storage);
  }
  const addresses = accounts.map(({ address }) => address);
  const { touched, keyOf } = yield* hashesOf(addresses);
  const isRemoved = (hash: Uint8Array): boolean => {
    const address = keyOf(hash);
    return address !== undefined && after.account(address) === undefined;
  };
  yield* addNodes(nodes, trieWitness(before.wholeTrie(), { touched, isRemoved }, encodeAccount));
  return { state: Array.from(nodes.values()), codes: Array.from(codes.values()), keys };
}

function* addNodes(nodes: Map<string, Uint8Array>, found: Iterable<Uint8Array>): Steps<void> {
  for (const node of found) {
    nodes.set(hexKey(keccak256(node)), node);
    yield NODE_WORK;
  }
}

/** Work units per replayed transaction, chosen so that the event loop is yielded between two of them. */
const TRANSACTION_WORK = 2 ** 14;

/** Computes the access lists of blocks (EIP-7928). */
export class BlockAccess {
  readonly #core: ChainCore;
  readonly #tracing: ChainTracing;

  constructor(core: ChainCore, tracing: ChainTracing) {
    this.#core = core;
    this.#tracing = tracing;
  }

  /** Throws a {@link NotInRuleSetError} if blocks have no access lists. */
  requireLists(): void {
    const { ruleSet } = this.#core;
    if (!ruleSet.hasAccessLists)
      throw new NotInRuleSetError('access list (EIP-7928)', ruleSet.name, 'amsterdam');
  }

  /**
   * Resolves to the access list of a block. Rejects with a {@link NotInRuleSetError} if blocks have no access
   * lists. Rejects with `BlockNotFoundError` if the block's parent is no longer known, and with any error of
   * `checkCancelled`.
   */
  async of(block: Block, checkCancelled = neverCancelled): Promise<BlockAccessList> {
    this.requireLists();
    const { engine, ruleSet, blockchain, settings } = this.#core;
    const { number, parentHash, ethereum } = block.header;
    const listHash = ethereum.blockAccessListHash;
    // The first block and reserved blocks executed nothing.
    if (number === blockchain.lowest || (listHash !== null && equalBytes(listHash, NO_ACCESSES_HASH)))
      return [];
    const { environment, before } = this.#tracing.hold(block);
    return runTask(
      recordBlockAccesses({
        engine,
        ruleSet,
        environment,
        parentHash,
        checkCancelled,
        before,
        transactions: block.transactions,
        run: (state, transaction, observer) =>
          runAgain(this.#core, { environment, state, transaction, observer, checkCancelled }),
        chainId: BigInt(settings.current.chainId),
        impersonatedSigner: settings.impersonatedSigner,
        work: TRANSACTION_WORK,
      }),
      new TimeSlice(checkCancelled),
    );
  }
}
