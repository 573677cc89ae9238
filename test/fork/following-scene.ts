// A fork of a live node, and random changes on both sides.

import { expect } from 'vitest';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { CodedError } from '../../src/primitives/coded-error.ts';
import { fromHex, toHex, toQuantity } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { createRpcHarness, harnessOn, type RpcHarness } from '../rpc/rpc-harness.ts';
import { ALICE, BOB, branchOf, CAROL, nodeOf } from '../support/test-chain.ts';
import { type BlockFacts, blockOn, ClientView, type LogFacts } from './following-view.ts';
import { createForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

/** Stores the second word of its input in the slot of the first word, and logs the slot as topic. */
const STORE_CODE = '6020356000355560003560006000a100';
const STORES = [`0x${'57'.repeat(20)}`, `0x${'58'.repeat(20)}`];
/** Initcode of a contract with {@link STORE_CODE}. */
const CREATION = `0x6f${STORE_CODE}60005260106010f3`;
/** Destroys itself in favour of the caller. */
const MORTAL = `0x${'59'.repeat(20)}`;
const STRANGER = `0x${'78'.repeat(20)}`;
const SENDERS: readonly string[] = [ALICE, BOB, CAROL];
const ACCOUNTS = [...SENDERS, STRANGER, MORTAL, ...STORES];
const SLOTS = [0, 1, 2];
/** The balance of the senders. */
const FUNDS = toQuantity(10n ** 20n);
const GAS = '0x30000';

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** A change of one side, or of the base. `pick` numbers select one of the possible values. */
export type Step =
  | { readonly kind: 'transfer'; readonly from: number; readonly to: number; readonly value: number }
  | {
      readonly kind: 'store';
      readonly from: number;
      readonly store: number;
      readonly slot: number;
      readonly value: number;
    }
  | { readonly kind: 'create'; readonly from: number }
  | { readonly kind: 'destroy'; readonly from: number }
  | {
      readonly kind: 'cheat';
      readonly what: 'balance' | 'nonce' | 'code' | 'slot' | 'delegation';
      readonly account: number;
      readonly slot: number;
      readonly value: number;
    }
  | { readonly kind: 'mine'; readonly count: number }
  | { readonly kind: 'increaseTime'; readonly seconds: number }
  | { readonly kind: 'snapshot'; readonly name: string | null }
  | { readonly kind: 'revert'; readonly pick: number }
  | { readonly kind: 'reorganize'; readonly depth: number; readonly blocks: number }
  | { readonly kind: 'fork_step' }
  | { readonly kind: 'follow' }
  | { readonly kind: 'branch' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'reset' };

/** A step on the fork, or on the forked chain. */
export interface SidedStep {
  readonly isUpstream: boolean;
  readonly step: Step;
}

interface AccountFacts {
  readonly nonce: string;
  readonly balance: string;
  readonly code: string;
}

/** The values that were written on the fork. */
class Written {
  readonly accounts: Map<string, AccountFacts>;
  readonly slots: Map<string, string>;
  /** Accounts whose other slots are zero. */
  readonly cleared: Set<string>;
  readonly destroyed: Set<string>;
  /** Receipts of local transactions by hash. */
  readonly receipts: Map<string, Receipt>;

  constructor(from: Written | null = null) {
    this.accounts = new Map(from?.accounts);
    this.slots = new Map(from?.slots);
    this.cleared = new Set(from?.cleared);
    this.destroyed = new Set(from?.destroyed);
    this.receipts = new Map(from?.receipts);
  }
}

interface Receipt {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly contractAddress: string | null;
  readonly logs: readonly LogFacts[];
}

const ABSENT: AccountFacts = { nonce: '0x0', balance: '0x0', code: '0x' };

function areEqual(one: AccountFacts, other: AccountFacts): boolean {
  return one.nonce === other.nonce && one.balance === other.balance && one.code === other.code;
}

/** The code of a contract, the code of a delegation, or none for the value 0. */
function codeOf(what: 'code' | 'delegation', value: number): string {
  if (what === 'delegation') return `0xef0100${STORES[value % STORES.length]?.slice(2)}`;
  return value === 0 ? '0x' : `0x600${value}00`;
}

function withoutPlace({ logs, ...receipt }: Receipt): unknown {
  const place = { blockHash: '', blockNumber: '', blockTimestamp: '' };
  return { ...receipt, ...place, logs: logs.map((log) => ({ ...log, ...place })) };
}

/** A fork of a live node beside a model of it. */
export class FollowingScene {
  readonly origin: RpcHarness;
  #fork: RpcHarness;
  #written = new Written();
  #snapshots: { readonly id: unknown; readonly name: string | null; readonly written: Written }[] = [];
  /** The hashes of all transactions that were sent to forks. */
  readonly #sent = new Set<string>();
  #view = this.#newView();
  /** The number of the base block. */
  #base = 2;
  #baseHash = '';
  /** The accounts in the states after base blocks, by hash of the block. */
  readonly #sources = new Map<string, ReadonlyMap<string, AccountFacts>>();
  #first: Written = new Written();

  private constructor(origin: RpcHarness, fork: RpcHarness) {
    this.origin = origin;
    this.#fork = fork;
  }

  static async create(
    options: Pick<ChainOptions, 'ruleSet'> & Partial<ChainOptions>,
  ): Promise<FollowingScene> {
    const origin = await createRpcHarness({}, options);
    for (const store of STORES) await origin.call('anvil_setCode', [store, `0x${STORE_CODE}`]);
    await origin.call('anvil_setCode', [MORTAL, '0x33ff']);
    await origin.call('anvil_setBalance', [MORTAL, '0x10']);
    await origin.call('evm_mine');
    await origin.call('evm_mine');
    const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
    const fork = await createForkScene(upstream, { chain: { chainId: 33, ...options } });
    const scene = new FollowingScene(origin, fork);
    await scene.#begin();
    return scene;
  }

  #newView(): ClientView {
    return new ClientView((hash) => this.#sent.has(hash));
  }

  async #begin(): Promise<void> {
    this.#view = this.#newView();
    await this.#view.begin(this.#fork);
    await this.#readBase();
  }

  async #readBase(): Promise<void> {
    const { hash } = await blockOn(this.origin, toQuantity(this.#base));
    if (this.#baseHash === '') this.#baseHash = hash;
    if (this.#sources.has(hash)) return;
    const sources = new Map<string, AccountFacts>();
    for (const address of ACCOUNTS) sources.set(address, await this.#sourceFacts(address));
    this.#sources.set(hash, sources);
  }

  /** The account in the state after the base block. The senders have funds of their own. */
  async #sourceFacts(address: string): Promise<AccountFacts> {
    const facts = await this.#factsOn(this.origin, address, toQuantity(this.#base));
    return SENDERS.includes(address) ? { ...facts, balance: FUNDS } : facts;
  }

  async #factsOn({ call }: Pick<RpcHarness, 'call'>, address: string, block: string): Promise<AccountFacts> {
    const [nonce, balance, code] = await Promise.all(
      ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'].map((method) =>
        call(method, [address, block]),
      ),
    );
    return { nonce, balance, code } as AccountFacts;
  }

  /** Notes the present values of the account as written on the fork. */
  async #note(address: string, slots: readonly number[] = []): Promise<void> {
    this.#written.accounts.set(address, await this.#factsOn(this.#fork, address, 'latest'));
    // An account that only exists here has no other slots.
    const source = this.#sources.get(this.#baseHash)?.get(address);
    const hasSlots = SLOTS.some((slot) => this.#written.slots.has(`${address} ${slot}`));
    if (source !== undefined && areEqual(source, ABSENT) && !hasSlots) this.#written.cleared.add(address);
    for (const slot of slots)
      this.#written.slots.set(
        `${address} ${slot}`,
        (await this.#fork.call('eth_getStorageAt', [address, word(slot), 'latest'])) as string,
      );
  }

  async #send(
    side: Pick<RpcHarness, 'call'>,
    from: string,
    to: string | null,
    data: string,
    value: number,
  ): Promise<Receipt | null> {
    const target = to === null ? {} : { to };
    const params = [{ from, ...target, data, value: toQuantity(value), gas: GAS }];
    let hash: unknown;
    try {
      hash = await side.call('eth_sendTransaction', params);
    } catch (error) {
      // For example, the sender has no funds.
      if (error instanceof CodedError) return null;
      throw error;
    }
    return (await side.call('eth_getTransactionReceipt', [hash])) as Receipt | null;
  }

  async #sendHere(
    side: RpcHarness,
    from: string,
    to: string | null,
    data: string,
    value: number,
  ): Promise<Receipt | null> {
    const receipt = await this.#send(side, from, to, data, value);
    if (receipt === null || side === this.origin) return receipt;
    this.#sent.add(receipt.transactionHash);
    this.#written.receipts.set(receipt.transactionHash, receipt);
    await this.#note(from);
    return receipt;
  }

  async apply({ isUpstream, step }: SidedStep): Promise<void> {
    const side = isUpstream ? this.origin : this.#fork;
    const { call } = side;
    switch (step.kind) {
      case 'transfer': {
        const to = ACCOUNTS[step.to % 4] ?? STRANGER;
        const receipt = await this.#sendHere(side, SENDERS[step.from] ?? ALICE, to, '0x', step.value);
        if (!isUpstream && receipt !== null && step.value > 0) await this.#note(to);
        return;
      }
      case 'store': {
        const to = STORES[step.store] ?? '';
        const slot = (): Promise<unknown> => call('eth_getStorageAt', [to, word(step.slot), 'latest']);
        const before = await slot();
        const data = word(step.slot) + word(step.value).slice(2);
        await this.#sendHere(side, SENDERS[step.from] ?? ALICE, to, data, 0);
        const after = await slot();
        // To store the present value changes nothing.
        if (!isUpstream && after !== before) this.#written.slots.set(`${to} ${step.slot}`, after as string);
        return;
      }
      case 'create': {
        const receipt = await this.#sendHere(side, SENDERS[step.from] ?? ALICE, null, CREATION, 0);
        if (!isUpstream && receipt?.contractAddress) {
          await this.#note(receipt.contractAddress);
          this.#written.cleared.add(receipt.contractAddress);
        }
        return;
      }
      case 'destroy': {
        const { code } = await this.#factsOn(side, MORTAL, 'latest');
        // A call would delete the account again, with new slots (EIP-161).
        if (code === '0x') return;
        const receipt = await this.#sendHere(side, SENDERS[step.from] ?? ALICE, MORTAL, '0x', 0);
        if (isUpstream || receipt === null) return;
        await this.#note(MORTAL);
        if (this.#written.accounts.get(MORTAL)?.code === '0x') {
          this.#written.cleared.add(MORTAL);
          this.#written.destroyed.add(MORTAL);
          for (const slot of SLOTS) this.#written.slots.delete(`${MORTAL} ${slot}`);
        }
        return;
      }
      case 'cheat': {
        const address = ACCOUNTS[step.account % ACCOUNTS.length] ?? STRANGER;
        const value = toQuantity(step.value);
        // A cheat changes the state after the head, which the fork must not have read before.
        if (isUpstream) await call('evm_mine');
        if (step.what === 'balance') await call('anvil_setBalance', [address, value]);
        else if (step.what === 'nonce') {
          const present = Number(await call('eth_getTransactionCount', [address, 'latest']));
          await call('anvil_setNonce', [address, toQuantity(present + step.value)]);
        } else if (step.what === 'slot')
          await call('anvil_setStorageAt', [address, word(step.slot), word(step.value)]);
        else {
          const code = (await call('eth_getCode', [STRANGER, 'latest'])) as string;
          // A forked chain does not change code, except for delegations.
          if (!isUpstream || code === '0x' || code.startsWith('0xef0100'))
            await call('anvil_setCode', [STRANGER, codeOf(step.what, step.value)]);
        }
        if (isUpstream) return;
        if (step.what === 'slot') this.#written.slots.set(`${address} ${step.slot}`, word(step.value));
        else await this.#note(step.what === 'code' || step.what === 'delegation' ? STRANGER : address);
        return;
      }
      case 'mine':
        await call('hardhat_mine', [toQuantity(step.count)]);
        return;
      case 'increaseTime':
        await call('evm_increaseTime', [step.seconds]);
        return;
      case 'reorganize': {
        const head = Number(await this.origin.call('eth_blockNumber'));
        const depth = Math.min(step.depth, head - 2);
        if (depth > 0) await this.origin.call('anvil_reorg', [depth, []]);
        for (let count = 0; count < step.blocks; count++) await this.origin.call('evm_mine');
        return;
      }
      case 'snapshot': {
        const id = await this.#fork.call('evm_snapshot', step.name === null ? [] : [step.name]);
        const kept = this.#snapshots.filter(({ name }) => step.name === null || name !== step.name);
        this.#snapshots = [...kept, { id, name: step.name, written: new Written(this.#written) }];
        return;
      }
      case 'revert':
        return this.#revert(step.pick);
      case 'fork_step':
        await this.#moved((await this.#fork.call('fork_step')) as BlockFacts);
        return;
      case 'follow':
        await this.#fork.call('fork_follow', [2]);
        await this.#moved((await this.#fork.call('fork_pause')) as BlockFacts);
        return;
      case 'branch':
        await this.#branch();
        return;
      case 'reload': {
        const dump = await this.#fork.call('anvil_dumpState');
        await this.#fork.call('evm_mine');
        await this.#fork.call('anvil_loadState', [dump]);
        this.#snapshots = [];
        // The client starts again.
        await this.#begin();
        return;
      }
      case 'reset':
        await this.#fork.call('evm_reset');
        this.#written = new Written(this.#first);
        this.#snapshots = [];
        await this.#findBase();
        await this.#begin();
    }
  }

  /** The fork continues on a branch, which replaces it. */
  async #branch(): Promise<void> {
    const chain = await branchOf(this.#fork.chain);
    this.#fork = harnessOn(chain, this.#fork.time);
    this.#snapshots = [];
    this.#first = new Written(this.#written);
    await this.#begin();
  }

  async #revert(pick: number): Promise<void> {
    const snapshot = this.#snapshots[pick % Math.max(1, this.#snapshots.length)];
    if (snapshot === undefined) return;
    expect(await this.#fork.call('evm_revert', [snapshot.id])).toBe(true);
    this.#written = new Written(snapshot.written);
    const position = this.#snapshots.indexOf(snapshot);
    const isNamed = snapshot.name !== null;
    this.#snapshots = this.#snapshots.slice(0, position + (isNamed ? 1 : 0));
    await this.#findBase();
  }

  async #findBase(): Promise<void> {
    this.#base = nodeOf(this.#fork.chain).fork.current?.number ?? 0;
    const { hash } = await blockOn(this.#fork, toQuantity(this.#base));
    this.#baseHash = hash;
  }

  /** The model of a move of the base. */
  async #moved({ number, hash }: BlockFacts): Promise<void> {
    if (hash === this.#baseHash) return;
    const before = this.#sources.get(this.#baseHash);
    this.#base = Number(number);
    this.#baseHash = hash;
    await this.#readBase();
    for (const [address, local] of this.#written.accounts) {
      const same = before?.get(address);
      if (same !== undefined && areEqual(local, same) && !this.#written.destroyed.has(address)) {
        this.#written.accounts.delete(address);
        if (areEqual(same, ABSENT)) this.#written.cleared.delete(address);
        continue;
      }
      const source = await this.#sourceFacts(address);
      const nonce = Math.max(Number(local.nonce), Number(source.nonce));
      this.#written.accounts.set(address, { ...local, nonce: toQuantity(nonce) });
    }
  }

  /** Compares the fork with the model. */
  async check(): Promise<void> {
    await this.#checkBlocks();
    await this.#checkReceipts();
    await this.#view.check(this.#fork);
    const { hash } = await blockOn(this.origin, toQuantity(this.#base));
    if (hash === this.#baseHash) await this.#checkState();
  }

  async #checkBlocks(): Promise<void> {
    const head = Number(await this.#fork.call('eth_blockNumber'));
    let parent: BlockFacts | null = null;
    const first = Math.max(this.#base, 1);
    for (let number = first; number <= head; number++) {
      const block = await blockOn(this.#fork, toQuantity(number));
      expect(Number(block.number)).toBe(number);
      if (number === first) expect(block.hash).toBe(this.#baseHash);
      if (parent !== null) {
        expect(block.parentHash, `the parent hash of block ${number}`).toBe(parent.hash);
        expect(Number(block.timestamp)).toBeGreaterThan(Number(parent.timestamp));
        if (head - number < 8 || number - first < 8) {
          const header = (await this.#fork.call('debug_getRawHeader', [toQuantity(number)])) as string;
          expect(toHex(keccak256(fromHex(header)))).toBe(block.hash);
          expect(await this.#fork.call('eth_getBlockByHash', [block.hash, false])).toEqual(block);
        }
      }
      parent = block;
    }
    const missing = await this.#fork.call('eth_getBlockByNumber', [toQuantity(head + 1), false]);
    expect(missing).toBeNull();
  }

  async #checkReceipts(): Promise<void> {
    for (const [hash, receipt] of this.#written.receipts) {
      const now = (await this.#fork.call('eth_getTransactionReceipt', [hash])) as Receipt;
      expect(withoutPlace(now)).toEqual(withoutPlace(receipt));
      const block = await blockOn(this.#fork, now.blockNumber);
      expect(block.hash).toBe(now.blockHash);
      expect(block.transactions).toContain(hash);
      for (const log of now.logs) expect(log.blockHash).toBe(now.blockHash);
    }
  }

  async #checkState(): Promise<void> {
    const base = toQuantity(this.#base);
    for (const address of new Set([...ACCOUNTS, ...this.#written.accounts.keys()])) {
      const source = await this.#sourceFacts(address);
      const written = this.#written.accounts.get(address);
      const present = await this.#factsOn(this.#fork, address, 'latest');
      if (written === undefined) expect(present, `account ${address}`).toEqual(source);
      else expect(present, `written account ${address}`).toEqual(written);
      for (const slot of SLOTS) {
        const expected =
          this.#written.slots.get(`${address} ${slot}`) ??
          (this.#written.cleared.has(address)
            ? word(0)
            : await this.origin.call('eth_getStorageAt', [address, word(slot), base]));
        const value = await this.#fork.call('eth_getStorageAt', [address, word(slot), 'latest']);
        expect(value, `slot ${slot} of ${address}`).toBe(expected);
      }
    }
  }
}
