/** Finds the implementation of a proxy: in its code, in standard storage slots, or by a call to it. */

import { fetchReads } from '../execution/fetched-reads.ts';
import { equalBytes, padLeft } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { RecordedFrame } from './execution-recorder.ts';

/** The implementation slots of EIP-1967, EIP-1822, and OpenZeppelin's older proxies. */
const IMPLEMENTATION_SLOTS = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
].map((slot) => fromHex(slot));
/** The slot of the beacon's address (EIP-1967). The beacon returns the implementation. */
const BEACON_SLOT = fromHex('0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50');
/** The storage slot of a diamond's facets (EIP-2535). The diamond's code contains it. */
const DIAMOND_STORAGE = Buffer.from(
  'c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c',
  'hex',
);
/** `implementation()` of a beacon. */
const IMPLEMENTATION = fromHex('0x5c60da1b');
/** `facetAddress(bytes4)` of a diamond. */
const FACET_ADDRESS = fromHex('0xcdffacc6');
/** PUSH4 of the `facetAddress` selector. Diamonds that store their facets elsewhere contain it. */
const FACET_DISPATCH = Buffer.from('63cdffacc6', 'hex');

const ADDRESS_SIZE = 20;
const SELECTOR_SIZE = 4;

/**
 * Minimal proxies, as the code before and after the implementation's address: EIP-1167, Solady without and
 * with PUSH0, EIP-7511. Bytes after the code are immutable arguments.
 */
const MINIMAL_PROXIES = [
  ['363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3'],
  ['3d3d3d3d363d3d37363d73', '5af43d3d93803e602a57fd5bf3'],
  ['5f5f365f5f37365f73', '5af43d5f5f3e6029573d5ffd5b3d5ff3'],
  ['365f5f375f5f365f73', '5af43d5f5f3e5f3d91602a57fd5bf3'],
].map(([before = '', after = '']) => [Buffer.from(before, 'hex'), Buffer.from(after, 'hex')] as const);

/** Returns the implementation's address in a minimal proxy; `null` for other code. */
function minimalProxyTarget(code: Uint8Array): Uint8Array | null {
  for (const [before, after] of MINIMAL_PROXIES) {
    const end = before.length + ADDRESS_SIZE;
    // The first two bytes rule out most other code.
    if (code[0] !== before[0] || code[1] !== before[1]) continue;
    const isOne =
      equalBytes(code.subarray(0, before.length), before) &&
      equalBytes(code.subarray(end, end + after.length), after);
    if (isOne) return code.slice(before.length, end);
  }
  return null;
}

/** Returns true for a minimal proxy, with or without immutable arguments. */
export function isMinimalProxy(code: Uint8Array): boolean {
  return minimalProxyTarget(code) !== null;
}

/** Resolves to the return data of a call; `null` if the call fails. */
export type CallFunction = (address: Uint8Array, data: Uint8Array) => Promise<Uint8Array | null>;

export interface PossibleProxy {
  readonly state: WorldState;
  readonly address: Uint8Array;
  readonly code: Uint8Array;
  /** The call data; empty if there is no call. A diamond has one implementation per function. */
  readonly input: Uint8Array;
}

/** Returns the implementation of a proxy (20 bytes); `null` if the account is not a proxy. */
export function* implementationOf(
  { state, address, code, input }: PossibleProxy,
  ask: CallFunction,
): Task<Uint8Array | null> {
  const target = minimalProxyTarget(code);
  if (target !== null) return target;
  if (state.source !== null) yield* fetchReads(slotReads(state, address), undefined);
  const stored = (slot: Uint8Array): Task<Uint8Array | null> =>
    waitFor(fetchingState(() => addressIn(state.storageAt(address, slot))));
  for (const slot of IMPLEMENTATION_SLOTS) {
    const implementation = yield* stored(slot);
    if (implementation !== null) return implementation;
  }
  const beacon = yield* stored(BEACON_SLOT);
  if (beacon !== null) return answeredAddress(yield* waitFor(ask(beacon, IMPLEMENTATION)));
  if (input.length < SELECTOR_SIZE) return null;
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.length);
  if (!bytes.includes(DIAMOND_STORAGE) && !bytes.includes(FACET_DISPATCH)) return null;
  return answeredAddress(yield* waitFor(ask(address, facetQuestion(input))));
}

/** Returns the reads of all standard slots, so that a fork fetches them in one batch. */
function slotReads(state: WorldState, address: Uint8Array): (() => Uint8Array)[] {
  return [...IMPLEMENTATION_SLOTS, BEACON_SLOT].map((slot) => () => state.storageAt(address, slot));
}

function facetQuestion(input: Uint8Array): Uint8Array {
  const data = new Uint8Array(FACET_ADDRESS.length + 32);
  data.set(FACET_ADDRESS);
  data.set(input.subarray(0, SELECTOR_SIZE), FACET_ADDRESS.length);
  return data;
}

function answeredAddress(answer: Uint8Array | null): Uint8Array | null {
  return answer?.length === 32 ? addressIn(answer) : null;
}

/** Returns the address in a word, with or without leading zeros; `null` for zero. */
function addressIn(word: Uint8Array): Uint8Array | null {
  if (word.every((byte) => byte === 0)) return null;
  return padLeft(word.subarray(-ADDRESS_SIZE), ADDRESS_SIZE);
}

/** Returns true for a proxy's delegate call to its implementation: same call data, same return data. */
export function isHandedOn(frame: RecordedFrame, { start, end }: RecordedFrame): boolean {
  return (
    start.kind === 'DELEGATECALL' &&
    equalBytes(start.input, frame.start.input) &&
    equalBytes(end.output, frame.end.output)
  );
}

/** Returns the frame of the implementation: a delegate call with the same call data and return data. */
export function proxiedFrame(frame: RecordedFrame): RecordedFrame | null {
  for (const item of frame.items) {
    if (item.kind === 'call' && isHandedOn(frame, item.frame)) return item.frame;
  }
  return null;
}
