// Decides about the next call of the federation to the Bridge.

import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { parseTransaction } from '../bitcoin/transaction.ts';
import type { BridgeConstants } from '../bridge/bridge-constants.ts';
import type { BridgeState } from '../bridge/bridge-state.ts';
import type { ParentBlock } from '../parent-chain/parent-block.ts';
import type { ParentChain } from '../parent-chain/parent-chain.ts';
import { evaluatePegin } from '../peg/evaluate-pegin.ts';
import { pegTransactionType } from '../peg/transaction-type.ts';
import {
  addSignature,
  type FederateCall,
  idBytes,
  type LocatedTransaction,
  needsWitnessRoot,
  receiveHeaders,
  registerCoinbase,
  registerTransaction,
  registrationPurpose,
  updateCollections,
} from './federate-call.ts';
import { type KnownMember, knownMembers } from './federate-members.ts';
import { pegoutKey, signaturesOf, signersOf } from './member-signatures.ts';

/** Maximum number of headers in a call, as Rootstock's federation sends them. */
const MAX_HEADERS = 100;

/** The facts that decide about the next call. */
export interface FederateView {
  readonly state: BridgeState;
  readonly constants: BridgeConstants;
  readonly parent: Pick<ParentChain, 'tip' | 'index'>;
  /** The number of the block that contains the next call. */
  readonly blockNumber: number;
  /** The purposes of calls that were sent. They are not sent again. */
  readonly sent: { has(purpose: string): boolean };
}

/** Returns the next call of the federation; `null` if nothing waits for it. */
export function nextFederateCall(view: FederateView): FederateCall | null {
  const members = knownMembers(view.constants.federation);
  const [member] = members;
  if (member === undefined) return null;
  for (const call of waitingCalls(view, member, members)) if (!view.sent.has(call.purpose)) return call;
  return null;
}

function* waitingCalls(
  view: FederateView,
  member: KnownMember,
  members: readonly KnownMember[],
): Iterable<FederateCall> {
  const blocks = missingBlocks(view);
  if (blocks.length > 0) yield receiveHeaders(member, blocks);
  for (const located of unregistered(view)) {
    const { block } = located;
    const isRootMissing =
      needsWitnessRoot(located) && view.state.pegs.witnessRoot(idBytes(block.hash)) === undefined;
    if (isRootMissing) yield registerCoinbase(member, block);
    yield registerTransaction(member, located);
  }
  if (isUpdateDue(view)) yield updateCollections(member, updatePurpose(view));
  yield* missingSignatures(view, members);
}

/**
 * Returns the first blocks whose headers the Bridge lacks, lowest first. All blocks have the same work, and the
 * Bridge knows the parent of each block that it knows. Blocks above its best height are therefore unknown.
 */
function missingBlocks({ state, parent }: FederateView): ParentBlock[] {
  const isKnown = (height: number): boolean => {
    const block = parent.index.blockAt(height);
    return block !== undefined && state.parentChain.block(idBytes(block.hash)) !== undefined;
  };
  let known = 0;
  let unknown = Math.min(state.parentChain.head.height, parent.tip.height) + 1;
  if (isKnown(unknown - 1)) known = unknown - 1;
  while (unknown - known > 1) {
    const middle = Math.floor((known + unknown) / 2);
    if (isKnown(middle)) known = middle;
    else unknown = middle;
  }
  return Array.from(
    { length: MAX_HEADERS },
    (_, index) => parent.index.blockAt(unknown + index) ?? [],
  ).flat();
}

/** Returns the confirmed transactions that the Bridge has not processed, oldest first. */
export function unregistered({
  state,
  constants,
  parent,
}: Pick<FederateView, 'state' | 'constants' | 'parent'>): LocatedTransaction[] {
  const best = state.parentChain.head.height;
  const waiting: LocatedTransaction[] = [];
  for (const txid of parent.index.historyOfScript(hexKey(constants.federation.outputScript))) {
    const located = parent.index.transaction(txid);
    if (located === undefined || best - located.block.height + 1 < constants.peginConfirmations) continue;
    if (state.pegs.processedAt(idBytes(txid)) !== undefined) continue;
    const transaction = parseTransaction(located.transaction.bytes);
    const context = { constants, pegs: state.pegs };
    if (pegTransactionType(transaction, located.block.height, context) !== 'unknown') waiting.push(located);
  }
  return waiting;
}

/**
 * Returns the purposes of calls that leave a confirmed transaction unprocessed: pegins without a refund, and
 * transactions that the Bridge cannot read.
 */
export function unregisterable(view: Pick<FederateView, 'state' | 'constants' | 'parent'>): string[] {
  return unregistered(view)
    .filter(({ transaction }) => isLeftUnprocessed(transaction.bytes, view.constants))
    .map(({ transaction }) => registrationPurpose(transaction));
}

/**
 * Returns true for a transaction with outputs to the federation that the Bridge never processes, for example a
 * pegin that is rejected without a refund. `height` is the number of its block.
 */
export function isLostDeposit(
  bytes: Uint8Array,
  height: number,
  { state, constants }: Pick<FederateView, 'state' | 'constants'>,
): boolean {
  try {
    const type = pegTransactionType(parseTransaction(bytes), height, { constants, pegs: state.pegs });
    return type === 'unknown' || (type === 'pegin' && isLeftUnprocessed(bytes, constants));
  } catch (error) {
    if (error instanceof BitcoinFormatError) return true;
    throw error;
  }
}

function isLeftUnprocessed(bytes: Uint8Array, constants: BridgeConstants): boolean {
  try {
    return evaluatePegin(parseTransaction(bytes), constants).action === 'keep';
  } catch (error) {
    if (error instanceof BitcoinFormatError) return true;
    throw error;
  }
}

/** Returns true if `updateCollections` creates or confirms a pegout in the next block. */
export function isUpdateDue({
  state,
  constants,
  blockNumber,
}: Pick<FederateView, 'state' | 'constants' | 'blockNumber'>): boolean {
  const number = BigInt(blockNumber);
  const isConfirmed = state.pegouts
    .unconfirmed()
    .some((pegout) => number - pegout.blockNumber >= BigInt(constants.pegoutConfirmations));
  return isConfirmed || (state.queueLength > 0 && number >= state.nextPegoutBlock && hasCoins(state));
}

function hasCoins(state: BridgeState): boolean {
  const queued = state.queuedPegouts().reduce((sum, { amount }) => sum + amount, 0n);
  return state.utxos.balance >= queued;
}

/** Two updates with the same purpose would have the same effect: none. */
function updatePurpose({ state }: FederateView): string {
  const { queueLength, utxos, pegouts, nextPegoutBlock } = state;
  const unconfirmed = pegouts.unconfirmed().map(({ blockNumber }) => blockNumber);
  return `update ${queueLength} ${utxos.length} ${nextPegoutBlock} ${unconfirmed.join(' ')}`;
}

function* missingSignatures(
  { state, constants }: FederateView,
  members: readonly KnownMember[],
): Iterable<FederateCall> {
  for (const pegout of state.pegouts.unsigned()) {
    const signers = signersOf(pegout, members, state);
    const missing = Math.max(0, constants.federation.threshold - signers.length);
    const others = members.filter(
      ({ publicKey }) => !signers.some((one) => equalBytes(one.publicKey, publicKey)),
    );
    for (const member of others.slice(0, missing)) {
      const purpose = `signature of ${member.address.join()} for ${pegoutKey(pegout)}`;
      yield addSignature(member, signaturesOf(pegout, member, state), pegout.creationHash, purpose);
    }
  }
}
