// Converts the block environment and the message to a block and a transaction of ethereumjs.

import { Block, BlockHeader } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm';
import { RLP } from '@ethereumjs/rlp';
import {
  AccessList2930Tx,
  type AccessListBytes,
  Blob4844Tx,
  Capability,
  EOACode7702Tx,
  FeeMarket1559Tx,
  LegacyTx,
  type TxOptions,
  type TypedTransaction,
} from '@ethereumjs/tx';
import { Address, type EOACode7702AuthorizationListBytes, EthereumJSError } from '@ethereumjs/util';
import { type BlockEnvironment, type Message, UnexecutableError } from '../evm/engine.ts';
import { bigIntToBytes } from '../primitives/bytes.ts';
import { isFreeCall } from '../protocol/hardforks/free-calls.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { AccessListEntry, Authorization } from '../protocol/transaction.ts';
import { type CancelCheck, neverCancelled } from '../scheduling/cancel-check.ts';
import { fetchingState } from '../state/state-source.ts';

/**
 * A header for ethereumjs. BASEFEE returns the minimum gas price under rule sets without a base fee.
 * ethereumjs pays the fees to the coinbase of a header, so the coinbase is the fee recipient.
 */
export class EnvironmentHeader extends BlockHeader {
  override readonly baseFeePerGas: bigint;
  /** 20 bytes: the result of COINBASE. */
  readonly miner: Uint8Array;
  readonly #blobBaseFee: bigint;

  constructor(environment: BlockEnvironment, baseFeePerGas: bigint, common: Common) {
    super(
      {
        number: BigInt(environment.number),
        timestamp: BigInt(environment.timestamp),
        coinbase: new Address(environment.feeRecipient ?? environment.coinbase),
        difficulty: environment.difficulty,
        gasLimit: environment.gasLimit,
        mixHash: environment.prevRandao,
        ...(environment.slotNumber === null ? {} : { slotNumber: environment.slotNumber }),
      },
      { common, freeze: false, skipConsensusFormatValidation: true },
    );
    this.baseFeePerGas = baseFeePerGas;
    this.miner = environment.coinbase;
    this.#blobBaseFee = environment.blobBaseFee ?? 0n;
  }

  /** The base fee of blob gas. It may differ from the value computed from the excess. */
  override getBlobGasPrice(): bigint {
    return this.#blobBaseFee;
  }
}

/** Returns the environment as a block without transactions; `baseFeePerGas` is in wei per gas. */
export function environmentBlock(
  environment: BlockEnvironment,
  baseFeePerGas: bigint,
  common: Common,
): Block {
  const header = new EnvironmentHeader(environment, baseFeePerGas, common);
  return new Block(header, [], [], undefined, { common, freeze: false });
}

/** Provides the block hashes for BLOCKHASH from the current environment. */
export class EnvironmentBlockHashes implements EVMMockBlockchainInterface {
  #environment: BlockEnvironment | undefined;
  #checkCancelled = neverCancelled;

  /** Sets the environment. If `checkCancelled` throws, fetching hashes ends with that error. */
  use(environment: BlockEnvironment, checkCancelled: CancelCheck): void {
    this.#environment = environment;
    this.#checkCancelled = checkCancelled;
  }

  async getBlock(number: number): Promise<{ hash(): Uint8Array }> {
    const environment = this.#environment;
    if (environment === undefined) throw new Error('no message is running');
    const hash = await fetchingState(() => environment.blockHash(number), this.#checkCancelled);
    return { hash: () => hash };
  }

  async putBlock(): Promise<void> {
    throw new Error('this engine stores no blocks');
  }

  shallowCopy(): EnvironmentBlockHashes {
    return this;
  }
}

function accessListBytes(entries: readonly AccessListEntry[]): AccessListBytes {
  return entries.map(({ address, storageKeys }) => [address, [...storageKeys]]);
}

function authorizationBytes(authorizations: readonly Authorization[]): EOACode7702AuthorizationListBytes {
  return authorizations.map(({ chainId, address, nonce, yParity, r, s }) => [
    bigIntToBytes(chainId),
    address,
    bigIntToBytes(nonce),
    bigIntToBytes(yParity),
    bigIntToBytes(r),
    bigIntToBytes(s),
  ]);
}

/**
 * A transaction under Rootstock's rules: always a legacy transaction, because the types differ only in their
 * encoding and in the price of their lists. ethereumjs applies the authorizations, without their refund.
 */
class RootstockTx extends LegacyTx {
  readonly authorizationList: EOACode7702AuthorizationListBytes;
  readonly #listGas: bigint;

