// Creates virtual machines of ethereumjs, with fixes for creations and precompiles.

import { Common, Hardfork, Mainnet, type StateManagerInterface } from '@ethereumjs/common';
import {
  EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
  getActivePrecompiles,
  getOpcodesForHF,
  type Message,
  NobleBN254,
  type PrecompileFunc,
} from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import { createVM, type VM } from '@ethereumjs/vm';
import type { MovedPrecompiles } from '../evm/engine.ts';
import { MEMORY_LIMITS } from '../evm/halt-reasons.ts';
import { type ImpersonatedSigner, impersonatedRecovery } from '../evm/signers.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { OPCODES, opcodeRange } from '../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { type CancelCheck, neverCancelled } from '../scheduling/cancel-check.ts';
import { Scheduler, type Yielder } from '../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../scheduling/slice-length.ts';
import { accountOpcodes } from './account-gas.ts';
import { MemoryLimitError } from './frame-start.ts';
import type { EnvironmentBlockHashes } from './library-input.ts';
import type { Observation } from './observation.ts';
import type { ConsoleWatch, LibraryOpcode, RunState } from './reference-step.ts';
import { type EndedContracts, type MessageSite, RootstockEvm } from './rootstock/rootstock-evm.ts';
import { rootstockOpcodes } from './rootstock/rootstock-opcodes.ts';
import type { RootstockPrecompiles } from './rootstock/rootstock-precompiles.ts';

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

/** Opcodes from PUSH0 to DUP16 only add to the stack, so they do not read the clock. */
const { PUSH0, DUP16 } = OPCODES;

/** Opcodes between two reads of the clock (less than a millisecond of work). */
const OPCODES_PER_LOOK = 512;

/** KECCAK256, copies, logs, calls and creations may take milliseconds, so the clock is read before each. */
const LONG_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.KECCAK256, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.EXTCODECOPY, OPCODES.RETURNDATACOPY],
  ...[OPCODES.MCOPY, ...opcodeRange('LOG0', 'LOG4'), OPCODES.CREATE, OPCODES.CALL, OPCODES.CALLCODE],
  ...[OPCODES.DELEGATECALL, OPCODES.CREATE2, OPCODES.STATICCALL],
]);

/** The opcodes that start a frame. */
const FRAME_OPCODES: ReadonlySet<number> = new Set([
  ...[OPCODES.CREATE, OPCODES.CALL, OPCODES.CALLCODE, OPCODES.DELEGATECALL, OPCODES.CREATE2],
  OPCODES.STATICCALL,
]);

const WORD_BYTES = 32;

/**
 * Limits the memories of a message's frames like the interpreter (`MEMORY_LIMITS`). If a limit is exceeded,
 * all frames of the message halt.
 */
class FrameMemories {
  readonly #most: number;
  /** By depth: the total words of the enclosing frames. */
  #around: number[] = [0];
  #isExceeded = false;

  /** `bound` is the limit of an execution in bytes, if lower than the usual limits. */
  constructor(bound: number) {
    this.#most = Math.min(bound, MEMORY_LIMITS.frames);
  }

  begin(): void {
    this.#around = [0];
    this.#isExceeded = false;
  }

