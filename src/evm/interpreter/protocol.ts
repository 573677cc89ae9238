/**
 * The protocol between host and module: numbers and offsets in linear memory. The module's half, with explanations, is
 * in `assembly/layout.ts`.
 */

/** How a frame ended; negative while it has not. */
export const END = {
  suspended: -3,
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
  precompileFailed: 15,
  /** Set by the host: the module threw. */
  outOfMemory: 16,
  precompileRefused: 17,
} as const;

/** The kinds of calls of a precompile. */
export const KIND = { call: 0, staticCall: 1, delegateCall: 2, callCode: 3 } as const;

/** The offsets of the fields of an account record. */
export const ACCOUNT = {
  address: 0,
  balance: 32,
  nonce: 64,
  codeLength: 72,
  flags: 76,
  codeHash: 80,
  size: 144,
} as const;

export const FLAG = {
  exists: 1,
  storageEmpty: 2,
  precompile: 4,
  ended: 16,
  delegates: 32,
  taken: 64,
  codeSet: 128,
  console: 256,
  stepped: 512,
  steppedIfLong: 1024,
} as const;

/** The offsets of the fields of a slot record. */
export const SLOT = { key: 0, current: 32 } as const;

/** The offsets of the parts of a reported slot change; the owner is at the end of its 32 bytes. */
export const SLOT_CHANGE = { value: 32, owner: 76, size: 96 } as const;

/** The offsets of the parts of a log. */
export const LOG = { topicCount: 32, length: 36, topics: 48, data: 176 } as const;

/** The indexes of the words of the context that opcodes push. */
export const CONTEXT_WORD = {
  origin: 0x02,
  value: 0x04,
  gasPrice: 0x0a,
  coinbase: 0x11,
  timestamp: 0x12,
  number: 0x13,
  difficulty: 0x14,
  gasLimit: 0x15,
  chainId: 0x16,
  baseFee: 0x18,
  blobBaseFee: 0x1a,
} as const;
