import { Block, BlockHeader } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { BlockEnvironment } from '../engine.ts';

/**
 * A header of the library that answers BASEFEE with the minimum gas price where there is no base fee. The library pays
 * the fees to a header's coinbase, so that is who gets them.
 */
export class EnvironmentHeader extends BlockHeader {
  override readonly baseFeePerGas: bigint;
  /** 20 bytes: what COINBASE answers. */
  readonly miner: Uint8Array;

  constructor(environment: BlockEnvironment, baseFeePerGas: bigint, common: Common) {
    super(
      {
        number: BigInt(environment.number),
        timestamp: BigInt(environment.timestamp),
        coinbase: new Address(environment.feeRecipient ?? environment.coinbase),
        difficulty: environment.difficulty,
        gasLimit: environment.gasLimit,
        mixHash: environment.prevRandao,
      },
      { common, freeze: false, skipConsensusFormatValidation: true },
    );
    this.baseFeePerGas = baseFeePerGas;
    this.miner = environment.coinbase;
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

/** What the library asks for a block's hash (BLOCKHASH): the environment of the message that runs. */
export class EnvironmentBlockHashes implements EVMMockBlockchainInterface {
  #environment: BlockEnvironment | undefined;
  #checkInterrupt = uninterrupted;

  /** Answers from this environment from now on. What `checkInterrupt` throws ends the waiting for hashes from elsewhere. */
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