  /** Throws {@link MemoryLimitError} if the frame's memory exceeds a limit. */
  check({ memoryWordCount, env }: RunState): void {
    const words = Number(memoryWordCount);
    const all = (this.#around[env.depth] ?? 0) + words;
    this.#around[env.depth + 1] = all;
    this.#isExceeded ||= words * WORD_BYTES > MEMORY_LIMITS.frame || all * WORD_BYTES > this.#most;
    if (this.#isExceeded) throw new MemoryLimitError();
  }
}

/**
 * Yields while a virtual machine of ethereumjs executes, because its promises never yield to the event loop.
 * The machine must use {@link ExecutionQueue.opcodes}.
 */
export class ExecutionQueue {
  /** For executions without their own time slices. */
  readonly #ownYielder: Yielder = new Scheduler().createQueue();
  #yielder = this.#ownYielder;
  #checkCancelled = neverCancelled;
  #opcodesLeft = OPCODES_PER_LOOK;
  readonly #memories: FrameMemories;

  /** `memoryBound` is the maximum memory of a message in bytes. */
  constructor(memoryBound: number) {
    this.#memories = new FrameMemories(memoryBound);
  }

  /** Starts a message. If `checkCancelled` throws, the message ends with that error. */
  begin(checkCancelled: CancelCheck): void {
    this.#memories.begin();
    this.#checkCancelled = checkCancelled;
    this.#yielder = checkCancelled.yielder ?? this.#ownYielder;
  }

  /** Returns the machine's `own` opcodes and the opcodes that yield. */
  opcodes(common: Common, own: CustomOpcodes): CustomOpcodes {
    const { opcodeMap } = getOpcodesForHF(common, own);
    // Many opcodes yield, not only jumps, because code without jumps may be long.
    const turning = opcodeMap.flatMap((entry, opcode) =>
      entry.opcodeInfo.isInvalid || (opcode >= PUSH0 && opcode <= DUP16)
        ? []
        : [this.#turning(opcode, entry, common)],
    );
    return [...own, ...turning];
  }

  #turning(opcode: number, entry: LibraryOpcode, common: Common): CustomOpcodes[number] {
    // Despite its type, the gas handler is undefined for an opcode with a fixed price.
    const gasFunction: LibraryOpcode['gasHandler'] | undefined = entry.gasHandler;
    const isLong = LONG_OPCODES.has(opcode);
    const run = FRAME_OPCODES.has(opcode)
      ? async (runState: RunState): Promise<void> => {
          await entry.opHandler(runState, common);
          this.#memories.check(runState);
        }
      : (runState: RunState) => entry.opHandler(runState, common);
    return {
      opcode,
      opcodeName: entry.opcodeInfo.name,
      baseFee: entry.opcodeInfo.fee,
      ...(gasFunction === undefined ? {} : { gasFunction }),
      logicFunction: (runState: RunState) => {
        this.#memories.check(runState);
        this.#opcodesLeft--;
        if (this.#opcodesLeft > 0 && !isLong) return run(runState);
        this.#opcodesLeft = OPCODES_PER_LOOK;
        if (this.#yielder.blockedFor() < SLICE_MILLISECONDS) return run(runState);
        return this.#takeTurn().then(() => run(runState));
      },
    };
  }

  /** Waits without admission, because admitted work may wait for this machine. */
  async #takeTurn(): Promise<void> {
    await this.#yielder.wait();
    this.#checkCancelled();
  }
}

/** The result of failed initcode, without its return data. */
interface FailedInitcode extends ExecResult {
  readonly withheldData: Uint8Array;
}

function hasWithheldData(result: ExecResult): result is FailedInitcode {
  return 'withheldData' in result;
}

/**
 * The virtual machine for Ethereum's rule sets. ethereumjs treats the revert data of a creation as code to
 * deploy. A first byte of 0xef (EIP-3541) would then turn the revert into a halt. This class withholds the
 * data until the creation has ended.
 */
class EthereumEvm extends EVM {
  constructor(options: EVMOpts) {
    super({ ...options, bn254: new NobleBN254() });
  }

  protected override async runInterpreter(
    ...[message, options]: Parameters<EVM['runInterpreter']>
  ): Promise<ExecResult> {
    const result = await super.runInterpreter(message, options);
    if (message.isCreate !== true || result.exceptionError === undefined) return result;
    const failed: FailedInitcode = {
      ...result,
      returnValue: EMPTY_BYTES,
      withheldData: result.returnValue,
    };
    return failed;
  }

  /** Converts reverts of precompiles to halts, because a revert would refund state gas (EIP-8037). */
  protected override async runPrecompile(
    ...[code, data, gasLimit]: Parameters<EVM['runPrecompile']>
  ): Promise<ExecResult> {
    const result = await super.runPrecompile(code, data, gasLimit);
    if (result.exceptionError?.error !== EVMError.errorMessages.REVERT) return result;
    return { ...result, exceptionError: new EVMError(EVMError.errorMessages.INVALID_INPUTS) };
  }

  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    const result = await super._executeCreate(message);
    const { execResult } = result;
    if (!hasWithheldData(execResult)) return result;
    const { withheldData, ...others } = execResult;
    return { ...result, execResult: { ...others, returnValue: withheldData } };
  }
}

const ECRECOVER = '0x0000000000000000000000000000000000000001';
const BLAKE2F = '0x0000000000000000000000000000000000000009';

/** Returns Rootstock's opcodes, its precompiles, and BLAKE2F (EIP-152; Istanbul in ethereumjs). */
function rootstockAdditions(common: Common, contracts: RootstockPrecompiles): EVMOpts {
  const blake2f = getActivePrecompiles(new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul })).get(
    BLAKE2F.slice(2),
  );
  if (blake2f === undefined) throw new Error('the library has no BLAKE2F precompile');
  return {
    customOpcodes: rootstockOpcodes(common),
    customPrecompiles: [{ address: BLAKE2F, function: blake2f }, ...contracts.precompiles],
  };
}

