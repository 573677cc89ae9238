import { OPCODES, type OpcodeName, opcodeRange } from './opcodes.ts';

/** Which of the 256 bytes are opcodes. Any other byte in code halts the frame that comes to it. */
export type OpcodeAvailability = readonly boolean[];

function withOpcodes(base: OpcodeAvailability, ...names: OpcodeName[]): OpcodeAvailability {
  const added = names.map((name) => OPCODES[name]) as readonly number[];
  return base.map((exists, opcode) => exists || added.includes(opcode));
}

const FIRST_OPCODES: ReadonlySet<number> = new Set([
  ...opcodeRange('STOP', 'SIGNEXTEND'),
  // SHL, SHR and SAR are EIP-145.
  ...opcodeRange('LT', 'SAR'),
  OPCODES.KECCAK256,
  // RETURNDATASIZE and RETURNDATACOPY are EIP-211, EXTCODEHASH is EIP-1052.
  ...opcodeRange('ADDRESS', 'EXTCODEHASH'),
  ...opcodeRange('BLOCKHASH', 'GASLIMIT'),
  ...opcodeRange('POP', 'JUMPDEST'),
  ...opcodeRange('PUSH1', 'PUSH32'),
  ...opcodeRange('DUP1', 'DUP16'),
  ...opcodeRange('SWAP1', 'SWAP16'),
  ...opcodeRange('LOG0', 'LOG4'),
  // DELEGATECALL is EIP-7, CREATE2 is EIP-1014.
  ...opcodeRange('CREATE', 'CREATE2'),
  // EIP-214
  OPCODES.STATICCALL,
  // EIP-140
  OPCODES.REVERT,
  OPCODES.SELFDESTRUCT,
]);

/** The opcodes of Constantinople, which Petersburg leaves as they are. */
export const CONSTANTINOPLE_OPCODES: OpcodeAvailability = Array.from({ length: 256 }, (_, opcode) =>
  FIRST_OPCODES.has(opcode),
);

/** CHAINID is EIP-1344, SELFBALANCE EIP-1884. Berlin adds none. */
export const ISTANBUL_OPCODES = withOpcodes(CONSTANTINOPLE_OPCODES, 'CHAINID', 'SELFBALANCE');

/** BASEFEE is EIP-3198. Paris adds none. */
export const LONDON_OPCODES = withOpcodes(ISTANBUL_OPCODES, 'BASEFEE');

/** PUSH0 is EIP-3855. */
export const SHANGHAI_OPCODES = withOpcodes(LONDON_OPCODES, 'PUSH0');

/** TLOAD and TSTORE are EIP-1153, MCOPY EIP-5656, BLOBHASH EIP-4844, BLOBBASEFEE EIP-7516. Prague adds none. */
export const CANCUN_OPCODES = withOpcodes(
  SHANGHAI_OPCODES,
  'TLOAD',
  'TSTORE',
  'MCOPY',
  'BLOBHASH',
  'BLOBBASEFEE',
);

/**
 * The network's: CHAINID (RSKIP-152), SELFBALANCE (RSKIP-151), BASEFEE (RSKIP-412), PUSH0 (RSKIP-398), TLOAD and
 * TSTORE (RSKIP-446), MCOPY (RSKIP-445).
 */
export const ROOTSTOCK_OPCODES = withOpcodes(
  CONSTANTINOPLE_OPCODES,
  'CHAINID',
  'SELFBALANCE',
  'BASEFEE',
  'PUSH0',
  'TLOAD',
  'TSTORE',
  'MCOPY',
);
