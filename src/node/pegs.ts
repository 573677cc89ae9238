import type { BlockTools, Chain } from '../chain/chain.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { CallToken } from '../chain/changes.ts';
import { UNCLAIMED_REWARD } from '../chain/live-parent-chain.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import { decodeAbi } from '../rootstock/abi.ts';
import { parentChainAddress } from '../rootstock/bitcoin/address.ts';
import { parseTransaction, transactionId } from '../rootstock/bitcoin/transaction.ts';
import { BRIDGE_ADDRESS } from '../rootstock/bridge/bridge-method.ts';
import { registrationPurpose } from '../rootstock/federate/federate-call.ts';
import { signersOf } from '../rootstock/federate/member-signatures.ts';
import { isLostDeposit } from '../rootstock/federate/next-call.ts';
import { callParentChain } from '../rootstock/parent-chain/bitcoin-rpc.ts';
import { mineBlock } from '../rootstock/parent-chain/create-block.ts';
import type { ParentBlock } from '../rootstock/parent-chain/parent-block.ts';
import type { ParentChain } from '../rootstock/parent-chain/parent-chain.ts';
import { readTransaction } from '../rootstock/parent-chain/parent-transaction.ts';
import { BitcoinRpcError } from '../rootstock/parent-chain/rpc/rpc-error.ts';
import { topicOf } from '../rootstock/peg/pegout-events.ts';
import { FederateOffError, PeginError, PegoutError } from '../rpc/pegs/errors.ts';
import type { Pegin, PeginRequest, Pegout, PegoutRequest, PegStatus, Pegs } from '../rpc/pegs/pegs.ts';
import { neverCancelled } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { type Federate, releasedIn } from './federate.ts';

const WEI_PER_SATOSHI = 10_000_000_000n;
/** The wallet of the parent chain that pays pegins. */
const WALLET = '';
/** The start of the data of a pegin: `RSKT` and the version 1. */
const PEGIN_DATA = '52534b5401';
/** Blocks of the parent chain until the reward of a block can be spent. */
const MATURITY = 101;
/** Maximum number of times that the node mines coins for a pegin. */
const MAX_FUNDINGS = 20;
const REQUEST_GAS = 100_000n;
/** Maximum number of Rootstock blocks that a pegout waits for. */
const MAX_BLOCKS = 10_000;
/** Work units of an empty Rootstock block. */
const BLOCK_WORK = 2 ** 15;

const TOPICS = {
  peginRejected: topicOf('rejected_pegin', ['bytes32', 'int256']),
  requestRejected: topicOf('release_request_rejected', ['address', 'uint256', 'int256']),
  batchCreated: topicOf('batch_pegout_created', ['bytes32', 'bytes']),
};

/** Reasons in the log of a rejected pegin (RSKIP-181). */
const PEGIN_REASONS: Readonly<Record<string, string>> = {
  2: 'the sender is a multisignature script',
  3: 'the sender is unknown',
  4: 'the data is invalid',
  5: 'the amount is too low',
};
/** Reasons in the log of a rejected request (RSKIP-185). */
const REQUEST_REASONS: Readonly<Record<string, string>> = {
  1: 'the amount is too low',
  2: 'the sender is a contract',
  3: 'the fee exceeds the amount',
};