function additionsOf({ ruleSet, common, rootstockPrecompiles }: VirtualMachineParts): EVMOpts {
  if (ruleSet.reference.machine === 'network') return rootstockAdditions(common, rootstockPrecompiles);
  return ruleSet.gas.state === null ? {} : { customOpcodes: accountOpcodes(common) };
}

/** Returns ethereumjs' ECRECOVER, with impersonated signers. */
function impersonatingEcrecover(common: Common, signerOf: ImpersonatedSigner): PrecompileFunc {
  const ecrecover = getActivePrecompiles(common).get(ECRECOVER.slice(2));
  if (ecrecover === undefined) throw new Error('the library has no ECRECOVER precompile');
  return async (input) => {
    const result = await ecrecover(input);
    if (result.exceptionError !== undefined) return result;
    const recovered = impersonatedRecovery(input.data, signerOf);
    return recovered === undefined ? result : { ...result, returnValue: recovered };
  };
}

/**
 * Makes the machine find precompiles at their moved addresses. The list of precompiles does not change,
 * because its addresses are warm (EIP-2929).
 */
function followMoves(evm: EVM, movedPrecompiles: VirtualMachineParts['movedPrecompiles']): void {
  const find = evm.getPrecompile.bind(evm);
  evm.getPrecompile = (address) => {
    const original = typeof address === 'string' ? undefined : movedPrecompiles()?.get(hexKey(address.bytes));
    if (original === undefined) return find(address);
    return original === null ? undefined : find(new Address(original));
  };
}

export interface VirtualMachineParts {
  readonly ruleSet: RuleSet;
  readonly common: Common;
  readonly stateManager: StateManagerInterface;
  readonly blockHashes: EnvironmentBlockHashes;
  readonly endedContracts: EndedContracts;
  readonly rootstockPrecompiles: RootstockPrecompiles;
  /** Returns the site of the current message, for Rootstock's rules. */
  readonly site: () => MessageSite;
  /** Returns the moved and replaced precompiles of the current message. */
  readonly movedPrecompiles: () => MovedPrecompiles | undefined;
  /** True if code and initcode have no size limit. */
  readonly unlimitedCode: boolean;
  /** Follows the machine for observers; `null` for a machine at full speed. */
  readonly observation: Observation | null;
  /** Yields while the machine executes. */
  readonly yielder: ExecutionQueue;
  /** Records the console calls of contracts. */
  readonly console: ConsoleWatch;
  /** The signers that ECRECOVER returns without recovering. */
  readonly impersonatedSigner: ImpersonatedSigner;
}

/** Creates a virtual machine for a rule set. It runs one message at a time. */
export async function createVirtualMachine(parts: VirtualMachineParts): Promise<VM> {
  const { ruleSet, common, stateManager, blockHashes, endedContracts, unlimitedCode, observation } = parts;
  const { customOpcodes = [], customPrecompiles = [], ...additions } = additionsOf(parts);
  const opcodes = parts.yielder.opcodes(common, customOpcodes);
  const ecrecover = impersonatingEcrecover(common, parts.impersonatedSigner);
  const options: EVMOpts = {
    common,
    stateManager,
    blockchain: blockHashes,
    allowUnlimitedContractSize: unlimitedCode,
    allowUnlimitedInitCodeSize: unlimitedCode,
    customOpcodes: observation?.opcodes(common, opcodes) ?? opcodes,
    customPrecompiles: [...customPrecompiles, { address: ECRECOVER, function: ecrecover }],
    ...additions,
  };
  const evm =
    ruleSet.reference.machine === 'network'
      ? new RootstockEvm(options, endedContracts, parts.rootstockPrecompiles, ruleSet.precompiles, parts.site)
      : new EthereumEvm(options);
  followMoves(evm, parts.movedPrecompiles);
  parts.console.attach(evm);
  observation?.attach(evm);
  return createVM({ common, evm, stateManager, blockchain: blockHashes });
}