  constructor(message: Message, nonce: bigint, ruleSet: RuleSet, options: TxOptions) {
    const { to, value, data, gasLimit, accessList, authorizationList } = message;
    const gasPrice = ruleSet.fees.offer(message);
    super({ nonce, to: to ?? '', value, data, gasLimit, gasPrice }, { ...options, freeze: false });
    this.authorizationList = authorizationBytes(authorizationList);
    const { accessListByte, authorization } = ruleSet.intrinsicGas;
    const listBytes = accessList.length === 0 ? 0 : RLP.encode(accessListBytes(accessList)).length;
    this.#listGas = accessListByte * BigInt(listBytes) + authorization * BigInt(authorizationList.length);
  }

  override supports(capability: Capability): boolean {
    if (capability === Capability.EIP7702EOACode) return this.authorizationList.length > 0;
    return super.supports(capability);
  }

  override getIntrinsicGas(): bigint {
    return super.getIntrinsicGas() + this.#listGas;
  }
}

function unsent(message: Message, nonce: bigint, ruleSet: RuleSet, options: TxOptions): TypedTransaction {
  const { value, data, gasLimit, accessList, authorizationList, maxFeePerGas, maxPriorityFeePerGas } =
    message;
  const common = { nonce, to: message.to ?? '', value, data, gasLimit } as const;
  if (ruleSet.reference.machine === 'network') return new RootstockTx(message, nonce, ruleSet, options);
  if (ruleSet.fees.name === 'gas price') {
    const priced = { ...common, gasPrice: maxFeePerGas };
    if (accessList.length === 0) return new LegacyTx(priced, options);
    return new AccessList2930Tx({ ...priced, accessList: accessListBytes(accessList) }, options);
  }
  // A gas price equals a fee cap with the rest above the base fee as the tip, so one transaction type
  // suffices.
  const priced = { ...common, maxFeePerGas, maxPriorityFeePerGas, accessList: accessListBytes(accessList) };
  if (message.blobVersionedHashes.length > 0) {
    const { maxFeePerBlobGas, blobVersionedHashes } = message;
    return new Blob4844Tx(
      { ...priced, maxFeePerBlobGas, blobVersionedHashes: [...blobVersionedHashes] },
      options,
    );
  }
  if (authorizationList.length === 0) return new FeeMarket1559Tx(priced, options);
  return new EOACode7702Tx({ ...priced, authorizationList: authorizationBytes(authorizationList) }, options);
}

/** Returns the rules with this execution limit of a transaction (EIP-7825, EIP-8037). */
function withExecutionLimit(common: Common, limit: bigint): Common {
  const parameters = Object.create(common) as Common;
  parameters.param = (name) => (name === 'maxTransactionGasLimit' ? limit : common.param(name));
  return parameters;
}

/** Returns the unsigned transaction. Throws {@link UnexecutableError} if a field is out of range. */
export function messageTransaction(
  message: Message,
  nonce: bigint,
  ruleSet: RuleSet,
  common: Common,
): TypedTransaction {
  try {
    const { gasLimit, stateReservoir } = message;
    const hasOwnLimit = stateReservoir !== undefined && ruleSet.gas.state !== null;
    const transaction = unsent(message, nonce, ruleSet, {
      common: hasOwnLimit ? withExecutionLimit(common, gasLimit - stateReservoir) : common,
      freeze: false,
      allowUnlimitedInitCodeSize: true,
    });
    const sender = new Address(message.sender);
    transaction.getSenderAddress = () => sender;
    // ethereumjs reads the sender for the price (EIP-2780) only if the transaction is signed.
    transaction.isSigned = () => true;
    if (isFreeCall(ruleSet, message)) transaction.getIntrinsicGas = () => 0n;
    // ethereumjs caches computed values only for frozen transactions.
    Object.freeze(transaction);
    return transaction;
  } catch (error) {
    if (!(error instanceof EthereumJSError)) throw error;
    throw new UnexecutableError(error.message, { cause: error });
  }
}
