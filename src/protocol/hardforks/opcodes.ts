/** The opcodes of all rule sets by name, and INVALID, which no rule set has. */
export const OPCODES = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  SMOD: 0x07,
  ADDMOD: 0x08,
  MULMOD: 0x09,
  EXP: 0x0a,
  SIGNEXTEND: 0x0b,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  SGT: 0x13,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  BYTE: 0x1a,
  SHL: 0x1b,
  SHR: 0x1c,
  SAR: 0x1d,
  CLZ: 0x1e,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  DIFFICULTY: 0x44,
  GASLIMIT: 0x45,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBHASH: 0x49,
  BLOBBASEFEE: 0x4a,
  SLOTNUM: 0x4b,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  PUSH0: 0x5f,
  PUSH1: 0x60,
  PUSH32: 0x7f,
  DUP1: 0x80,
  DUP16: 0x8f,
  SWAP1: 0x90,
  SWAP16: 0x9f,
  LOG0: 0xa0,
  LOG4: 0xa4,
  DUPN: 0xe6,
  SWAPN: 0xe7,
  EXCHANGE: 0xe8,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
} as const;

export type OpcodeName = keyof typeof OPCODES;

/**
 * The static gas of each byte, without the gas that depends on operands and state; `null` for an undefined
 * opcode, which halts its frame.
 */
export type OpcodePrices = readonly (number | null)[];

/** Returns the opcodes from `first` to `last`, inclusive. */
export function opcodeRange(first: OpcodeName, last: OpcodeName): number[] {
  const start = OPCODES[first];
  return Array.from({ length: OPCODES[last] - start + 1 }, (_, offset) => start + offset);
}

/** Returns the prices with changed or added opcodes. */
export function withOpcodes(
  base: OpcodePrices,
  prices: Readonly<Partial<Record<OpcodeName, number>>>,
): OpcodePrices {
  const opcodes = [...base];
  for (const [name, price] of Object.entries(prices)) opcodes[OPCODES[name as OpcodeName]] = price;
  return opcodes;
}

/**
 * The items that an opcode pops from the stack, and the items that it pushes. Excludes the items selected by
 * the immediate byte of DUPN, SWAPN and EXCHANGE.
 */
export interface StackUse {
  readonly taken: number;
  readonly left: number;
}

/** The first and last opcodes of ranges. */
type RowEnd = 'PUSH1' | 'PUSH32' | 'DUP1' | 'DUP16' | 'SWAP1' | 'SWAP16' | 'LOG0' | 'LOG4';
type SingleName = Exclude<OpcodeName, RowEnd>;

function use<Name extends SingleName>(taken: number, left: number, ...names: Name[]): Record<Name, StackUse> {
  return Object.fromEntries(names.map((name) => [name, { taken, left }])) as Record<Name, StackUse>;
}

