import type { BlockEnvironment, Message, MovedPrecompiles } from '../../../src/evm/engine.ts';
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  concatBytes,
  EMPTY_BYTES,
} from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { encodeRlp } from '../../../src/primitives/rlp.ts';
import { addressOfPrivateKey, curve } from '../../../src/primitives/secp256k1/curve.ts';
import { blobBaseFee } from '../../../src/protocol/blobs.ts';
import type { Block } from '../../../src/protocol/block.ts';
import { precompileAddress, rootstockPrecompiles } from '../../../src/protocol/hardforks/precompiles.ts';
import { RULE_SET_NAMES, type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../../src/protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../../src/protocol/intrinsic-gas.ts';
import type { AccessListEntry, Authorization } from '../../../src/protocol/transaction.ts';
import { type BlobFields, NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { emptyGenesis } from '../../support/empty-genesis.ts';
import type { Dice } from './dice.ts';
import { nativeCall, type PrecompileCall } from './native-calls.ts';
import { precompileCall } from './precompile-calls.ts';
import { RandomProgram } from './random-program.ts';
import { deploying } from './snippets.ts';

/** Rule sets with single EIPs: all that fit to an old hardfork, and to Rootstock's rules. */
const SINGLE_EIP_RULE_SETS: readonly RuleSetName[] = [
  `istanbul${withEips(2565, 2929, 2930, 3529, 3541, 3651, 3855, 3860, 1153, 5656, 6780, 2537, 7823, 7825, 7883)}`,
  `london${withEips(3855, 1153, 6780, 2537, 7623, 7702, 7939, 7951, 7976, 7981, 8024, 8246, 7708)}`,
  `prague${withEips(7939, 7951, 8024)}`,
  `rootstock${withEips(2565, 7623, 7825, 7883, 7939, 7951, 7976, 8024)}`,
];

function withEips(...numbers: readonly number[]): `+${string}` {
  return `+${numbers.map((number) => `eip${number}`).join('+')}`;
}

/** The rule sets that scenes play under. */
export const FUZZED_RULE_SETS: readonly RuleSetName[] = [
  ...RULE_SET_NAMES,
  ...(['rootstock+rskip555', 'rootstock-next-rskip555', 'rootstock+rskip692'] as const),
  ...SINGLE_EIP_RULE_SETS,
];

/** An account at the start. */
export interface SceneAccount {
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
  /** Values of the slots 0, 1, 2, … */
  readonly slots: readonly bigint[];
}

/** A change of a state without a message. */
export type Cheat = Readonly<{ address: Uint8Array }> &
  (
    | { readonly kind: 'balance' | 'nonce'; readonly value: bigint }
    | { readonly kind: 'slot'; readonly slot: bigint; readonly value: bigint }
    | { readonly kind: 'code'; readonly code: Uint8Array }
    | { readonly kind: 'delete' | 'clear storage' }
  );

/** A message and its execution options. */
export interface SceneMessage {
  readonly purpose: 'transact' | 'call';
  /**
   * Number of states before the current one from which it starts. A transaction discards the later states.
   */
  readonly statesBack: number;
  /** The changes of the state before the messages. */
  readonly cheats: readonly Cheat[];
  /** Offset from the sender's next nonce; 0 is valid. */
  readonly message: Message;
}

/** Contracts that call each other, a block, and consecutive messages. */
export interface RandomScene {
  readonly ruleSet: RuleSetName;
  readonly accounts: readonly SceneAccount[];
  readonly environment: BlockEnvironment;
  readonly messages: readonly SceneMessage[];
}

const CHAIN_ID = 33;
const BLOCK_NUMBER = 1_000;
const KEYS = [1, 2, 3].map((number) => bigIntToFixedBytes(BigInt(number), 32));
const [SENDER_KEY = EMPTY_BYTES, ...AUTHORITY_KEYS] = KEYS;
const SENDER = addressOfPrivateKey(SENDER_KEY);
const COINBASE = bigIntToFixedBytes(0xc0ffeen, 20);
const CONTRACTS = [1, 2, 3, 4].map((number) => bigIntToFixedBytes((0xc0n << 152n) + BigInt(number), 20));
const MISSING = [1, 2].map((number) => bigIntToFixedBytes((0xdeadn << 144n) + BigInt(number), 20));
const EMPTY = bigIntToFixedBytes(0xeeeen, 20);
const PRECOMPILES = [
  ...Array.from({ length: 18 }, (_, index) => bigIntToFixedBytes(BigInt(index + 1), 20)),
  precompileAddress('P256VERIFY'),
  ...rootstockPrecompiles().map(({ address }) => address),
];
const AUTHORITIES = AUTHORITY_KEYS.map(addressOfPrivateKey);
/** Addresses without code to which accounts also delegate. */
const DELEGATES = [...PRECOMPILES.slice(0, 2), precompileAddress('P256VERIFY'), ...MISSING.slice(0, 1)];
const ETHER = 10n ** 18n;
const BASE_FEE = 7n;

function addressesFor(dice: Dice): Uint8Array[] {
  const precompile = dice.pick(PRECOMPILES);
  return [...CONTRACTS, ...CONTRACTS, ...MISSING, ...AUTHORITIES, EMPTY, SENDER, COINBASE, precompile];
}

/** A call of a contract of the rule set. */
function ruledCall(ruleSet: RuleSet, dice: Dice): PrecompileCall {
  return ruleSet.encoding === 'network' && !dice.oneIn(4) ? nativeCall(dice) : precompileCall(ruleSet, dice);
}

function randomCode(ruleSet: RuleSet, dice: Dice): Uint8Array {
  const calls = dice.oneIn(4) ? [] : [ruledCall(ruleSet, dice), ruledCall(ruleSet, dice)];
  return new RandomProgram(dice, addressesFor(dice), ruleSet.opcodes, calls).code();
}

function contractAt(address: Uint8Array, ruleSet: RuleSet, dice: Dice): SceneAccount {
  return {
    address,
    nonce: BigInt(dice.below(2)),
    balance: BigInt(dice.pick([0, 0, 1, 5, 1_000])),
    code: randomCode(ruleSet, dice),
    slots: [0, 1, 2].map(() => BigInt(dice.below(3))),
  };
}

function plainAccount(address: Uint8Array, balance: bigint): SceneAccount {
  return { address, nonce: 0n, balance, code: EMPTY_BYTES, slots: [] };
}

const FIRST_BLOCK = emptyGenesis(30_000_000n);

/** The hash of one of the 256 blocks before the scene. */
export function blockHash(number: number): Uint8Array {
  const isKnown = number < BLOCK_NUMBER && number >= BLOCK_NUMBER - 256;
  return isKnown ? bigIntToFixedBytes(BigInt(number) << 128n, 32) : new Uint8Array(32);
}

/** One of the thousand blocks before the scene. */
export function ancestor(number: number): Block | undefined {
  if (number < 0 || number >= BLOCK_NUMBER) return undefined;
  const hash = bigIntToFixedBytes(BigInt(number) << 128n, 32);
  const header = {
    ...FIRST_BLOCK.header,
    number,
    coinbase: hash.subarray(0, 20),
    gasLimit: BigInt(number) << 7n,
    mergedMining: { ...FIRST_BLOCK.header.mergedMining, header: new Uint8Array(number % 81) },
  };
  return { ...FIRST_BLOCK, header, hash, uncles: number % 3 === 0 ? [header] : [] };
}

/** An account that may have delegated to a contract. */
function authorityAt(address: Uint8Array, dice: Dice): SceneAccount {
  const account = plainAccount(address, BigInt(dice.below(2)));
  return dice.oneIn(3) ? { ...account, nonce: 1n, code: delegation(dice) } : account;
}

/** Code that refers to other code (EIP-7702). */
function delegation(dice: Dice): Uint8Array {
  return concatBytes(
    Uint8Array.of(0xef, 1, 0),
    dice.pick([...CONTRACTS, ...CONTRACTS, ...AUTHORITIES, SENDER, ...DELEGATES]),
  );
}

function cheat(ruleSet: RuleSet, dice: Dice): Cheat {
  const address = dice.pick(addressesFor(dice));
  const kind = dice.pick([
    'balance',
    'nonce',
    'slot',
    'slot',
    'code',
    'code',
    'delete',
    'clear storage',
  ] as const);
  if (kind === 'balance' || kind === 'nonce') return { address, kind, value: BigInt(dice.below(3)) };
  if (kind === 'slot') return { address, kind, slot: BigInt(dice.below(4)), value: BigInt(dice.below(3)) };
  if (kind !== 'code') return { address, kind };
  return { address, kind, code: dice.oneIn(4) ? delegation(dice) : randomCode(ruleSet, dice) };
}

function environmentOf(ruleSet: RuleSet, dice: Dice): BlockEnvironment {
  const excessBlobGas = dice.pick([0n, 0n, 10_000_000n, 100_000_000n]);
  return {
    number: BLOCK_NUMBER,
    timestamp: 1_700_000_000,
    coinbase: dice.oneIn(10) ? dice.pick(CONTRACTS) : COINBASE,
    difficulty: ruleSet.isProofOfStake ? 0n : 17n,
    gasLimit: 30_000_000n,
    minimumGasPrice: 3n,
    baseFeePerGas: ruleSet.fees.baseFee(BASE_FEE),
    excessBlobGas: ruleSet.blobs === null ? null : excessBlobGas,
    blobBaseFee: blobBaseFee(excessBlobGas, ruleSet.blobs),
    prevRandao: bigIntToFixedBytes(0xabcdefn << 128n, 32),
    parentBeaconBlockRoot: null,
    slotNumber: ruleSet.hasSlotNumbers ? 0x5107n : null,
    blockHash,
    ancestor,
    ...(dice.oneIn(8) ? { movedPrecompiles: movesOf(dice) } : {}),
  };
}

/** A precompile that an override has moved or replaced. */
function movesOf(dice: Dice): MovedPrecompiles {
  const precompile = dice.pick(PRECOMPILES);
  const moves = new Map<string, Uint8Array | null>([[hexKey(precompile), null]]);
  if (!dice.oneIn(3)) moves.set(hexKey(dice.pick([...CONTRACTS, ...MISSING, EMPTY])), precompile);
  return moves;
}

function accessList(dice: Dice): AccessListEntry[] {
  return Array.from({ length: dice.below(3) }, () => ({
    address: dice.pick([...CONTRACTS, ...MISSING]),
    storageKeys: Array.from({ length: dice.below(3) }, () => bigIntToFixedBytes(BigInt(dice.below(4)), 32)),
  }));
}

function authorization(dice: Dice): Authorization {
  const chainId = BigInt(dice.pick([0, CHAIN_ID, CHAIN_ID, CHAIN_ID, 1]));
  const address = dice.pick([...CONTRACTS, new Uint8Array(20), ...AUTHORITIES, SENDER, ...DELEGATES]);
  const nonce = BigInt(dice.pick([0, 0, 0, 1]));
  const fields = encodeRlp([bigIntToBytes(chainId), address, bigIntToBytes(nonce)]);
  const hash = keccak256(concatBytes(Uint8Array.of(5), fields));
  const { compact, recovery } = curve.sign(hash, dice.pick(KEYS));
  const [r, s] = [compact.subarray(0, 32), compact.subarray(32)].map((half) =>
    BigInt(`0x${Buffer.from(half).toString('hex')}`),
  );
  const yParity = dice.oneIn(10) ? BigInt(dice.below(4)) : BigInt(recovery);
  return { chainId, address, nonce, yParity, r: r ?? 0n, s: s ?? 0n };
}

/** Blobs. One in ten has an unknown version; the number can exceed the limit of some rule sets. */
function blobsOf(dice: Dice): BlobFields {
  const blobVersionedHashes = Array.from({ length: 1 + dice.below(7) }, () =>
    concatBytes(Uint8Array.of(dice.oneIn(10) ? 2 : 1), dice.bytes(31)),
  );
  return { blobVersionedHashes, maxFeePerBlobGas: dice.pick([1n, 30n, 10n ** 12n]) };
}

function messageOf(ruleSet: RuleSet, dice: Dice): Message {
  const isCreation = dice.oneIn(6);
  const code = randomCode(ruleSet, dice);
  const initcode = dice.oneIn(2) ? deploying(code) : code;
  const target = dice.oneIn(8) ? dice.pick(addressesFor(dice)) : dice.pick(CONTRACTS);
  const has = (type: 1 | 3 | 4): boolean => ruleSet.transactionTypes.includes(type) && dice.oneIn(3);
  const called = dice.oneIn(6)
    ? ruledCall(ruleSet, dice)
    : { to: target, data: dice.bytes(dice.pick([0, 0, 4, 36, 100, 213])) };
  const isToSelf = ruleSet.gas.state !== null && dice.oneIn(50);
  const content = {
    to: isCreation ? null : isToSelf ? SENDER : called.to,
    data: isCreation ? initcode : called.data,
    accessList: has(1) ? accessList(dice) : [],
    authorizationList:
      !isCreation && has(4) ? Array.from({ length: 1 + dice.below(2) }, () => authorization(dice)) : [],
  };
  const hasBlobs = !isCreation && content.authorizationList.length === 0 && has(3);
  const hasReservoir = ruleSet.gas.state !== null && dice.oneIn(20);
  const spare =
    dice.pick([0, 5_000, 40_000, 200_000, 500_000, 1_000_000, 3_000_000]) + (hasReservoir ? 16_777_216 : 0);
  const maxFeePerGas = BigInt(dice.pick([0, 10, 10, 10])) + (ruleSet.fees.baseFee(BASE_FEE) ?? 0n);
  const parts = { ...content, sender: SENDER, value: BigInt(dice.pick([0, 0, 0, 1, 1_000])) };
  const least = intrinsicGas(ruleSet, parts);
  return {
    ...parts,
    gasLimit: least + BigInt(spare + dice.below(300)) - (dice.oneIn(50) ? 5n : 0n),
    nonce: dice.oneIn(100) ? 1n : 0n,
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas < 2n ? maxFeePerGas : 2n,
    ...(hasBlobs ? blobsOf(dice) : NO_BLOBS),
  };
}

/** A random scene. */
export function randomScene(dice: Dice): RandomScene {
  const name = dice.pick(FUZZED_RULE_SETS);
  const ruleSet = ruleSetNamed(name);
  const messages = Array.from({ length: 1 + dice.below(3) }, (_, index): SceneMessage => {
    const purpose = dice.oneIn(4) ? 'call' : 'transact';
    const statesBack = dice.oneIn(4) ? dice.below(index + 1) : 0;
    const cheats = index > 0 && dice.oneIn(4) ? [cheat(ruleSet, dice), cheat(ruleSet, dice)] : [];
    return { purpose, statesBack, cheats, message: messageOf(ruleSet, dice) };
  });
  const withEmpty = dice.oneIn(2) ? [plainAccount(EMPTY, 0n)] : [];
  return {
    ruleSet: name,
    accounts: [
      plainAccount(SENDER, ETHER),
      ...CONTRACTS.map((address) => contractAt(address, ruleSet, dice)),
      ...AUTHORITIES.map((address) => authorityAt(address, dice)),
      ...withEmpty,
    ],
    environment: environmentOf(ruleSet, dice),
    messages,
  };
}
