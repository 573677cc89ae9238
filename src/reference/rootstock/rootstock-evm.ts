// The EVM of ethereumjs with Rootstock's rules for creations and precompiles.

import type { Common } from '@ethereumjs/common';
import {
  EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
  type Message,
  NobleBN254,
  type PrecompileFunc,
} from '@ethereumjs/evm';
import { Account, type Address, equalsBytes, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util';
import type { BlockEnvironment } from '../../evm/engine.ts';
import { HALT_REASONS } from '../../evm/halt-reasons.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { haltReason } from '../frame-start.ts';
import { RootstockPrecompileError, type RootstockPrecompiles } from './rootstock-precompiles.ts';

/** The contracts destroyed in each block. Their addresses are reserved until the block ends. */
export class EndedContracts {
  readonly #byBlock = new WeakMap<BlockEnvironment, ReadonlySet<string>>();
  #inBlock: ReadonlySet<string> = new Set();

  /** Selects the block for queries. */
  use(environment: BlockEnvironment): void {
    this.#inBlock = this.#of(environment);
  }

  #of(environment: BlockEnvironment): ReadonlySet<string> {
    return this.#byBlock.get(environment) ?? new Set(environment.ended?.map(toHex));
  }

  /** The addresses (20 bytes) of all contracts destroyed earlier in the block. */
  all(): Uint8Array[] {
    return Array.from(this.#inBlock, fromHex);
  }

  /** Returns true if an earlier transaction of the block destroyed this contract (`0x` address). */
  has(address: string): boolean {
    return this.#inBlock.has(address);
  }

  /** Adds contracts that a transaction of the block destroyed. */
  add(environment: BlockEnvironment, addresses: Iterable<string>): void {
    this.#byBlock.set(environment, new Set([...this.#of(environment), ...addresses]));
  }
}

const BLAKE2F_INPUT_SIZE = 213;
const PAIR_SIZE = 192;

/** Returns the price of BLAKE2F; 0 if its input has an invalid length. */
function blake2Price(data: Uint8Array, common: Common): bigint {
  if (data.length !== BLAKE2F_INPUT_SIZE) return 0n;
  const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
  return BigInt(rounds) * common.param('blake2RoundGas');
}

function pairingPrice(data: Uint8Array, common: Common): bigint {
  const pairs = BigInt(Math.floor(data.length / PAIR_SIZE));
  return common.param('bn254PairingGas') + pairs * common.param('bn254PairingWordGas');
}

/** The prices (gas) of precompiles that can reject their input. ethereumjs does not export them. */
const FALLIBLE_PRECOMPILE_PRICES: readonly {
  readonly address: `0x${string}`;
  readonly price: (data: Uint8Array, common: Common) => bigint;
}[] = [
  { address: '0x06', price: (_data, common) => common.param('bn254AddGas') },
  { address: '0x07', price: (_data, common) => common.param('bn254MulGas') },
  { address: '0x08', price: pairingPrice },
  { address: '0x09', price: blake2Price },
];

const { errorMessages } = EVMError;

/** The rules and the current message of a {@link RootstockEvm}. */
export interface MessageSite {
  /** The refund for the authorizations of the message (RSKIP-545). */
  readonly authorizationRefund: bigint;
  /** The accounts (`0x` addresses) that are warm at the start, in addition to precompiles (RSKIP-555). */
  readonly warm: ReadonlySet<string>;
}

export const EMPTY_SITE: MessageSite = { authorizationRefund: 0n, warm: new Set() };

type CallMessage = Message & { to: Address };
type ErrorMessage = ConstructorParameters<typeof EVMError>[0];

/** The successful result of a message to a precompile that rejected its input. */
interface RejectedResult extends ExecResult {
  readonly refusal: EVMError;
}

/** Returns true if a precompile rejected the message. The sender then pays the whole gas limit. */
export function isRejected(result: ExecResult): boolean {
  return 'refusal' in result;
}

/** Returns the reason why a precompile failed; `undefined` if it succeeded or ran out of gas. */
export function precompileFailure(result: ExecResult): string | undefined {
  const isPrecompile = haltReason(result) === HALT_REASONS.precompileFailed;
  const error = 'refusal' in result ? result.refusal : isPrecompile ? result.exceptionError : undefined;
  if (!(error instanceof EVMError)) return undefined;
  return error instanceof RootstockPrecompileError ? error.reason : error.error;
}

/** Returns the result of a frame that halts with this error. */
function halted(error: ErrorMessage, gasUsed: bigint): ExecResult {
  return { returnValue: EMPTY_BYTES, executionGasUsed: gasUsed, exceptionError: new EVMError(error) };
}

/**
 * The EVM with Rootstock's rules for creations and precompiles. `rootstockOpcodes` has the rules for gas and
 * opcodes. `ruleSetCommon` selects the rules for accounts, from before EIP-161.
 */
export class RootstockEvm extends EVM {
  readonly #ended: EndedContracts;
  readonly #contracts: RootstockPrecompiles;
  readonly #prices: ReadonlyMap<PrecompileFunc, (data: Uint8Array) => bigint>;
  readonly #rules: RuleSet['precompiles'];
  /** The site of the current message. */
  readonly #site: () => MessageSite;

  constructor(
    options: EVMOpts,
    ended: EndedContracts,
    contracts: RootstockPrecompiles,
    rules: RuleSet['precompiles'],
    site: () => MessageSite,
  ) {
    super({ ...options, bn254: new NobleBN254() });
    this.#ended = ended;
    this.#contracts = contracts;
    this.#rules = rules;
    this.#site = site;
    const { journal } = this;
    const warm = journal.addAlwaysWarmAddress.bind(journal);
    // ethereumjs also warms authorities and delegates (EIP-7702).
    journal.addAlwaysWarmAddress = (address, ...others) => {
      const prefixed = address.startsWith('0x') ? address : `0x${address}`;
      const isPrecompile = this.precompiles.has(prefixed.slice(2));
      if (isPrecompile || this.#site().warm.has(prefixed)) warm(address, ...others);
    };
    this.#prices = new Map([
      ...contracts.prices,
      ...FALLIBLE_PRECOMPILE_PRICES.map(({ address, price }) => {
        const precompile = this.getPrecompile(address);
        if (precompile === undefined) throw new Error(`the library has no precompile at ${address}`);
        return [precompile, (data: Uint8Array) => price(data, this.common)] as const;
      }),
    ]);
  }

  /** A precompile that rejects its input with sufficient gas costs only its price. */
  protected override async runPrecompile(
    code: PrecompileFunc,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<ExecResult> {
    await this.#contracts.prepare(code, data);
    const price = this.#prices.get(code)?.(data) ?? 0n;
    if (price > gasLimit) return halted(errorMessages.OUT_OF_GAS, gasLimit);
    const result = await super.runPrecompile(code, data, gasLimit);
    const error = result.exceptionError?.error;
    if (error === undefined || error === errorMessages.OUT_OF_GAS) return result;
    return { ...result, executionGasUsed: price };
  }

  /** Adds the refund for authorizations, which failures do not take away. */
  override async runCall(options: Parameters<EVM['runCall']>[0]): Promise<EVMResult> {
    const result = await super.runCall(options);
    const { authorizationRefund } = this.#site();
    if ((options.message?.depth ?? 0) > 0 || authorizationRefund === 0n) return result;
    const { execResult } = result;
    const gasRefund = (execResult.gasRefund ?? 0n) + authorizationRefund;
    return { ...result, execResult: { ...execResult, gasRefund } };
  }

  /**
   * A transaction that a precompile rejects succeeds without its value; see {@link isRejected}. With RSKIP-692, it
   * halts and uses all gas.
   */
  protected override async _executeCall(message: CallMessage): Promise<EVMResult> {
    this.#contracts.enter(message);
    if (message.depth > 0 || this.getPrecompile(message.codeAddress) === undefined) {
      return super._executeCall(message);
    }
    if (!this.#rules.failureInTransactionSucceeds) {
      const result = await super._executeCall(message);
      const { execResult } = result;
      if (execResult.exceptionError === undefined) return result;
      return { ...result, execResult: { ...execResult, executionGasUsed: message.gasLimit } };
    }
    await this.journal.checkpoint();
    const result = await super._executeCall(message);
    const { exceptionError, executionGasUsed } = result.execResult;
    if (exceptionError === undefined || exceptionError.error === errorMessages.OUT_OF_GAS) {
      await this.journal.commit();
      return result;
    }
    await this.journal.revert();
    const refused: RejectedResult = {
      returnValue: EMPTY_BYTES,
      executionGasUsed,
      refusal: exceptionError,
    };
    return { execResult: refused };
  }

  /** A contract created by a transaction starts with nonce 0; if created by an opcode, with nonce 1. */
  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    const { caller, depth, gasLimit, gasRefund, data: initcode } = message;
    const creator = (await this.stateManager.getAccount(caller)) ?? new Account();
    await this._reduceSenderBalance(creator, message);
    message.code = initcode;
    const createdAddress = await this._generateAddress(message);
    const account = (await this.stateManager.getAccount(createdAddress)) ?? new Account();
    if (this.#isTaken(createdAddress, account)) {
      return { createdAddress, execResult: halted(errorMessages.CREATE_COLLISION, gasLimit) };
    }
    account.nonce = depth === 0 ? 0n : 1n;
    const creation = Object.assign(message, { to: createdAddress, data: EMPTY_BYTES, isCreate: true });
    try {
      await this._addToBalance(account, creation);
    } catch (error) {
      if (!(error instanceof EVMError)) throw error;
      return { createdAddress, execResult: halted(error.error, 0n) };
    }
    if (initcode.length === 0) {
      return { createdAddress, execResult: { returnValue: EMPTY_BYTES, executionGasUsed: 0n, gasRefund } };
    }
    const result = await this.#deposit(createdAddress, gasLimit, await this.runInterpreter(creation));
    if (depth === 0) this.transientStorage.clear();
    return { createdAddress, execResult: result };
  }

  #isTaken(address: Address, { nonce, codeHash, storageRoot }: Account): boolean {
    if (this.#ended.has(address.toString())) return true;
    return nonce > 0n || !equalsBytes(codeHash, KECCAK256_NULL) || !equalsBytes(storageRoot, KECCAK256_RLP);
  }

  /** Deploys the code. Invalid code, or a deposit that the gas cannot pay, uses up all gas. */
  async #deposit(address: Address, gasLimit: bigint, result: ExecResult): Promise<ExecResult> {
    if (result.exceptionError !== undefined) return result;
    const code = result.returnValue;
    const gasUsed = result.executionGasUsed + BigInt(code.length) * this.common.param('createDataGas');
    const refusal = this.#refusalOf(code, gasUsed, gasLimit);
    if (refusal !== null) return { ...result, ...halted(refusal, gasLimit) };
    await this.stateManager.putCode(address, code);
    return { ...result, executionGasUsed: gasUsed };
  }

  #refusalOf(code: Uint8Array, gasUsed: bigint, gasLimit: bigint): ErrorMessage | null {
    const isTooLarge = BigInt(code.length) > this.common.param('maxCodeSize');
    if (isTooLarge && !this.allowUnlimitedContractSize) return errorMessages.CODESIZE_EXCEEDS_MAXIMUM;
    if (gasUsed > gasLimit) return errorMessages.OUT_OF_GAS;
    return code[0] === 0xef ? errorMessages.INVALID_BYTECODE_RESULT : null;
  }
}
