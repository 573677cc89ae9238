import type { Common } from '@ethereumjs/common';
import { type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { bytesToBigInt, EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { KECCAK_EMPTY } from '../../../primitives/keccak.ts';
import { OPCODES, opcodeRange } from '../../../protocol/hardforks/opcodes.ts';
import { EnvironmentHeader } from '../environment-block.ts';
import type { LibraryOpcode, RunState } from '../reference-step.ts';
import {
  addressIn,
  callCodeGas,
  callGas,
  checkMemorySize,
  create2Gas,
  createGas,
  type GasFunction,
  selfDestructGas,
  valuelessCallGas,
} from './call-gas.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;
type CustomOpcode = CustomOpcodes[number];

const ALL_ONES = 2n ** 256n - 1n;

const { CREATE, CREATE2, SELFDESTRUCT } = OPCODES;

/** KECCAK256, the copies, loads, stores and logs, RETURN and REVERT: those that can expand the memory. */
const MEMORY_OPCODES = [
  ...[OPCODES.KECCAK256, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.EXTCODECOPY, OPCODES.RETURNDATACOPY],
  ...[
    ...opcodeRange('MLOAD', 'MSTORE8'),
    OPCODES.MCOPY,
    ...opcodeRange('LOG0', 'LOG4'),
    OPCODES.RETURN,
    OPCODES.REVERT,
  ],
];

const CALL_GAS: ReadonlyMap<number, GasFunction> = new Map<number, GasFunction>([
  [CREATE, createGas],
  [OPCODES.CALL, callGas],
  [OPCODES.CALLCODE, callCodeGas],
  [OPCODES.DELEGATECALL, valuelessCallGas],
  [CREATE2, create2Gas],
  [OPCODES.STATICCALL, valuelessCallGas],
  [SELFDESTRUCT, selfDestructGas],
]);

async function runInLibrary(entry: LibraryOpcode, runState: RunState, common: Common): Promise<void> {
  await entry.opHandler(runState, common);
}

/** After a creation the buffer of returned data is empty, whatever the initcode reverted with. */
async function create(entry: LibraryOpcode, runState: RunState, common: Common): Promise<void> {
  await runInLibrary(entry, runState, common);
  runState.returnBytes = EMPTY_BYTES;
}

/**
 * A contract without a balance does not touch its beneficiary. One that is its own beneficiary leaves no account behind
 * either, which this achieves in the library.
 */
async function selfDestruct({ interpreter, stack, env }: RunState): Promise<void> {
  const beneficiary = addressIn(stack.pop());
  await interpreter.selfDestruct(env.contract.balance === 0n ? env.address : beneficiary);
}

function logicOf(
  opcode: number,
): (entry: LibraryOpcode, runState: RunState, common: Common) => Promise<void> {
  if (opcode === CREATE || opcode === CREATE2) return create;
  if (opcode === SELFDESTRUCT) return (_entry, runState) => selfDestruct(runState);
  return runInLibrary;
}

function withMemoryLimit(entry: LibraryOpcode): GasFunction {
  return async (runState, baseFee, common) => {
    const gas = await entry.gasHandler(runState, baseFee, common);
    checkMemorySize(runState);
    return gas;
  };
}

/** CHAINID (EIP-1344) and SELFBALANCE (RSKIP-151), which the library has from Istanbul on only. */
const ISTANBUL_OPCODES: CustomOpcodes = [
  {
    opcode: OPCODES.CHAINID,
    opcodeName: 'CHAINID',
    baseFee: 2,
    logicFunction: ({ stack, interpreter }) => stack.push(interpreter.getChainId()),
  },
  {
    opcode: OPCODES.SELFBALANCE,
    opcodeName: 'SELFBALANCE',
    baseFee: 5,
    logicFunction: ({ stack, interpreter }) => stack.push(interpreter.getSelfBalance()),
  },
];

/** COINBASE: the library answers with the recipient of the fees, which need not be the miner. */
const COINBASE_OPCODE: CustomOpcode = {
  opcode: OPCODES.COINBASE,
  opcodeName: 'COINBASE',
  baseFee: 2,
  logicFunction: ({ stack, env }: RunState) => {
    const { header } = env.block;
    const miner = header instanceof EnvironmentHeader ? header.miner : header.coinbase.bytes;
    stack.push(bytesToBigInt(miner));
  },
};

/** Like the library's own opcodes on accounts, these read their operand before they charge gas. */
const withOperand: GasFunction = async ({ stack }, gas) => {
  stack.peek(1);
  return gas;
};

/** EXTCODESIZE and EXTCODEHASH: precompiles look like contracts, and an empty account is one that exists. */
const CODE_OPCODES: CustomOpcodes = [
  {
    opcode: OPCODES.EXTCODESIZE,
    opcodeName: 'EXTCODESIZE',
    baseFee: 700,
    gasFunction: withOperand,
    logicFunction: async ({ stack, stateManager, interpreter }: RunState) => {
      const address = addressIn(stack.pop());
      const isPrecompile = interpreter._evm.getPrecompile(address) !== undefined;
      stack.push(isPrecompile ? ALL_ONES : BigInt(await stateManager.getCodeSize(address)));
    },
  },
  {
    opcode: OPCODES.EXTCODEHASH,
    opcodeName: 'EXTCODEHASH',
    baseFee: 400,
    gasFunction: withOperand,
    logicFunction: async ({ stack, stateManager, interpreter }: RunState) => {
      const address = addressIn(stack.pop());
      const isPrecompile = interpreter._evm.getPrecompile(address) !== undefined;
      const hash = isPrecompile ? KECCAK_EMPTY : (await stateManager.getAccount(address))?.codeHash;
      stack.push(BigInt(`0x${Buffer.from(hash ?? Uint8Array.of(0)).toString('hex')}`));
    },
  },
];

/** Returns the opcodes that the network has or prices differently from the library's for `common`. */
export function rootstockOpcodes(common: Common): CustomOpcodes {
  const { opcodeMap } = getOpcodesForHF(common);
  const changed = (opcode: number, priceOf: (entry: LibraryOpcode) => GasFunction): CustomOpcode => {
    const entry = opcodeMap[opcode];
    if (entry === undefined) throw new Error(`the library has no opcode ${opcode}`);
    const logic = logicOf(opcode);
    return {
      opcode,
      opcodeName: entry.opcodeInfo.name,
      baseFee: entry.opcodeInfo.fee,
      gasFunction: priceOf(entry),
      logicFunction: (runState: RunState) => logic(entry, runState, common),
    };
  };
  return [
    ...ISTANBUL_OPCODES,
    COINBASE_OPCODE,
    ...CODE_OPCODES,
    ...MEMORY_OPCODES.map((opcode) => changed(opcode, withMemoryLimit)),
    ...[...CALL_GAS].map(([opcode, gas]) => changed(opcode, () => gas)),
  ];
}