function coins(satoshis: bigint): string {
  const digits = satoshis.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** A log of the Bridge and the transaction that made it. */
interface BridgeLog extends Pick<Log, 'topics' | 'data'> {
  /** 32 bytes. */
  readonly transactionHash: Uint8Array;
}

function bridgeLogs({ receipts, transactions }: Block): BridgeLog[] {
  return receipts.flatMap(({ logs }, index) => {
    const transactionHash = transactions[index]?.hash ?? new Uint8Array(0);
    return logs
      .filter(({ address }) => equalBytes(address, BRIDGE_ADDRESS))
      .map(({ topics, data }) => ({ topics, data, transactionHash }));
  });
}

function hasTopic({ topics: [first] }: BridgeLog, topic: Uint8Array): boolean {
  return first !== undefined && equalBytes(first, topic);
}

/** Returns true if the bytes contain the hash at a multiple of its length. */
function includesHash(hashes: Uint8Array, hash: Uint8Array): boolean {
  for (let start = 0; start < hashes.length; start += hash.length)
    if (equalBytes(hashes.subarray(start, start + hash.length), hash)) return true;
  return false;
}

/** Makes transfers in both directions. Each one is one change of the chain. */
export class NodePegs implements Pegs {
  readonly #core: ChainCore;
  readonly #chain: Chain;
  readonly #parent: ParentChain;
  readonly #federate: Federate;

  constructor(core: ChainCore, chain: Chain, parent: ParentChain, federate: Federate) {
    this.#core = core;
    this.#chain = chain;
    this.#parent = parent;
    this.#federate = federate;
  }

  async pegIn({ to, satoshis }: PeginRequest, call: CallToken | null): Promise<Pegin> {
    if (!this.#federate.isOn) throw new FederateOffError();
    const { minimumPegin } = this.#federate.bridge.constants;
    if (satoshis < minimumPegin)
      throw new PeginError(`the minimum is ${minimumPegin} satoshis, got ${satoshis}`);
    return this.#chain.changeWithBlocks(async (tools) => {
      const before = this.#parent.state;
      const txid = await this.#pay(to, satoshis).catch((error: unknown) => {
        if (!(error instanceof BitcoinRpcError)) throw error;
        this.#parent.restore(before);
        throw new PeginError(`the wallet cannot pay: ${error.message}`);
      });
      const { peginConfirmations } = this.#federate.bridge.constants;
      this.#mineParentBlocks(peginConfirmations);
      const logs = await this.#logsDuring(() => this.#federate.act(tools, true));
      const hash = this.#federate.hashOf(registrationPurpose({ txid }));
      if (hash === undefined) throw new PeginError(`the federate did not register ${txid}`);
      const own = logs.filter(({ transactionHash }) => equalBytes(transactionHash, hash));
      const rejected = own.find((log) => hasTopic(log, TOPICS.peginRejected));
      if (rejected === undefined) return { txid, hash };
      const [reason] = decodeAbi(['int256'], rejected.data);
      throw new PeginError(`the Bridge rejects ${txid}: ${PEGIN_REASONS[`${reason}`] ?? `reason ${reason}`}`);
    }, call);
  }

  /** Pays the federation from the wallet. Returns the txid. */
  async #pay(to: Uint8Array, satoshis: bigint): Promise<string> {
    const { address } = this.#federate.bridge.constants.federation;
    const outputs = [{ [address]: coins(satoshis) }, { data: `${PEGIN_DATA}${hexKey(to)}` }];
    const raw = await this.#bitcoin('createrawtransaction', [[], outputs]);
    const { hex } = (await this.#funded(raw)) as { readonly hex: string };
    const signed = (await this.#bitcoin('signrawtransactionwithwallet', [hex])) as { readonly hex: string };
    return String(await this.#bitcoin('sendrawtransaction', [signed.hex]));
  }

  /** Adds inputs of the wallet. Mines blocks of the parent chain while the wallet has too few coins. */
  async #funded(raw: unknown): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#bitcoin('fundrawtransaction', [raw, { change_type: 'legacy' }]);
      } catch (error) {
        const isPoor = error instanceof BitcoinRpcError && /insufficient funds/i.test(error.message);
        if (!isPoor || attempt === MAX_FUNDINGS) throw error;
      }
      const receiver = await this.#bitcoin('getnewaddress', ['', 'legacy']);
      await this.#bitcoin('generatetoaddress', [MATURITY, receiver]);
    }
  }

  #bitcoin(method: string, params: readonly unknown[]): Promise<unknown> {
    const call = { method, params, wallet: WALLET };
    return Promise.resolve(runTask(callParentChain(this.#parent, call), this.#slice()));
  }

  #slice(): TimeSlice {
    return new TimeSlice(neverCancelled, undefined, this.#core.yielder);
  }

  #mineParentBlocks(count: number): void {
    for (let block = 0; block < count; block++) mineBlock(this.#parent, { script: UNCLAIMED_REWARD });
  }

  /** Returns the logs of the Bridge in the blocks that the action mines. */
  async #logsDuring(action: () => Promise<void>): Promise<BridgeLog[]> {
    const logs: BridgeLog[] = [];
    const stop = this.#core.events.on('block', (block) => void logs.push(...bridgeLogs(block)));
    try {
      await action();
    } finally {
      stop();
    }
    return logs;
  }

  async pegOut(request: PegoutRequest, call: CallToken | null): Promise<Pegout> {
    if (!this.#federate.isOn) throw new FederateOffError();
    const { minimumPegout } = this.#federate.bridge.constants;
    const { from, satoshis } = request;
    if (satoshis < minimumPegout)
      throw new PegoutError(`the minimum is ${minimumPegout} satoshis, got ${satoshis}`);
    const { wallet, impersonation } = this.#core;
    const isWithoutKey = impersonation.covers(from) || wallet.isUnlockedWithoutKey(from);
    if (isWithoutKey && !wallet.isUnlocked(from))
      throw new PegoutError(
        `the account ${toHex(from)} is impersonated: without its key, nobody can spend the coins on the parent chain`,
      );
    return this.#chain.changeWithBlocks((tools) => this.#pegOut(tools, request), call);
  }

  async #pegOut(tools: BlockTools, { from, satoshis }: PegoutRequest): Promise<Pegout> {
    await this.#federate.act(tools, true);
    const queued = this.#federate.bridge.state.queuedPegouts().reduce((sum, { amount }) => sum + amount, 0n);
    const isShort = (coins: bigint): boolean => coins < queued + satoshis;
    const balance = (): bigint => this.#federate.bridge.state.utxos.balance;
    if (isShort(balance()) && !isShort(balance() + this.#incoming())) await this.#completeTransfers(tools);
    const available = balance();
    // The Bridge pays the whole queue, or nothing.
    if (isShort(available)) {
      const others = queued === 0n ? '' : ` and ${queued} satoshis are queued`;
      throw new PegoutError(
        `the federation has ${available} satoshis on the parent chain${others}, got ${satoshis}; peg in first (peg_in)`,
      );
    }
    const first = this.#headNumber();
    const tracked: { creationHash?: Uint8Array; raw?: Uint8Array } = {};
    const hash = await this.#request(tools, from, satoshis);
    const stop = this.#core.events.on('block', (block) => {
      for (const log of bridgeLogs(block)) {
        const isOwn =
          hasTopic(log, TOPICS.batchCreated) && includesHash(decodeAbi(['bytes'], log.data)[0], hash);
        if (isOwn) tracked.creationHash = log.transactionHash;
      }
      const { creationHash } = tracked;
      if (creationHash === undefined) return;
      const released = releasedIn(block).find((one) => equalBytes(one.creationHash, creationHash));
      if (released !== undefined) tracked.raw = released.raw;
    });
    const slice = this.#slice();
    try {
      while (tracked.raw === undefined) {
        await this.#federate.act(tools, true);
        if (tracked.raw !== undefined) break;
        if (this.#headNumber() - first > MAX_BLOCKS)
          throw new PegoutError(`the Bridge did not pay within ${MAX_BLOCKS} blocks`);
        await tools.mine(1);
        await slice.spend(BLOCK_WORK);
      }
    } finally {
      stop();
    }
    const { txid } = readTransaction(tracked.raw);
    await this.#federate.act(tools, true);
    this.#mineParentBlocks(this.#federate.bridge.constants.peginConfirmations);
    await this.#federate.act(tools, true);
    return { hash, txid, blocks: this.#headNumber() - first };
  }

  /** Returns the satoshis that transfers in progress bring to the federation. */
  #incoming(): bigint {
    const { state, constants } = this.#federate.bridge;
    const { outputScript } = constants.federation;
    const changes = [...state.pegouts.unconfirmed(), ...state.pegouts.unsigned()]
      .flatMap(({ raw }) => parseTransaction(raw).outs)
      .filter(({ script }) => equalBytes(script, outputScript))
      .map(({ value }) => value);
    const deposits = this.#deposits(constants.peginConfirmations)
      .filter(({ isRejected }) => !isRejected)
      .map(({ satoshis }) => BigInt(satoshis));
    return [...changes, ...deposits].reduce((sum, satoshis) => sum + satoshis, 0n);
  }

  /** Mines on both chains until the earlier peg-outs are paid and all coins of the federation are registered. */
  async #completeTransfers(tools: BlockTools): Promise<void> {
    const first = this.#headNumber();
    while (this.#federate.bridge.state.pegouts.unconfirmed().length > 0) {
      if (this.#headNumber() - first > MAX_BLOCKS)
        throw new PegoutError(`the Bridge did not confirm earlier peg-outs within ${MAX_BLOCKS} blocks`);
      await tools.mine(1);
      await this.#federate.act(tools, true);
    }
    this.#mineParentBlocks(this.#federate.bridge.constants.peginConfirmations);
    await this.#federate.act(tools, true);
  }

  #headNumber(): number {
    return this.#core.blockchain.head.block.header.number;
  }

  /** Sends the request and mines it. Throws {@link PegoutError} if the Bridge rejects it. */
  async #request(tools: BlockTools, from: Uint8Array, satoshis: bigint): Promise<Uint8Array> {
    const price = this.#chain.fees.gasPrice();
    let hash = new Uint8Array(0);
    const logs = await this.#logsDuring(async () => {
      hash = new Uint8Array(
        await tools.send(from, {
          type: 0,
          chainId: BigInt(this.#chain.settings.chainId),
          nonce: null,
          maxFeePerGas: price,
          maxPriorityFeePerGas: price,
          gasLimit: REQUEST_GAS,
          to: BRIDGE_ADDRESS,
          value: satoshis * WEI_PER_SATOSHI,
          data: new Uint8Array(0),
          accessList: [],
          authorizationList: [],
          maxFeePerBlobGas: 0n,
          blobVersionedHashes: [],
        }),
      );
      if (!this.#core.miner.automine) await tools.mine(1);
    });
    const own = logs.filter(({ transactionHash }) => equalBytes(transactionHash, hash));
    const rejected = own.find((log) => hasTopic(log, TOPICS.requestRejected));
    if (rejected !== undefined) {
      const [, reason] = decodeAbi(['uint256', 'int256'], rejected.data);
      throw new PegoutError(
        `the Bridge rejects ${toHex(hash)}: ${REQUEST_REASONS[`${reason}`] ?? `reason ${reason}`}`,
      );
    }
    if (own.length === 0) throw new PegoutError(`the Bridge did not accept the request ${toHex(hash)}`);
    return hash;
  }

  status(): PegStatus {
    const { state, constants } = this.#federate.bridge;
    const { federation, network, peginConfirmations, pegoutConfirmations } = constants;
    const { block } = this.#core.blockchain.head;
    const { tip, mempool } = this.#parent;
    const { number } = block.header;
    const best = state.parentChain.head;
    const payments = [
      ...state.pegouts.unconfirmed().map((pegout) => ({
        ...pegout,
        confirmations: number - Number(pegout.blockNumber) + 1,
        signers: [],
      })),
      ...state.pegouts.unsigned().map((pegout) => ({
        ...pegout,
        confirmations: null,
        signers: signersOf(pegout, federation.members, state).map(({ address }) => toHex(address)),
      })),
    ];
    return {
      parentChain: {
        number: tip.height,
        hash: tip.hash,
        blocks: latestBlocks(tip).map(({ height, hash, header, transactions }) => ({
          number: height,
          hash,
          timestamp: header.time,
          transactionCount: transactions.length,
        })),
        mempool: Array.from(mempool.entries, ({ transaction }) => transaction.txid),
      },
      rootstock: { number, hash: toHex(block.hash) },
      bridge: { number: best.height, hash: hexKey(best.header.hash) },
      federation: {
        address: federation.address,
        members: federation.members.map(({ address }) => toHex(address)),
        threshold: federation.threshold,
        hasFederate: this.#federate.isOn,
      },
      utxos: state.utxos.all().map(({ transactionId: id, index, value }) => ({
        txid: hexKey(id),
        vout: index,
        satoshis: Number(value),
        confirmations: this.#confirmations(hexKey(id)),
      })),
      deposits: this.#deposits(peginConfirmations),
      queue: state.queuedPegouts().map(({ destination, amount, transactionHash }) => ({
        hash: toHex(transactionHash),
        address: parentChainAddress('key', destination, network),
        satoshis: Number(amount),
        nextBlock: Number(state.nextPegoutBlock),
      })),
      pegouts: payments.map(({ creationHash, raw, confirmations, signers }) => {
        const transaction = parseTransaction(raw);
        const paid = transaction.outs.filter(({ script }) => !equalBytes(script, federation.outputScript));
        return {
          hash: toHex(creationHash),
          txid: hexKey(transactionId(transaction)),
          satoshis: Number(paid.reduce((sum, { value }) => sum + value, 0n)),
          confirmations,
          requiredConfirmations: pegoutConfirmations,
          signers,
        };
      }),
    };
  }

  /** Returns the confirmations of a transaction; 0 if no block contains it. */
  #confirmations(txid: string): number {
    const mined = this.#parent.transaction(txid)?.mined ?? null;
    return mined === null ? 0 : this.#parent.tip.height - mined.block.height + 1;
  }

  /** Returns the transactions with outputs to the federation that the Bridge has not processed. */
  #deposits(requiredConfirmations: number): PegStatus['deposits'] {
    const { bridge } = this.#federate;
    const { state, constants } = bridge;
    const { outputScript } = constants.federation;
    const nextHeight = this.#parent.tip.height + 1;
    const script = hexKey(outputScript);
    const { index, mempool } = this.#parent;
    const ids = new Set([...index.historyOfScript(script), ...mempool.historyOfScript(script)]);
    return Array.from(ids).flatMap((txid) => {
      const found = this.#parent.transaction(txid);
      if (found === undefined || state.pegs.processedAt(Buffer.from(txid, 'hex')) !== undefined) return [];
      const received = found.transaction.outputs.filter((output) => equalBytes(output.script, outputScript));
      return [
        {
          txid,
          satoshis: Number(received.reduce((sum, { value }) => sum + value, 0n)),
          confirmations: this.#confirmations(txid),
          requiredConfirmations,
          isRejected: isLostDeposit(found.transaction.bytes, found.mined?.block.height ?? nextHeight, bridge),
        },
      ];
    });
  }
}

/** The number of blocks of the parent chain in the status. */
const BLOCKS = 8;

/** Returns the latest blocks, newest first. */
function latestBlocks(tip: ParentBlock): readonly ParentBlock[] {
  const blocks: ParentBlock[] = [];
  for (let block: ParentBlock | null = tip; block !== null && blocks.length < BLOCKS; block = block.parent)
    blocks.push(block);
  return blocks;
}
