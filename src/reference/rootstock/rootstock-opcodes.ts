import type { Common } from '@ethereumjs/common';
import { EVMError, type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { bigIntMin, createAddressFromBigInt } from '@ethereumjs/util';
import { bytesToBigInt, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { KECCAK_EMPTY } from '../../primitives/keccak.ts';
import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import { EnvironmentHeader } from '../library-input.ts';
import type { LibraryOpcode, RunState } from '../reference-step.ts';

// Rootstock's gas prices of calls and creations, for ethereumjs.

/** Words of the maximum memory (2^30 bytes). */
const MAXIMUM_WORDS = 2n ** 25n;

/** Halts the frame as out of gas if its memory would exceed the maximum. */
function checkMemorySize({ memoryWordCount }: Pick<RunState, 'memoryWordCount'>): void {
  if (memoryWordCount > MAXIMUM_WORDS) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
}

/** Returns the gas to expand the memory, and updates the memory size in ethereumjs. */
function memoryGas(runState: RunState, offset: bigint, length: bigint): bigint {
  if (length === 0n) return 0n;
  const words = (offset + length + 31n) / 32n;
  checkMemorySize({ memoryWordCount: words });
  if (words <= runState.memoryWordCount) return 0n;
  const total = 3n * words + (words * words) / 512n;
  const added = total - runState.highestMemCost;
  runState.memoryWordCount = words;
  runState.highestMemCost = total;
  return added;
}

/** The EIP of cold and warm accesses (RSKIP-555). */
const ACCESS_PRICES = 2929;

/** The extra gas of the callee in a call with value. */
const STIPEND = 2_300n;

const { errorMessages } = EVMError;

/** Returns the price of an opcode, including `baseFee`. */
type GasFunction = (runState: RunState, baseFee: bigint, common: Common) => Promise<bigint>;

/** Returns the address in the lower 20 bytes of a word. */
function addressIn(word: bigint | undefined): ReturnType<typeof createAddressFromBigInt> {
  return createAddressFromBigInt(BigInt.asUintN(160, word ?? 0n));
}

/** Halts the frame in a static call (EIP-214). */
function rejectStatic({ interpreter }: RunState): void {
  if (interpreter.isStatic()) throw new EVMError(errorMessages.STATIC_STATE_CHANGE);
}

/** Returns the surcharge for a missing account. Precompiles exist in Rootstock's genesis. */
async function newAccountGas(runState: RunState, word: bigint | undefined, common: Common): Promise<bigint> {
  const address = addressIn(word);
  if (runState.interpreter._evm.getPrecompile(address) !== undefined) return 0n;
  const account = await runState.stateManager.getAccount(address);
  return account === undefined ? common.param('callNewAccountGas') : 0n;
}

/** Returns true if this is the first access to the account in the message (EIP-2929), and makes it warm. */
function isFirstAccess({ interpreter: { journal } }: RunState, word: bigint | undefined): boolean {
  const { bytes } = addressIn(word);
  if (journal.isWarmedAddress(bytes)) return false;
  journal.addWarmedAddress(bytes);
  return true;
}

/** Returns the price of an access to an account (RSKIP-555); 0 without this rule. */
function accessGas(runState: RunState, word: bigint | undefined, common: Common): bigint {
  if (!common.isActivatedEIP(ACCESS_PRICES)) return 0n;
  return common.param(isFirstAccess(runState, word) ? 'coldaccountaccessGas' : 'warmstoragereadGas');
}

/** Sets the gas of the callee: requested gas plus stipend, capped. The caller pays all of it. */
function passOn(runState: RunState, cost: bigint, requested: bigint, value: bigint): bigint {
  const left = runState.interpreter.getGasLeft() - cost;
  const stipend = value === 0n ? 0n : STIPEND;
  if (left < stipend) throw new EVMError(errorMessages.OUT_OF_GAS);
  runState.messageGasLimit = bigIntMin(left, requested + stipend);
  return cost;
}

/** CALL: charges for value, and for any account that does not exist, even without value. */
const callGas: GasFunction = async (runState, baseFee, common) => {
  const [requested = 0n, to, value = 0n, ...areas] = runState.stack.peek(7);
  if (value !== 0n) rejectStatic(runState);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  let gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  gas += accessGas(runState, to, common);
  gas += await newAccountGas(runState, to, common);
  if (value !== 0n) gas += common.param('callValueTransferGas');
  return passOn(runState, gas, requested, value);
};

/** CALLCODE: charges for value. */
const callCodeGas: GasFunction = async (runState, baseFee, common) => {
  const [requested = 0n, to, value = 0n, ...areas] = runState.stack.peek(7);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  let gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  gas += accessGas(runState, to, common);
  if (value !== 0n) gas += common.param('callValueTransferGas');
  return passOn(runState, gas, requested, value);
};

/** DELEGATECALL and STATICCALL: no value. */
const valuelessCallGas: GasFunction = async (runState, baseFee, common) => {
  const [requested = 0n, to, ...areas] = runState.stack.peek(6);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  let gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  gas += accessGas(runState, to, common);
  return passOn(runState, gas, requested, 0n);
};

/** Returns the gas function of a creation. `hashes`: how many times the initcode is hashed. */
function creationGas(operands: number, hashes: bigint): GasFunction {
  return async (runState, baseFee, common) => {
    rejectStatic(runState);
    const [, offset = 0n, length = 0n] = runState.stack.peek(operands);
    const words = (length + 31n) / 32n;
    const perWord = common.param('initCodeWordGas') + hashes * common.param('keccak256WordGas');
    const gas = baseFee + memoryGas(runState, offset, length) + words * perWord;
    runState.messageGasLimit = runState.interpreter.getGasLeft() - gas;
    return gas;
  };
}

const createGas = creationGas(3, 0n);
const create2Gas = creationGas(4, 1n);

/** SELFDESTRUCT: charges for a beneficiary that does not exist, even if the balance is zero. */
const selfDestructGas: GasFunction = async (runState, baseFee, common) => {
  rejectStatic(runState);
  const [beneficiary] = runState.stack.peek(1);
  const isCold = common.isActivatedEIP(ACCESS_PRICES) && isFirstAccess(runState, beneficiary);
  const access = isCold ? common.param('coldaccountaccessGas') : 0n;
  return baseFee + access + (await newAccountGas(runState, beneficiary, common));
};

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;
type CustomOpcode = CustomOpcodes[number];

const ALL_ONES = 2n ** 256n - 1n;

const { CREATE, CREATE2, SELFDESTRUCT } = OPCODES;

/** The opcodes that can expand the memory: KECCAK256, copies, loads, stores, logs, RETURN and REVERT. */
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

/** The return data is empty after a creation, even if the initcode reverted with data. */
async function create(entry: LibraryOpcode, runState: RunState, common: Common): Promise<void> {
  await runInLibrary(entry, runState, common);
  runState.returnBytes = EMPTY_BYTES;
}

/**
 * A contract without a balance does not touch its beneficiary. Using the contract itself as the beneficiary
 * has this effect in ethereumjs.
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

/** CHAINID (EIP-1344) and SELFBALANCE (RSKIP-151). ethereumjs has them only from Istanbul on. */
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

/** COINBASE: ethereumjs returns the fee recipient, which may differ from the miner. */
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

/** Reads the operand before charging gas, like the account opcodes of ethereumjs. */
const accountGas: GasFunction = async (runState, gas, common) => {
  const [address] = runState.stack.peek(1);
  return gas + accessGas(runState, address, common);
};

/** EXTCODESIZE and EXTCODEHASH: precompiles look like contracts, and empty accounts exist. */
const codeOpcodes = (common: Common): CustomOpcodes => [
  {
    opcode: OPCODES.EXTCODESIZE,
    opcodeName: 'EXTCODESIZE',
    baseFee: common.isActivatedEIP(ACCESS_PRICES) ? 0 : 700,
    gasFunction: accountGas,
    logicFunction: async ({ stack, stateManager, interpreter }: RunState) => {
      const address = addressIn(stack.pop());
      const isPrecompile = interpreter._evm.getPrecompile(address) !== undefined;
      stack.push(isPrecompile ? ALL_ONES : BigInt(await stateManager.getCodeSize(address)));
    },
  },
  {
    opcode: OPCODES.EXTCODEHASH,
    opcodeName: 'EXTCODEHASH',
    baseFee: common.isActivatedEIP(ACCESS_PRICES) ? 0 : 400,
    gasFunction: accountGas,
    logicFunction: async ({ stack, stateManager, interpreter }: RunState) => {
      const address = addressIn(stack.pop());
      const isPrecompile = interpreter._evm.getPrecompile(address) !== undefined;
      const hash = isPrecompile ? KECCAK_EMPTY : (await stateManager.getAccount(address))?.codeHash;
      stack.push(BigInt(`0x${Buffer.from(hash ?? Uint8Array.of(0)).toString('hex')}`));
    },
  },
];

/** Returns the opcodes that Rootstock adds or prices differently. */
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
    ...codeOpcodes(common),
    ...MEMORY_OPCODES.map((opcode) => changed(opcode, withMemoryLimit)),
    ...[...CALL_GAS].map(([opcode, gas]) => changed(opcode, () => gas)),
  ];
}
