/** Numbers and offsets shared by host and module; `assembly/layout.ts` has the module's half. */

import { OPCODES, type OpcodeName } from '../../protocol/hardforks/opcodes.ts';
import type { FrameKind } from '../observer.ts';

/** The result of a frame, instruction or request. Negative values mean that it has not ended. */
export const END = {
  /** The host must fetch state first; the instruction is then executed again. */
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
  /** A precompile rejected its input. */
  precompileFailed: 15,
  /** Set by the host after the module threw. */
  outOfMemory: 16,
  /** A precompile called directly by the message rejected its input, but the message succeeds. */
  precompileRejected: 17,
  nonceOverflow: 18,
} as const;

/** The kinds of frames, by the opcode that starts them. */
export const KIND = {
  CALL: 0,
  STATICCALL: 1,
  DELEGATECALL: 2,
  CALLCODE: 3,
  CREATE: 4,
  CREATE2: 5,
  SELFDESTRUCT: 6,
} as const satisfies Readonly<Record<FrameKind, number>>;

/** The host's result of a precompile call. */
export const PRECOMPILE_ANSWER = { succeeded: 1, refused: 2, outOfGas: 3 } as const;

/** The offsets of the fields of an account record. */
export const ACCOUNT = {
  address: 0,
  balance: 32,
  nonce: 64,
  codeLength: 72,
  flags: 76,
  /** 32 bytes as hashed (big-endian), not a word. */
  codeHash: 80,
  /** Incremented when all storage is cleared, which invalidates the slots of older generations. */
  generation: 112,
  /** The code; valid if `codeTick` equals the tick of the code store. */
  code: 116,
  journaledEnd: 120,
  codeTick: 120,
  /** The last message that touched the account. The account is warm in this message (EIP-2929). */
  warmIn: 124,
  next: 128,
  isLoaded: 132,
  /** The message whose list of changes includes the account. */
  listedIn: 136,
  size: 144,
} as const;

/** The flags of an account record. */
export const FLAG = {
  exists: 1,
  /** The state below has no storage of the account. */
  storageEmpty: 2,
  precompile: 4,
  /** Created by this message (EIP-6780). */
  created: 8,
  /** Destroyed by SELFDESTRUCT in this message. */
  ended: 16,
  /** The code is a delegation (EIP-7702). */
  delegates: 32,
  /** The address is reserved until the block ends, because its contract was destroyed in the block. */
  taken: 64,
  /** This message set new code. */
  codeSet: 128,
  /** The Solidity console; the module calls the host for each call to it. */
  console: 256,
  /** A precompile that may compute for long or read values of another chain; the host prepares each call. */
  stepped: 512,
  /** Like {@link FLAG.stepped}, but only for calls with a long input. */
  steppedIfLong: 1024,
  /** The rule set has a precompile at the address, so the account is always warm (EIP-2929). */
  builtIn: 2048,
} as const;

/** The offsets of the fields of a slot record. For transient storage, `owner` is the account plus 1. */
export const SLOT = {
  key: 0,
  current: 32,
  /** The value before the message; valid if `originalIn` equals the message. */
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

/** The offsets of a changed slot in the list of changes. Each field is a big-endian word of 32 bytes. */
export const SLOT_CHANGE = { key: 0, value: 32, owner: 64, size: 96 } as const;

/** The offsets of a log: address, number of topics, length of the data, four topics, data. */
export const LOG = { address: 0, topicCount: 32, length: 36, topics: 48, data: 176 } as const;

function contextWord(opcode: OpcodeName): number {
  return OPCODES[opcode] - OPCODES.ADDRESS;
}

/** The indexes of the context words that opcodes push. */
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

const WORD_SIZE = 32;
/** The words of the context that opcodes push, from ADDRESS (0x30) to 0x4f. */
const CONTEXT_WORDS = 32;
/** The maximum number of blobs of a message under all rule sets. */
const MAX_BLOBS = 16;

/**
 * The offsets of the other fields of the context, after the words of {@link CONTEXT_WORD}. The host writes the
 * context before each message. Amounts of wei and addresses are words. Gas is a signed 64-bit number.
 */
export const CONTEXT = {
  /** The account that receives the fee. */
  feeRecipient: WORD_SIZE * CONTEXT_WORDS,
  /** The called account; unused in a creation. */
  target: WORD_SIZE * (CONTEXT_WORDS + 1),
  /** Wei for the gas and the blob gas. */
  cost: WORD_SIZE * (CONTEXT_WORDS + 2),
  /** Minimum wei that the sender has after it paid the cost. A lower balance is raised. */
  minBalance: WORD_SIZE * (CONTEXT_WORDS + 3),
  /** Gas for the execution. */
  gas: WORD_SIZE * (CONTEXT_WORDS + 4),
  /** Gas of the first slice. */
  slice: WORD_SIZE * (CONTEXT_WORDS + 4) + 8,
  /** State gas left, and state gas used by the authorizations. */
  reservoir: WORD_SIZE * (CONTEXT_WORDS + 4) + 16,
  stateGas: WORD_SIZE * (CONTEXT_WORDS + 4) + 24,
  /** The refund for authorizations. */
  refund: WORD_SIZE * (CONTEXT_WORDS + 5),
  /** 32-bit numbers: 1 to create a contract, and the number of blobs. */
  isCreation: WORD_SIZE * (CONTEXT_WORDS + 5) + 8,
  blobCount: WORD_SIZE * (CONTEXT_WORDS + 5) + 12,
  blobHashes: WORD_SIZE * (CONTEXT_WORDS + 6),
  size: WORD_SIZE * (CONTEXT_WORDS + 6 + MAX_BLOBS),
} as const;

/** The offsets of the result of a message. Gas is a signed 64-bit number; other fields have 32 bits. */
export const RESULT = {
  gas: 0,
  refund: 8,
  /** State gas left and used. */
  reservoir: 16,
  stateGas: 24,
  /** Bytes of the logs. */
  logBytes: 32,
  returnData: 36,
  returnLength: 40,
  /** The record of the called or created account. */
  target: 44,
  /** Bytes of the accounts and of the slots in the list of changes. */
  accountBytes: 48,
  slotBytes: 52,
  /** See `Message.onUnobservedGas`. */
  isGasUnobserved: 56,
  size: 64,
} as const;

/**
 * The offsets of the numbers of an event, all signed 64-bit. `gas` is the gas of a frame, or the gas left at
 * a step. For a precompile, it is the gas available; the host replaces it by the price.
 */
export const EVENT = { gas: 0, cost: 8, refund: 16, surcharge: 24, size: 32 } as const;
