// Calls and creations of ethereumjs under EIP-8037 (separate gas for state).

import type { Common } from '@ethereumjs/common';
import { EVMError, type EVMOpts, getOpcodesForHF } from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import type { FrameKind } from '../evm/observer.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import { frameRejection, hasTooMuchInitcode, rejectedFrame } from './frame-start.ts';
import type { LibraryOpcode, RunState } from './reference-step.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;
/** Returns the price of an opcode; `baseFee` is its static gas. */
type Price = (entry: LibraryOpcode, runState: RunState, baseFee: bigint, common: Common) => Promise<bigint>;

const STATE_GAS = 8037;

/** The halt of a frame that can pay for an opcode, but not for the account that it creates. */
export class UnpaidAccountError extends EVMError {
  /** The price of the opcode without the account. */
  readonly gas: bigint;

  constructor(gas: bigint) {
    super(EVMError.errorMessages.OUT_OF_GAS);
    this.gas = gas;
  }
}

/** Returns the rules without state gas. */
function withoutStateGas(common: Common): Common {
  const isActivatedEIP = (eip: number): boolean => eip !== STATE_GAS && common.isActivatedEIP(eip);
  return Object.create(common, { isActivatedEIP: { value: isActivatedEIP } });
}

/** Returns the maximum gas to pass to a nested frame after `gas` is paid. */
function maxForwarded(runState: RunState, gas: bigint): bigint {
  const left = runState.gasLeft - gas;
  return left - left / 64n;
}

/** Returns the state gas of the created account; 0 if it exists or the creation is rejected. */
async function newAccountGas(kind: FrameKind, runState: RunState, common: Common): Promise<bigint> {
  if (hasTooMuchInitcode(kind, runState, common)) return 0n;
  if (frameRejection(kind, runState, common) !== null) return 0n;
  const address = new Address(rejectedFrame(kind, runState, common).to);
  const created = await runState.stateManager.getAccount(address);
  if (created !== undefined && !created.isEmpty()) return 0n;
  return common.param('stateBytesPerNewAccount') * common.param('costPerStateByte');
}

/** ethereumjs charges for the new account before it checks whether the creation is rejected. */
function priceCreation(kind: FrameKind): Price {
  return async (entry, runState, baseFee, common) => {
    const gas = await entry.gasHandler(runState, baseFee, withoutStateGas(common));
    runState.lastCreateNewAccountStateGas = 0n;
    if (gas > runState.gasLeft) return gas;
    const newAccount = await newAccountGas(kind, runState, common);
    const { interpreter } = runState;
    if (gas + newAccount - interpreter._evm.stateGasReservoir > runState.gasLeft) {
      throw new UnpaidAccountError(gas);
    }
    interpreter.chargeStateGas(newAccount);
    runState.lastCreateNewAccountStateGas = newAccount;
    runState.messageGasLimit = maxForwarded(runState, gas);
    return gas;
  };
}

/** ethereumjs computes the gas of the callee before it charges for the new account. */
const priceCall: Price = async (entry, runState, baseFee, common) => {
  const gas = await entry.gasHandler(runState, baseFee, common);
  if ((runState.lastCallNewAccountStateGas ?? 0n) === 0n) return gas;
  if (gas > runState.gasLeft) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  const most = maxForwarded(runState, gas);
  if ((runState.messageGasLimit ?? 0n) > most) runState.messageGasLimit = most;
  return gas;
};

const unchangedPrice: Price = async (entry, runState, baseFee, common) =>
  entry.gasHandler(runState, baseFee, common);

/** The opcodes that start a frame, with their prices. */
const PRICES: ReadonlyMap<number, Price> = new Map([
  [OPCODES.CALL, priceCall],
  [OPCODES.CALLCODE, unchangedPrice],
  [OPCODES.DELEGATECALL, unchangedPrice],
  [OPCODES.STATICCALL, unchangedPrice],
  [OPCODES.CREATE, priceCreation('CREATE')],
  [OPCODES.CREATE2, priceCreation('CREATE2')],
]);

/**
 * Repays the frame for the state gas that it paid, from the reservoir, after a nested frame succeeded. ethereumjs
 * lacks this rule.
 */
function repayFromReservoir(runState: RunState): void {
  const [result] = runState.stack.peek(1);
  if (result === 0n) return;
  const evm = runState.interpreter._evm;
  const { stateGasReservoir: reservoir } = evm;
  const { stateGasSpilled: paid } = runState;
  const repaid = reservoir < paid ? reservoir : paid;
  evm.stateGasReservoir -= repaid;
  runState.stateGasSpilled -= repaid;
  runState.gasLeft += repaid;
}

/** Returns the opcodes that start a frame, with the gas of EIP-8037 as in the EIP and other clients. */
export function accountOpcodes(common: Common): CustomOpcodes {
  const { opcodeMap } = getOpcodesForHF(common);
  return [...PRICES].flatMap(([opcode, price]) => {
    const entry = opcodeMap[opcode];
    if (entry === undefined) return [];
    return [
      {
        opcode,
        opcodeName: entry.opcodeInfo.name,
        baseFee: entry.opcodeInfo.fee,
        gasFunction: (runState: RunState, baseFee: bigint) => price(entry, runState, baseFee, common),
        logicFunction: async (runState: RunState) => {
          await entry.opHandler(runState, common);
          repayFromReservoir(runState);
        },
      },
    ];
  });
}
