/** The layout of the bytes that the sandbox of a tracer shares with its host, and the numbers of its questions to the host. */
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
    /** Counts frames, so that what was read of one is known to be of another. */
    frame: 8,
    /** 1 where the last step has an error. */
    hasError: 9,
    /** The gas of the frame that began or ended last. */
    frameGas: 10,
    /** 1 where the frame that began last has a value. */
    hasValue: 11,
    /** A parameter of a call of the host, and the number that it gives. */
    argument: 12,
    secondArgument: 13,
  },
  /** Offsets of bytes. */
  /** An address, of a parameter or that the host gives. */
  address: 128,
  slot: 160,
  /** A word that the host gives, the least significant byte first. */
  word: 192,
  /** The sender of the frame that began last. */
  from: 224,
  to: 256,
  value: 288,
  /** The topmost items of the stack as words, the top last. */
  stack: 320,
  stackItems: 16,
  size: 320 + 16 * 32,
  /** The questions that the host is called for. */
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

/** A number of `SANDBOX_LAYOUT.ask`. */
export type HostQuestion = (typeof SANDBOX_LAYOUT.ask)[keyof typeof SANDBOX_LAYOUT.ask];
