import type { BlockTools, Chain } from '../chain/chain.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import { ChainResetError, MiningStoppedError } from '../chain/errors.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { Block } from '../protocol/block.ts';
import { decodeAbi } from '../rootstock/abi.ts';
import { bridgeIn, type ReadableBridge } from '../rootstock/bridge/bridge-contract.ts';
import { BRIDGE_ADDRESS } from '../rootstock/bridge/bridge-method.ts';
import type { FederateCall } from '../rootstock/federate/federate-call.ts';
import { knownMembers } from '../rootstock/federate/federate-members.ts';
import { nextFederateCall, unregisterable } from '../rootstock/federate/next-call.ts';
import { acceptTransaction } from '../rootstock/parent-chain/accept-transaction.ts';
import { RejectedTransactionError } from '../rootstock/parent-chain/errors.ts';
import type { ParentChain } from '../rootstock/parent-chain/parent-chain.ts';
import { readTransaction } from '../rootstock/parent-chain/parent-transaction.ts';
import { topicOf } from '../rootstock/peg/pegout-events.ts';
import { neverCancelled } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';

/** Gas limit of a call. Unused gas is not charged. */
const CALL_GAS = 6_800_000n;
/** Number of the newest blocks whose signed pegouts are sent again after a restart. */
const RECOVERED_BLOCKS = 16;
/** Work units of a call and its block. */
const CALL_WORK = 2 ** 16;
const RELEASE_TOPIC = topicOf('release_btc', ['bytes32', 'bytes']);

/** A signed pegout. */
export interface ReleasedPegout {
  /** The key of the pegout: the hash of the Rootstock transaction that created it. */
  readonly creationHash: Uint8Array;
  readonly raw: Uint8Array;
}

/** Returns the signed pegouts in the logs of a block. */
export function releasedIn({ receipts }: Block): ReleasedPegout[] {
  return receipts.flatMap(({ logs }) =>
    logs.flatMap(({ address, topics, data }) => {
      const [topic, creationHash] = topics;
      const isRelease =
        equalBytes(address, BRIDGE_ADDRESS) && topic !== undefined && equalBytes(topic, RELEASE_TOPIC);
      return isRelease && creationHash !== undefined
        ? [{ creationHash, raw: decodeAbi(['bytes'], data)[0] }]
        : [];
    }),
  );
}

/** A mined call: the number of its block and its hash. */
interface SentCall {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** A call that waits in the pool. */
interface WaitingCall {
  readonly purpose: string;
  readonly hash: Uint8Array;
}

/**
 * Sends the calls of the federation, with the public keys of its members. It sends a call only if a header, a
 * pegin or a pegout waits. Its calls are changes of the chain, each in a block of its own, or in the pool unless
 * the chain automines.
 */
export class Federate {
  readonly #core: ChainCore;
  readonly #chain: Chain;
  readonly #parent: ParentChain;
  readonly #isOn: boolean;
  /** The mined calls by purpose. */
  readonly #sent = new Map<string, SentCall>();
  #waiting: WaitingCall | null = null;
  /** Signed pegouts that were not sent to the parent chain yet. */
  #released: ReleasedPegout[] = [];
  #due: Promise<void> | null = null;
  #isActing = false;
  #hasBegun = false;

