// Rootstock's precompiles for ethereumjs.

import {
  EVMError,
  type EVMOpts,
  type ExecResult,
  type Message as LibraryMessage,
  type PrecompileFunc,
} from '@ethereumjs/evm';
import type { Address } from '@ethereumjs/util';
import type { Purpose } from '../../evm/admission.ts';
import type { BlockEnvironment, Message } from '../../evm/engine.ts';
import type { Transfer } from '../../evm/observer.ts';
import { ownStorageAt } from '../../evm/own-storage.ts';
import {
  type CreateRootstockPrecompiles,
  type PrecompileAccount,
  type PrecompileCall,
  type PrecompileContext,
  type PrecompiledFunction,
  PrecompileError,
} from '../../evm/precompiles/precompiled-contract.ts';
import { signedMessageOf } from '../../evm/signers.ts';
import { EMPTY_BYTES, equalBytes, padLeft, stripLeadingZeros } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { rootstockPrecompiles } from '../../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Log } from '../../protocol/receipt.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { Overlay } from '../../state/overlay.ts';
import { fetchingState, type SourceContract } from '../../state/state-source.ts';

/** The error of a Rootstock precompile, with its reason. */
export class RootstockPrecompileError extends EVMError {
  readonly reason: string;

  constructor(reason: string) {
    super(EVMError.errorMessages.REVERT);
    this.reason = reason;
  }
}

export type LibraryCall = LibraryMessage & { to: Address };

/** The context of Rootstock's precompiles. */
export interface PrecompileEnvironment {
  readonly environment: BlockEnvironment;
  readonly state: Overlay;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly checkCancelled: CancelCheck;
  /** Reports a decision of a precompile to the observer. */
  readonly remark: (text: string) => void;
  /** Reports coins that a precompile sends to the observer. */
  readonly transfer: (transfer: Transfer) => void;
}

/** The account of a Rootstock precompile in an overlay. A revert in ethereumjs also reverts its changes. */
class OverlayAccount implements PrecompileAccount {
  readonly #address: Uint8Array;
  readonly #state: Overlay;
  readonly #logs: Log[];
  /** The depth of calls by the precompile. */
  readonly #depth: number;
  readonly #transfer: PrecompileEnvironment['transfer'];
  readonly remark: (text: string) => void;

  constructor(
    { codeAddress, depth }: LibraryCall,
    { state, remark, transfer }: PrecompileEnvironment,
    logs: Log[],
  ) {
    this.#address = codeAddress.bytes;
    this.#depth = depth + 1;
    this.#state = state;
    this.#transfer = transfer;
    this.remark = remark;
    this.#logs = logs;
  }

  slot(key: Uint8Array): Uint8Array {
    return padLeft(ownStorageAt(this.#state, this.#address, key), 32);
  }

  setSlot(key: Uint8Array, value: Uint8Array): void {
    this.#state.setStorage(this.#address, key, stripLeadingZeros(value));
  }

  balance(): bigint {
    return this.#state.account(this.#address)?.balance ?? 0n;
  }

  send(to: Uint8Array, value: bigint): void {
    this.refund(to, value);
    this.#transfer({ depth: this.#depth, from: this.#address, to, value });
  }

  refund(to: Uint8Array, value: bigint): void {
    if (this.balance() < value) {
      throw new PrecompileError('the balance of the contract is too low');
    }
    this.#addBalance(this.#address, -value);
    this.#addBalance(to, value);
  }

  log(topics: readonly Uint8Array[], data: Uint8Array): void {
    this.#logs.push({ address: this.#address, topics, data });
  }

  upstream(address: Uint8Array): SourceContract | null {
    return this.#state.sourceContract(address);
  }

  #addBalance(address: Uint8Array, change: bigint): void {
    const { nonce, balance } = this.#state.account(address) ?? { nonce: 0n, balance: 0n };
    this.#state.setAccount(address, { nonce, balance: balance + change });
  }
}

/** Returns the call context of a message. The contract's logs are added to `logs`. */
function precompileCallOf(context: PrecompileEnvironment, message: LibraryCall, logs: Log[]): PrecompileCall {
  const { purpose } = context;
  const address = message.codeAddress.bytes;
  return {
    caller: message.caller.bytes,
    value: message.value,
    isStatic: message.isStatic,
    isBorrowed: message.delegatecall || !equalBytes(message.to.bytes, address),
    isReadOnlyCall: purpose === 'call',
    transaction: purpose === 'call' ? undefined : signedMessageOf(context.message),
    account: new OverlayAccount(message, context, logs),
  };
}

/** Rootstock's precompiles for ethereumjs. ethereumjs does not pass them their context, so it is set here. */
export class RootstockPrecompiles {
  /** In the format of ethereumjs. */
  readonly precompiles: NonNullable<EVMOpts['customPrecompiles']>;
  /** The price functions (gas). */
  readonly prices: ReadonlyMap<PrecompileFunc, (data: Uint8Array) => bigint>;
  readonly #functions: ReadonlyMap<PrecompileFunc, PrecompiledFunction>;
  #current: PrecompileEnvironment | undefined;
  #message: LibraryCall | undefined;

  /** Creates the precompiles of a chain, with the prices of the rule set. */
  constructor(
    { precompiles }: RuleSet,
    chainId: number,
    createRootstockPrecompiles: CreateRootstockPrecompiles,
  ) {
    const functions = createRootstockPrecompiles(precompiles, chainId);
    const contracts = rootstockPrecompiles().map(({ name, address }) => {
      const contract = functions[name];
      const run: PrecompileFunc = ({ data }) => this.#run(contract, data);
      const price = (data: Uint8Array): bigint => contract.gas(data, this.#context([]));
      return { address: toHex(address), function: run, price, contract };
    });
    this.precompiles = contracts.map(({ address, function: run }) => ({ address, function: run }));
    this.prices = new Map(contracts.map(({ function: run, price }) => [run, price]));
    this.#functions = new Map(contracts.map(({ function: run, contract }) => [run, contract]));
  }

  /** Sets the context of the next calls. */
  use(context: PrecompileEnvironment): void {
    this.#current = context;
  }

  /** Sets the message of the next call. */
  enter(message: LibraryCall): void {
    this.#message = message;
  }

  /** Loads the library of the precompile and fetches all state that the call needs, before it is priced. */
  async prepare(contract: PrecompileFunc, data: Uint8Array): Promise<void> {
    const known = this.#functions.get(contract);
    if (known?.isReady === false) await known.load();
    if (known?.prepare === undefined) return;
    const context = this.#context([]);
    await fetchingState(() => known.prepare?.(data, context), this.#current?.checkCancelled);
  }

  #context(logs: Log[]): PrecompileContext {
    const context = this.#current;
    const message = this.#message;
    if (context === undefined || message === undefined) throw new Error('no message is running');
    const { environment } = context;
    return { environment, depth: message.depth, call: () => precompileCallOf(context, message, logs) };
  }

  async #run(contract: PrecompiledFunction, data: Uint8Array): Promise<ExecResult> {
    const logs: Log[] = [];
    const context = this.#context(logs);
    const executionGasUsed = contract.gas(data, context);
    try {
      const returnValue = contract.run(data, context);
      return {
        executionGasUsed,
        returnValue,
        logs: logs.map(({ address, topics, data: body }) => [address, [...topics], body]),
      };
    } catch (error) {
      if (!(error instanceof PrecompileError)) throw error;
      const exceptionError = new RootstockPrecompileError(error.message);
      return { executionGasUsed, returnValue: EMPTY_BYTES, exceptionError };
    }
  }
}
