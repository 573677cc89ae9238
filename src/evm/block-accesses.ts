// Records what a block looks at (EIP-7928) by running it once more, observed, on the state below it.

import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type Awaitable, type Task, waitFor } from '../primitives/task.ts';
import { type BlockAccessList, encodeAccessList } from '../protocol/block-access-list.ts';
import { SYSTEM_ADDRESS } from '../protocol/hardforks/system-contracts.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { Overlay } from '../state/overlay.ts';
import type { WorldState } from '../state/world-state.ts';
import type { ExecutionObserver } from './observer.ts';
import { signedAuthorizations } from './signed-authorizations.ts';
import type { ImpersonatedSigner } from './signers.ts';
import { beginBlock, endBlock, type SystemCallSite, systemMessage } from './system-calls.ts';
import { AccessListBuilder } from './tracers/access-list-builder.ts';
import { AccessRecorder } from './tracers/access-recorder.ts';

/** A block that has run, and where it runs once more. */
export interface RecordedBlock extends Omit<SystemCallSite, 'state' | 'observer'> {
  readonly chainId: bigint;
  readonly impersonatedSigner: ImpersonatedSigner;
  /** The state below the block. */
  readonly before: WorldState;
  readonly transactions: readonly Transaction[];
  /** Runs a transaction on the state; by default as one of a block. */
  readonly run?: (
    state: Overlay,
    transaction: Transaction,
    observer: ExecutionObserver,
  ) => Awaitable<unknown>;
  /** Returns the turn of others that the work has to wait for between two transactions; `undefined` when it can go on. */
  readonly turn?: () => Promise<void> | undefined;
}

/** Returns the access list of the block. Throws what the engine and `checkInterrupt` throw. */
export function* recordBlockAccesses(block: RecordedBlock): Task<BlockAccessList> {
  const { engine, ruleSet, environment, before, transactions, checkInterrupt } = block;
  const builder = new AccessListBuilder();
  const message = systemMessage(SYSTEM_ADDRESS, EMPTY_BYTES);
  const state = new Overlay(before);

  const beginning = new AccessRecorder(ruleSet, message, []);
  yield* beginBlock({ ...block, state, observer: beginning });
  builder.add(0, beginning.accounts(), before, state);

  const run =
    block.run ??
    ((on: Overlay, transaction: Transaction, observer: ExecutionObserver) =>
      engine.transact(environment, on, transaction, observer, checkInterrupt));
  const payee = environment.feeRecipient ?? environment.coinbase;
  for (const [index, transaction] of transactions.entries()) {
    const { sender, authorizationList } = transaction;
    const signed = signedAuthorizations(authorizationList, block.chainId, block.impersonatedSigner);
    const parties = [sender, payee, ...signed.map(({ authority }) => authority)];
    const recorder = new AccessRecorder(ruleSet, transaction, parties);
    const reached = state.toWorldState();
    yield* waitFor(run(state, transaction, recorder));
    builder.add(index + 1, recorder.accounts(), reached, state);
    const turn = block.turn?.();
    if (turn !== undefined) yield turn;
  }

  const atEnd = state.toWorldState();
  const end = new AccessRecorder(ruleSet, message, []);
  yield* endBlock({ ...block, state, observer: end });
  builder.add(transactions.length + 1, end.accounts(), atEnd, state);
  return builder.list();
}

/** Returns the hash (32 bytes) of the access list of the block, which its header carries; `null` under rule sets without one. */
export function* accessListHash(block: RecordedBlock): Task<Uint8Array | null> {
  if (!block.ruleSet.hasAccessLists) return null;
  return keccak256(encodeAccessList(yield* recordBlockAccesses(block)));
}
