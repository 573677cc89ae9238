import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import type { WorldState } from '../../state/world-state.ts';
import { reservedNumber } from '../../storage/reserved-hash.ts';
import type { ReservedRange } from '../../storage/reserved-range.ts';
import type { DumpValue } from './dump-value.ts';

/** The block that the next one follows on from. */
export interface Parent {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** A block as one to follow on from. */
export function parentOf({ header, hash }: Block): Parent {
  return { number: header.number, hash };
}

/**
 * Throws an `InvalidDumpError` unless the block, read from that value, has its own hash and follows on from the parent.
 * A first block, with `null` for its parent, has any number: a genesis file can say one.
 */
export function checkBlock(value: DumpValue, block: Block, parent: Parent | null, ruleSet: RuleSet): void {
  const { header, hash } = block;
  const number = parent === null ? header.number : parent.number + 1;
  if (header.number !== number) value.field('header').field('number').refuse(String(number));
  const isChild = parent === null || equalBytes(header.parentHash, parent.hash);
  if (!isChild) value.field('header').field('parentHash').refuse(toHex(parent.hash));
  const ownHash = headerHash(header, ruleSet.encoding);
  if (equalBytes(hash, ownHash) || reservedNumber(hash) === BigInt(number)) return;
  value.field('hash').refuse(`the hash of the header, ${toHex(ownHash)}`);
}

/**
 * Throws an `InvalidDumpError` unless the block, read from that value, is the one that a fork begins with. Its hash is the
 * upstream's, of a header that can have more in it.
 */
export function checkPinned(value: DumpValue, { header, hash }: Block, pinned: Parent): void {
  if (header.number !== pinned.number) value.field('header').field('number').refuse(String(pinned.number));
  if (!equalBytes(hash, pinned.hash)) value.field('hash').refuse(toHex(pinned.hash));
}

/** Throws an `InvalidDumpError` unless the range, read from that value, follows on from the parent with its state. */
export function checkRange(
  value: DumpValue,
  { template: { base, stateRoot } }: ReservedRange,
  { parent, state }: { readonly parent: Parent; readonly state: WorldState },
): void {
  if (base.number !== parent.number) value.field('base').field('number').refuse(String(parent.number));
  if (!equalBytes(base.hash, parent.hash)) value.field('base').field('hash').refuse(toHex(parent.hash));
  if (state.isKnown && !equalBytes(state.root, stateRoot)) {
    value.field('stateRoot').refuse(`the root of the state below, ${toHex(state.root)}`);
  }
}
