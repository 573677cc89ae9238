/**
 * The protocol between host and module: numbers and offsets in linear memory. The module's half, with explanations, is
 * in `assembly/layout.ts`.
 */

import { OPCODES, type OpcodeName } from '../../protocol/hardforks/opcodes.ts';
import type { FrameKind } from '../observer.ts';

/** The ends of a frame, an instruction or a request; below zero it has not ended yet. */
export const END = {
  /** The host must bring something first: the instruction is executed again. */
  suspended: -3,
  /** The slice of gas is used up. */
  sliced: -2,
  notYet: -1,
  success: 0,
  revert: 1,
  outOfGas: 2,
  stackUnderflow: 3,
  stackOverflow: 4,
  invalidJump: 5,
  staticCall: 6,
  invalidOpcode: 7,
  codeTooLarge: 8,
  initcodeTooLarge: 9,
  codeStartsWithEf: 10,
  addressTaken: 11,
  balanceOverflow: 12,
  balanceTooLow: 13,
  callTooDeep: 14,
  /** A precompile cannot work on its input. */
  precompileFailed: 15,
  /** Set by the host: the module threw. */
  outOfMemory: 16,
  /** The precompile that the message itself calls cannot work on its input, and the message succeeds nevertheless. */
  precompileRefused: 17,
} as const;

/** The kinds of frames, by what begins them. */
export const KIND = {
  CALL: 0,
  STATICCALL: 1,
  DELEGATECALL: 2,
  CALLCODE: 3,
  CREATE: 4,
  CREATE2: 5,
  SELFDESTRUCT: 6,
} as const satisfies Readonly<Record<FrameKind, number>>;

/** The host's answer to the call of a precompile. */
export const PRECOMPILE_ANSWER = { succeeded: 1, refused: 2, outOfGas: 3 } as const;

/** The offsets of the fields of an account record. */
export const ACCOUNT = {
  address: 0,
  balance: 32,
  nonce: 64,
  codeLength: 72,
  flags: 76,
  /** 32 bytes as hashed, not a word. */
  codeHash: 80,
  /** Raised when all storage is cleared: slots of an older generation are void. */
  generation: 112,
  /** The code, as long as `codeTick` is the code store's. */
  code: 116,
  journaledEnd: 120,
  codeTick: 120,
  /** The message in which the account was touched last; it is warm in that one (EIP-2929). */
  warmIn: 124,
  next: 128,
  isLoaded: 132,
  /** The message whose list of changes holds the account. */
  listedIn: 136,
  size: 144,
} as const;

/** The flags of an account record. */
export const FLAG = {
  exists: 1,
  /** The state below holds no storage of it. */
  storageEmpty: 2,
  precompile: 4,
  /** Created by this message (EIP-6780). */
  created: 8,
  /** Ended by SELFDESTRUCT in this message. */
  ended: 16,
  /** Its code names another account whose code runs (EIP-7702). */
  delegates: 32,
  /** The address is taken until the block ends (a contract ended there earlier in the block). */
  taken: 64,
  /** Given new code by this message. */
  codeSet: 128,
  /** The console of contracts: the host is called for each call to it. */
  console: 256,
  /** A precompile that may compute for long or needs values of another chain: the host prepares each call of it. */
  stepped: 512,
  /** As {@link FLAG.stepped}, but only for calls whose input is long. */
  steppedIfLong: 1024,
  /** A precompile of the rules has the address, and so the account is always warm, whatever runs there (EIP-2929). */
  builtIn: 2048,
} as const;

/**
 * The places of the fields of a slot record: a slot of an account's storage, or of its transient storage (then `owner` is
 * the account plus 1).
 */
export const SLOT = {
  key: 0,
  current: 32,
  /** The value before the message, as long as `originalIn` is the message. */
  original: 64,
  owner: 96,
  generation: 100,
  originalIn: 104,
  warmIn: 108,
  next: 112,
  isLoaded: 116,
  listedIn: 120,
  size: 128,
} as const;

/** The places of the parts of a changed slot in the list of changes: words as they are written, 32 bytes each. */
export const SLOT_CHANGE = { key: 0, value: 32, owner: 64, size: 96 } as const;

/** The places of the parts of a log: its address, the number of its topics, the length of its data, four topics, the data. */
export const LOG = { address: 0, topicCount: 32, length: 36, topics: 48, data: 176 } as const;

const WORD_SIZE = 32;
/** The most blobs of a message under any rule set. */
const MOST_BLOBS = 16;

/** The places of the number of the message's blobs, and of the words of their hashes. */
export const BLOBS = { count: 0, hashes: WORD_SIZE, size: WORD_SIZE * (1 + MOST_BLOBS) } as const;

function contextWord(opcode: OpcodeName): number {
  return OPCODES[opcode] - OPCODES.ADDRESS;
}

/** The indexes of the words of the context that opcodes push. */
export const CONTEXT_WORD = {
  address: contextWord('ADDRESS'),
  origin: contextWord('ORIGIN'),
  caller: contextWord('CALLER'),
  value: contextWord('CALLVALUE'),
  gasPrice: contextWord('GASPRICE'),
  coinbase: contextWord('COINBASE'),
  timestamp: contextWord('TIMESTAMP'),
  number: contextWord('NUMBER'),
  difficulty: contextWord('DIFFICULTY'),
  gasLimit: contextWord('GASLIMIT'),
  chainId: contextWord('CHAINID'),
  baseFee: contextWord('BASEFEE'),
  blobBaseFee: contextWord('BLOBBASEFEE'),
  slotNumber: contextWord('SLOTNUM'),
} as const;
