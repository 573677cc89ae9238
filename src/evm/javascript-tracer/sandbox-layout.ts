/** The layout of the bytes shared by the sandbox and its host, and the numbers of the host requests. */
export const SANDBOX_LAYOUT = {
  /** Indexes of numbers, 8 bytes each. */
  number: {
    pc: 0,
    opcode: 1,
    gas: 2,
    cost: 3,
    depth: 4,
    refund: 5,
    stackHeight: 6,
    memorySize: 7,
    /** Frame counter, to detect that cached data belongs to another frame. */
    frame: 8,
    /** 1 if the last step or frame has an error. */
    hasError: 9,
    /** The gas of the frame that started or ended last. */
    frameGas: 10,
    /** 1 if the frame that started last has a value. */
    hasValue: 11,
    /** An argument of a host call, and its numeric result. */
    argument: 12,
    secondArgument: 13,
  },
  /** Byte offsets: */
  /** An address, as argument or result. */
  address: 128,
  slot: 160,
  /** A word returned by the host, little-endian. */
  word: 192,
  /** The sender of the frame that started last. */
  from: 224,
  to: 256,
  value: 288,
  /** The topmost stack items as words, with the top last. */
  stack: 320,
  stackItems: 16,
  size: 320 + 16 * 32,
  /** The requests to the host. */
  ask: {
    stackItem: 0,
    memory: 1,
    contract: 2,
    balance: 3,
    nonce: 4,
    code: 5,
    storage: 6,
    exists: 7,
    contractAddress: 8,
    saltedContractAddress: 9,
    isPrecompile: 10,
    frameInput: 11,
    frameOutput: 12,
    frameKind: 13,
    error: 14,
    opcodeName: 15,
    input: 16,
    output: 17,
  },
} as const;

/** One of `SANDBOX_LAYOUT.ask`. */
export type HostQuestion = (typeof SANDBOX_LAYOUT.ask)[keyof typeof SANDBOX_LAYOUT.ask];
