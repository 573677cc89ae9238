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

/** A block that stood beside another and became an uncle of a later one. */
interface Sibling {
  readonly header: BlockHeader;
  /** 20 bytes: who mined the block that included it. */
  readonly publisher: Uint8Array;
  /** The number of that block. */
  readonly includedIn: number;
}

/** Returns the siblings of the block with that number that blocks after it included, in their order. */
function siblingsOf(number: number, descendants: readonly Block[]): Sibling[] {
  return descendants.flatMap(({ header: { coinbase: publisher, number: includedIn }, uncles }) =>
    uncles.filter((uncle) => uncle.number === number).map((header) => ({ header, publisher, includedIn })),
  );
}

const MUCH_MORE = 2n;

/**
 * Returns true when one of the siblings should have stood in the block's place: it paid more than twice the fees, or more than
 * half of them and has a lower hash, or included more uncles (RSKIP-15).
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

/** The shares of a block that has siblings, in wei. */
interface SiblingShares {
  /** Each who included a sibling as an uncle. */
  readonly publisher: bigint;
  /** The miner of the block, and each of its siblings' before it pays for having been included late. */
  readonly miner: bigint;
  /** The part that is paid to no account: the remainder of the division, and punishments. */
  readonly burned: bigint;
}

/**
 * Splits `reward` (wei): a part to the publishers, the rest to the miner of the block and those of its siblings. Each
 * miner loses a part when the block before broke the selection rule (RSKIP-15).
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
 * Shares out, in one block, a part of the fees collected, on account of the block that matures with it: to the labs, to
 * the federation, and to its miner; where it has siblings, to their miners and to those who included them too (RSKIP-15,
 * RSKIP-85).
 */
class FeeSharing {
  readonly #parameters: RemascParameters;
  readonly #encoding: Encoding;
  readonly #ledger: RemascLedger;
  readonly #payments: FeePayments;
  readonly #block: BlockEnvironment;

  /** `block` is the one in which they are shared out. */
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

  /** Does all that is due in the block. For one that is not at hand, as below a fork, nothing was collected. */
  share(): void {
    const ledger = this.#ledger;
    const parameters = this.#parameters;
    const matureNumber = this.#block.number - parameters.maturity;
    if (matureNumber < 1) return;
    const mature = this.#block.ancestor(matureNumber);
    if (mature === undefined) return;
    // The coinbase got the fees of a block that was made without REMASC.
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

  /** Returns the federation's share, paid at once with what waited for it, or kept until it is worth paying. */
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

/** Ends each block with the transaction in which REMASC shares out the fees of earlier ones. */
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

/** Returns the end of each block of the local network, or with other parameters. */
export function remascClosing(
  { encoding }: Pick<RuleSet, 'encoding'>,
  parameters: RemascParameters = LOCAL_REMASC,
): BlockClosing {
  return new RemascClosing(encoding, parameters);
}