  constructor(core: ChainCore, chain: Chain, parent: ParentChain) {
    this.#core = core;
    this.#chain = chain;
    this.#parent = parent;
    this.#isOn = core.options.parentChain?.hasFederate === true;
    if (!this.#isOn) return;
    chain.events.on('block', (block) => this.#onBlock(block));
    chain.events.on('removed', (blocks) => this.#onRemoved(blocks));
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Returns the hash of the mined call with this purpose. */
  hashOf(purpose: string): Uint8Array | undefined {
    return this.#sent.get(purpose)?.hash;
  }

  /** The Bridge after the head block. */
  get bridge(): ReadableBridge {
    const { blockchain, options, settings } = this.#core;
    const { chainId } = settings.current;
    return bridgeIn(blockchain.head.state, { chainId, federation: options.federation });
  }

  #onBlock(block: Block): void {
    const waiting = this.#waiting;
    if (waiting !== null && block.transactions.some(({ hash }) => equalBytes(hash, waiting.hash))) {
      this.#sent.set(waiting.purpose, { number: block.header.number, hash: waiting.hash });
      this.#waiting = null;
    }
    this.#released.push(...releasedIn(block));
    this.wake();
  }

  #onRemoved(blocks: readonly Block[]): void {
    const lowest = blocks.at(-1)?.header.number ?? Number.POSITIVE_INFINITY;
    for (const [purpose, { number }] of this.#sent) if (number >= lowest) this.#sent.delete(purpose);
    this.#released = [];
    this.#waiting = null;
  }

  /** Queues the due calls as one change, if there are any. */
  wake(): void {
    if (!this.#isOn || this.#isActing || this.#due !== null) return;
    this.#begin();
    if (this.#released.length === 0 && this.#next() === null) return;
    const due = this.#chain.changeWithBlocks((tools) => this.act(tools, false));
    this.#due = due
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#due = null;
      });
  }

  /** Resolves when the queued calls are sent. */
  async settled(): Promise<void> {
    await this.#due;
  }

  #report(error: unknown): void {
    if (error instanceof ChainResetError || error instanceof MiningStoppedError) return;
    if (error instanceof CodedError)
      this.#core.events.emit('notice', `the federate could not send a call: ${error.message}`);
    else this.#core.onMiningError(error);
  }

  #next(): FederateCall | null {
    if (this.#isInPool()) return null;
    const blockNumber = this.#core.blockchain.head.block.header.number + 1;
    return nextFederateCall({ ...this.bridge, parent: this.#parent, blockNumber, sent: this.#sent });
  }

  /** Continues the work of an earlier process, or of the chain that this chain is a branch of. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    // These calls were sent, but the Bridge does not remember them.
    for (const purpose of unregisterable({ ...this.bridge, parent: this.#parent }))
      this.#sent.set(purpose, { number: 0, hash: new Uint8Array(0) });
    const { blockchain } = this.#core;
    const head = blockchain.head.block.header.number;
    for (let number = Math.max(blockchain.first, head - RECOVERED_BLOCKS); number < head; number++) {
      const block = blockchain.isPruned(number) ? undefined : blockchain.block(number);
      if (block !== undefined) this.#released.push(...releasedIn(block));
    }
  }

  #isInPool(): boolean {
    const { pool } = this.#core;
    const members = knownMembers(this.bridge.constants.federation);
    return members.some(({ address }) => pool.pendingOf(address).length > 0);
  }

  /**
   * Sends all due calls inside a change, and the signed pegouts to the parent chain. If `mines` is false and the
   * chain does not automine, it sends one call, which waits in the pool.
   */
  async act(tools: BlockTools, mines: boolean): Promise<void> {
    this.#begin();
    this.#isActing = true;
    const slice = this.#slice();
    try {
      for (;;) {
        await this.#broadcast();
        if (mines && this.#isInPool()) await tools.mine(1);
        const call = this.#next();
        if (call === null) return;
        await this.#send(tools, call);
        await slice.spend(CALL_WORK);
        if (this.#core.miner.automine) continue;
        if (!mines) return;
        await tools.mine(1);
      }
    } finally {
      this.#isActing = false;
    }
  }

  #slice(): TimeSlice {
    return new TimeSlice(neverCancelled, undefined, this.#core.yielder);
  }

  async #send(tools: BlockTools, { member, data, purpose }: FederateCall): Promise<void> {
    const { settings, blockchain, miner } = this.#core;
    const { chainId, minimumGasPrice, gasLimit } = settings.current;
    const request = {
      type: 0,
      chainId: BigInt(chainId),
      nonce: null,
      maxFeePerGas: minimumGasPrice,
      maxPriorityFeePerGas: minimumGasPrice,
      gasLimit: gasLimit < CALL_GAS ? gasLimit : CALL_GAS,
      to: BRIDGE_ADDRESS,
      value: 0n,
      data,
      accessList: [],
      authorizationList: [],
      maxFeePerBlobGas: 0n,
      blobVersionedHashes: [],
    } as const;
    const hash = await tools.send(member.address, request, (digest) => curve.sign(digest, member.privateKey));
    if (miner.automine) this.#sent.set(purpose, { number: blockchain.head.block.header.number, hash });
    else this.#waiting = { purpose, hash };
  }

  /** Sends the signed pegouts to the mempool of the parent chain. */
  async #broadcast(): Promise<void> {
    for (const { raw } of this.#released.splice(0)) {
      const transaction = readTransaction(raw);
      const { txid } = transaction;
      if (this.#parent.transaction(txid) !== undefined) continue;
      try {
        await runTask(acceptTransaction(this.#parent, transaction), this.#slice());
      } catch (error) {
        if (!(error instanceof RejectedTransactionError)) throw error;
        this.#core.events.emit('notice', `the parent chain rejects the peg-out ${txid}: ${error.message}`);
      }
    }
  }
}