/** The stack use of all opcodes outside ranges. The type checks that no opcode is missing. */
const NAMED_STACK_USE: Readonly<Record<SingleName, StackUse>> = {
  ...use(0, 0, 'STOP', 'JUMPDEST', 'INVALID'),
  ...use(0, 1, 'ADDRESS', 'ORIGIN', 'CALLER', 'CALLVALUE', 'CALLDATASIZE', 'CODESIZE', 'GASPRICE'),
  ...use(0, 1, 'RETURNDATASIZE', 'COINBASE', 'TIMESTAMP', 'NUMBER', 'DIFFICULTY', 'GASLIMIT', 'CHAINID'),
  ...use(0, 1, 'SELFBALANCE', 'BASEFEE', 'BLOBBASEFEE', 'SLOTNUM', 'PC', 'MSIZE', 'GAS', 'PUSH0'),
  ...use(0, 1, 'DUPN'),
  ...use(0, 0, 'SWAPN', 'EXCHANGE'),
  ...use(1, 0, 'POP', 'JUMP', 'SELFDESTRUCT'),
  ...use(2, 0, 'MSTORE', 'MSTORE8', 'SSTORE', 'JUMPI', 'TSTORE', 'RETURN', 'REVERT'),
  ...use(3, 0, 'CALLDATACOPY', 'CODECOPY', 'RETURNDATACOPY', 'MCOPY'),
  ...use(4, 0, 'EXTCODECOPY'),
  ...use(1, 1, 'ISZERO', 'NOT', 'CLZ', 'BALANCE', 'CALLDATALOAD', 'EXTCODESIZE', 'EXTCODEHASH'),
  ...use(1, 1, 'BLOCKHASH', 'BLOBHASH', 'MLOAD', 'SLOAD', 'TLOAD'),
  ...use(2, 1, 'ADD', 'MUL', 'SUB', 'DIV', 'SDIV', 'MOD', 'SMOD', 'EXP', 'SIGNEXTEND', 'LT', 'GT', 'SLT'),
  ...use(2, 1, 'SGT', 'EQ', 'AND', 'OR', 'XOR', 'BYTE', 'SHL', 'SHR', 'SAR', 'KECCAK256'),
  ...use(3, 1, 'ADDMOD', 'MULMOD', 'CREATE'),
  ...use(4, 1, 'CREATE2'),
  ...use(6, 1, 'DELEGATECALL', 'STATICCALL'),
  ...use(7, 1, 'CALL', 'CALLCODE'),
};

function stackUse(): readonly StackUse[] {
  const table = new Array<StackUse>(256).fill({ taken: 0, left: 0 });
  for (const [name, opcode] of Object.entries(OPCODES)) {
    if (name in NAMED_STACK_USE) table[opcode] = NAMED_STACK_USE[name as SingleName];
  }
  for (const opcode of opcodeRange('PUSH1', 'PUSH32')) table[opcode] = { taken: 0, left: 1 };
  for (let count = 1; count <= 16; count++) {
    table[OPCODES.DUP1 + count - 1] = { taken: count, left: count + 1 };
    table[OPCODES.SWAP1 + count - 1] = { taken: count + 1, left: count + 1 };
  }
  for (let topics = 0; topics <= 4; topics++) table[OPCODES.LOG0 + topics] = { taken: 2 + topics, left: 0 };
  return table;
}

/** The stack use of each byte. */
export const STACK_USE: readonly StackUse[] = stackUse();

/**
 * Returns the stack height that DUPN, SWAPN or EXCHANGE requires for an immediate byte (EIP-8024). Returns 0
 * if the immediate is invalid; the opcode is then undefined, and the byte is the next opcode.
 */
function deepReach(opcode: number, immediate: number): number {
  const isAllowed = immediate >= 0x80 || immediate <= (opcode === OPCODES.EXCHANGE ? 0x51 : 0x5a);
  if (!isAllowed) return 0;
  const single = (immediate + 145) & 0xff;
  if (opcode === OPCODES.DUPN) return single;
  if (opcode === OPCODES.SWAPN) return single + 1;
  const pair = immediate ^ 0x8f;
  const [high, low] = [pair >> 4, pair & 0xf];
  return high < low ? low + 2 : 30 - high;
}

/**
 * Returns the length of the operands after the opcode at `pc`: the data of a push, or the immediate byte of
 * DUPN, SWAPN or EXCHANGE. Older rule sets halt at these three opcodes. Bytes beyond the end of the code are
 * zeros.
 */
export function operandLength(code: Uint8Array, pc: number): number {
  const opcode = code[pc] ?? 0;
  if (opcode >= OPCODES.PUSH1 && opcode <= OPCODES.PUSH32) return opcode - OPCODES.PUSH1 + 1;
  if (opcode < OPCODES.DUPN || opcode > OPCODES.EXCHANGE) return 0;
  return deepReach(opcode, code[pc + 1] ?? 0) === 0 ? 0 : 1;
}
