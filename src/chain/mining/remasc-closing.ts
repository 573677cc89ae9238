import type { BlockEnvironment, ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver } from '../../evm/observer.ts';
import { compareBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import type { Block, BlockHeader } from '../../protocol/block.ts';
import type { Encoding } from '../../protocol/field-kinds.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { headerHash } from '../../protocol/header-encoding.ts';
import {
  endsWithRemasc,
  LOCAL_REMASC,
  REMASC_ADDRESS,
  REMASC_SENDER,
  type RemascParameters,
  remascTransaction,
} from '../../protocol/remasc.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { Overlay } from '../../state/overlay.ts';
import type { BlockClosing } from '../chain-core.ts';
import { FeePayments, RemascLedger } from './remasc-ledger.ts';

/** An orphan that a later block included as an uncle. */
interface Sibling {
  readonly header: BlockHeader;
  /** 20 bytes: the miner of the block that included it. */
  readonly publisher: Uint8Array;
  /** The number of the including block. */
  readonly includedIn: number;
}

/** Returns the siblings of a block that later blocks included, in order. */
function siblingsOf(number: number, descendants: readonly Block[]): Sibling[] {
  return descendants.flatMap(({ header: { coinbase: publisher, number: includedIn }, uncles }) =>
    uncles.filter((uncle) => uncle.number === number).map((header) => ({ header, publisher, includedIn })),
  );
}

const MUCH_MORE = 2n;

/**
 * Returns true if a sibling should have been chosen over the block (RSKIP-15). That is a sibling with more
 * than twice the fees or with more uncles. A sibling with more than half the fees wins if its hash is lower.
 */
function breaksSelectionRule(
  { header, hash }: Pick<Block, 'header' | 'hash'>,
  siblings: readonly Sibling[],
  encoding: Encoding,
): boolean {
  return siblings.some(({ header: sibling }) => {
    if (sibling.uncleCount > header.uncleCount || sibling.paidFees > MUCH_MORE * header.paidFees) return true;
    if (header.paidFees >= MUCH_MORE * sibling.paidFees) return false;
    return compareBytes(headerHash(sibling, encoding), hash) < 0;
  });
}

/** The shares of a block with siblings, in wei. */
interface SiblingShares {
  /** For each miner that included a sibling as an uncle. */
  readonly publisher: bigint;
  /** For the miner of the block, and for each sibling's miner before the penalty for late inclusion. */
  readonly miner: bigint;
  /** Paid to no account: the remainder of the division, and punishments. */
  readonly burned: bigint;
}

/**
 * Splits `reward` (wei) among the publishers, the miner of the block and the miners of its siblings. Each
 * miner loses a part if the previous block broke the selection rule (RSKIP-15).
 */
function siblingShares(
  reward: bigint,
  siblingCount: number,
  isPunished: boolean,
  { publishersDivisor, punishmentDivisor }: RemascParameters,
): SiblingShares {
  const publishers = BigInt(siblingCount);
  const miners = publishers + 1n;
  const forPublishers = reward / publishersDivisor;
  const forMiners = reward - forPublishers;
  const even = forMiners / miners;
  const punishment = isPunished ? even / punishmentDivisor : 0n;
  return {
    publisher: forPublishers / publishers,
    miner: even - punishment,
    burned: (forPublishers % publishers) + (forMiners % miners) + punishment * miners,
  };
}

/**
 * Distributes part of the collected fees in one block, for the block that matures with it. Recipients are RSK
 * Labs, the federation, the miner, the siblings' miners and the publishers (RSKIP-15, RSKIP-85).
 */
class FeeSharing {
  readonly #parameters: RemascParameters;
  readonly #encoding: Encoding;
  readonly #ledger: RemascLedger;
  readonly #payments: FeePayments;
  readonly #block: BlockEnvironment;

  /** `block` is the block of the distribution. */
  constructor(
    parameters: RemascParameters,
    encoding: Encoding,
    ledger: RemascLedger,
    payments: FeePayments,
    block: BlockEnvironment,
  ) {
    this.#parameters = parameters;
    this.#encoding = encoding;
    this.#ledger = ledger;
    this.#payments = payments;
    this.#block = block;
  }

  /** Makes all payments due in the block. Fees of blocks below a fork were not collected. */
  share(): void {
    const ledger = this.#ledger;
    const parameters = this.#parameters;
    const matureNumber = this.#block.number - parameters.maturity;
    if (matureNumber < 1) return;
    const mature = this.#block.ancestor(matureNumber);
    if (mature === undefined) return;
    // In a block without REMASC, the coinbase received the fees.
    if (endsWithRemasc(mature)) ledger.rewardBalance += mature.header.paidFees;
    if (matureNumber >= parameters.syntheticSpan) this.#pay(mature);
  }

  #pay(mature: Block): void {
    const ledger = this.#ledger;
    const parameters = this.#parameters;
    const encoding = this.#encoding;
    const siblings = this.#siblingsOf(mature);
    const isPunished = ledger.isSelectionRuleBroken;
    ledger.isSelectionRuleBroken = breaksSelectionRule(mature, siblings, encoding);
    const reward = ledger.rewardBalance / BigInt(parameters.syntheticSpan);
    if (reward < this.#block.minimumGasPrice * parameters.minimumPayableGas) return;
    ledger.rewardBalance -= reward;
    const afterLabs = reward - this.#payLabs(mature, reward);
    const rest = afterLabs - this.#payFederation(mature, afterLabs);
    if (siblings.length > 0) this.#paySiblings(mature, siblings, rest, isPunished);
    else this.#payMiner(mature, rest, isPunished);
  }

  #siblingsOf({ header: { number } }: Block): Sibling[] {
    const { uncleGenerations } = this.#parameters;
    const descendants = Array.from({ length: uncleGenerations }, (_, index) =>
      this.#block.ancestor(number + 1 + index),
    );
    return siblingsOf(
      number,
      descendants.filter((block) => block !== undefined),
    );
  }

  #payLabs({ hash }: Block, reward: bigint): bigint {
    const { labsAddress, labsDivisor } = this.#parameters;
    const share = reward / labsDivisor;
    this.#payments.pay(hash, labsAddress, share);
    return share;
  }

  /** Returns the federation's share. Shares are stored until their sum reaches the minimum payment. */
  #payFederation({ hash }: Block, reward: bigint): bigint {
    const ledger = this.#ledger;
    const payments = this.#payments;
    const parameters = this.#parameters;
    const { federators, federationDivisor, minimumFederatorGas } = parameters;
    const share = reward / federationDivisor;
    const due = ledger.federationBalance + share;
    const count = BigInt(federators.length);
    const each = due / count;
    if (each < this.#block.minimumGasPrice * minimumFederatorGas) {
      ledger.federationBalance = due;
      return share;
    }
    ledger.federationBalance = 0n;
    const last = federators.length - 1;
    for (const [index, federator] of federators.entries()) {
      payments.pay(hash, federator, index === last ? each + (due % count) : each);
    }
    return share;
  }

  #payMiner({ hash, header }: Block, reward: bigint, isPunished: boolean): void {
    const ledger = this.#ledger;
    const payments = this.#payments;
    const parameters = this.#parameters;
    const punishment = isPunished ? reward / parameters.punishmentDivisor : 0n;
    if (punishment > 0n) ledger.burn(punishment);
    payments.pay(hash, header.coinbase, reward - punishment);
  }

  #paySiblings(
    { hash, header }: Block,
    siblings: readonly Sibling[],
    reward: bigint,
    isPunished: boolean,
  ): void {
    const ledger = this.#ledger;
    const payments = this.#payments;
    const parameters = this.#parameters;
    const { publisher, miner, burned } = siblingShares(reward, siblings.length, isPunished, parameters);
    for (const sibling of siblings) payments.pay(hash, sibling.publisher, publisher);
    let lost = burned;
    for (const sibling of siblings) {
      const blocksLate = BigInt(sibling.includedIn - header.number - 1);
      const penalty = (miner * blocksLate) / parameters.lateInclusionDivisor;
      payments.pay(hash, sibling.header.coinbase, miner - penalty);
      lost += penalty;
    }
    ledger.burn(lost);
    payments.pay(hash, header.coinbase, miner);
  }
}

