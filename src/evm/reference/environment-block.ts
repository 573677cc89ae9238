// The block environment in the library's form.

import { Block, BlockHeader } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { BlockEnvironment } from '../engine.ts';

/**
 * A header of the library whose BASEFEE is the minimum gas price when there is no base fee. The library pays the fees
 * to a header's coinbase, which is therefore the recipient of the fees.
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

  /** The base fee of blob gas, which need not follow from the excess. */
  override getBlobGasPrice(): bigint {
    return this.#blobBaseFee;
  }
}

/** Returns the environment as a block of the library, without transactions, with that base fee (wei per gas). */
export function environmentBlock(
  environment: BlockEnvironment,
  baseFeePerGas: bigint,
  common: Common,
): Block {
  const header = new EnvironmentHeader(environment, baseFeePerGas, common);
  return new Block(header, [], [], undefined, { common, freeze: false });
}

/** The library's source of block hashes (BLOCKHASH): the environment of the current message. */
export class EnvironmentBlockHashes implements EVMMockBlockchainInterface {
  #environment: BlockEnvironment | undefined;
  #checkInterrupt = uninterrupted;

  /** Sets the environment. An error of `checkInterrupt` ends the fetching of hashes. */
  use(environment: BlockEnvironment, checkInterrupt: CheckInterrupt): void {
    this.#environment = environment;
    this.#checkInterrupt = checkInterrupt;
  }

  async getBlock(number: number): Promise<{ hash(): Uint8Array }> {
    const environment = this.#environment;
    if (environment === undefined) throw new Error('no message runs');
    const hash = await fetchingState(() => environment.blockHash(number), this.#checkInterrupt);
    return { hash: () => hash };
  }

  async putBlock(): Promise<void> {
    throw new Error('blocks are not kept here');
  }

  shallowCopy(): EnvironmentBlockHashes {
    return this;
  }
}