/** Ends each block with REMASC's transaction, which distributes the fees of earlier blocks. */
class RemascClosing implements BlockClosing {
  readonly feeRecipient = REMASC_ADDRESS;
  readonly #encoding: Encoding;
  readonly #parameters: RemascParameters;

  constructor(encoding: Encoding, parameters: RemascParameters) {
    this.#encoding = encoding;
    this.#parameters = parameters;
  }

  transaction(number: number): Transaction {
    return remascTransaction(number);
  }

  run(environment: BlockEnvironment, state: Overlay, observer?: ExecutionObserver): ExecutionResult {
    observer?.frameStart?.({
      kind: 'CALL',
      depth: 0,
      from: REMASC_SENDER,
      to: REMASC_ADDRESS,
      input: EMPTY_BYTES,
      gas: 0n,
      value: 0n,
      isPrecompile: true,
    });
    const ledger = new RemascLedger(state);
    const payments = new FeePayments(state, observer);
    ledger.open();
    new FeeSharing(this.#parameters, this.#encoding, ledger, payments, environment).share();
    observer?.frameEnd?.({ outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n });
    return {
      outcome: 'success',
      haltReason: null,
      gasUsed: 0n,
      gasPaid: 0n,
      gasBeforeRefund: 0n,
      stateGas: 0n,
      executionGas: 0n,
      effectiveGasPrice: 0n,
      returnData: EMPTY_BYTES,
      logs: payments.logs,
      createdAddress: null,
    };
  }
}

/** Returns REMASC's closing transaction, by default with the parameters of Rootstock's regtest. */
export function remascClosing(
  { encoding }: Pick<RuleSet, 'encoding'>,
  parameters: RemascParameters = LOCAL_REMASC,
): BlockClosing {
  return new RemascClosing(encoding, parameters);
}
