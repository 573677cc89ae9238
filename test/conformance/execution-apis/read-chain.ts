/** Executes the test chain of github.com/ethereum/execution-apis, and returns it as a state file of Anvil. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlock, createBlockFromRLP, type Block as PeerBlock } from '@ethereumjs/block';
import { createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common';
import { genesisMPTStateRoot } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { Account, createAddressFromString } from '@ethereumjs/util';
import { createVM, runBlock, type TxReceipt } from '@ethereumjs/vm';
import { fromHex, toHex, toQuantity } from '../../../src/primitives/hex.ts';
import { finish } from '../../../src/primitives/steps.ts';
import type { Block } from '../../../src/protocol/block.ts';
import { locatedTransactions } from '../../../src/protocol/block.ts';
import { effectiveGasPrice } from '../../../src/protocol/fees.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { decodeBlock } from '../../../src/protocol/header-decoding.ts';
import { headerHash } from '../../../src/protocol/header-encoding.ts';
import type { Receipt } from '../../../src/protocol/receipt.ts';
import { decodeTransaction } from '../../../src/protocol/transaction-decoding.ts';
import { engineKzg } from '../../../src/reference/rule-set-common.ts';
import { anvilHeaderJson } from '../../../src/wire/header.ts';
import { anvilReceiptJson } from '../../../src/wire/receipt-file.ts';
import { anvilTransactionJson } from '../../../src/wire/transaction.ts';

/** The rules after the last block. Earlier blocks have other rules, which the node cannot mix. */
export const HARDFORK = 'bpo2';

type GethGenesis = Parameters<typeof createCommonFromGethGenesis>[0];

interface GenesisFile extends Omit<GethGenesis, 'config' | 'alloc'> {
  readonly config: { readonly chainId: number };
  readonly alloc: Readonly<
    Record<
      string,
      {
        readonly balance: string;
        readonly code?: string;
        readonly nonce?: string;
        readonly storage?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** A state in memory. The root that the next block expects counts as its root. */
class TestState extends SimpleStateManager {
  root: Uint8Array = new Uint8Array(32);

  override getStateRoot(): Promise<Uint8Array> {
    return Promise.resolve(this.root);
  }

  override setStateRoot(): Promise<void> {
    return Promise.resolve();
  }

  override hasStateRoot(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

const quantity = (value: bigint | number): string => toQuantity(value);

/** Returns all accounts of the state as JSON, with their storage by address. */
function accountsOf(state: TestState): {
  readonly accounts: Record<string, { balance: string; nonce: string; code: string }>;
  readonly storage: Record<string, Record<string, string>>;
} {
  const [accounts, codes, slots] = [
    state.accountStack.at(-1),
    state.codeStack.at(-1),
    state.storageStack.at(-1),
  ];
  const found: ReturnType<typeof accountsOf> = { accounts: {}, storage: {} };
  for (const [address, account] of accounts ?? []) {
    if (account === undefined) continue;
    const code = toHex(codes?.get(address) ?? new Uint8Array(0));
    found.accounts[address] = { balance: quantity(account.balance), nonce: quantity(account.nonce), code };
  }
  for (const [key, value] of slots ?? []) {
    const [address = '', slot = ''] = key.split('_');
    if (value.every((byte) => byte === 0) || found.accounts[address] === undefined) continue;
    const ofAccount = found.storage[address] ?? {};
    ofAccount[slot] = `0x${toHex(value).slice(2).padStart(64, '0')}`;
    found.storage[address] = ofAccount;
  }
  return found;
}

/** Returns the encodings of the blocks in a file. */
function blocksIn(file: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  let rest = file;
  while (rest.length > 0) {
    const { data, remainder } = RLP.decode(rest, true);
    blocks.push(RLP.encode(data));
    rest = remainder;
  }
  return blocks;
}

/** Returns the block without its withdrawals, which this node cannot store. The header keeps their root. */
function withoutWithdrawals(raw: Uint8Array): Uint8Array {
  const parts = RLP.decode(raw) as Uint8Array[];
  return parts.length < 4 ? raw : RLP.encode([...parts.slice(0, 3), []]);
}

function receiptsOf(
  peers: readonly TxReceipt[],
  { header, transactions }: Pick<Block, 'header' | 'transactions'>,
  created: readonly (Uint8Array | null)[],
): Receipt[] {
  let before = 0n;
  return peers.map((receipt, index) => {
    const transaction = transactions[index];
    if (transaction === undefined) throw new RangeError(`transaction ${index} does not exist`);
    const gasUsed = receipt.cumulativeBlockGasUsed - before;
    before = receipt.cumulativeBlockGasUsed;
    return {
      succeeded: !('status' in receipt) || receipt.status === 1,
      cumulativeGasUsed: receipt.cumulativeBlockGasUsed,
      gasUsed,
      effectiveGasPrice: effectiveGasPrice(transaction, header.ethereum.baseFeePerGas),
      logs: receipt.logs.map(([address, topics, data]) => ({ address, topics, data })),
      logsBloom: receipt.bitvector,
      contractAddress: transaction.to === null ? (created[index] ?? null) : null,
    };
  });
}

/** The test chain for `anvil_loadState`, and its chain id. */
export interface TestChain {
  readonly chainId: number;
  readonly head: string;
  readonly state: object;
  /** The accounts after the last block. */
  readonly accounts: Readonly<Record<string, { readonly nonce: number }>>;
  /** The numbers of blocks with withdrawals. */
  readonly withWithdrawals: readonly number[];
}

/** Executes the blocks of `chain.rlp` in a folder with `genesis.json`. */
export async function readTestChain(folder: string): Promise<TestChain> {
  const genesis = JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')) as GenesisFile;
  const { chainId } = genesis.config;
  const common = createCommonFromGethGenesis(genesis as GethGenesis, {
    chain: 'test',
    hardfork: 'chainstart',
    customCrypto: { kzg: engineKzg },
  });
  const state = new TestState({ common });
  for (const [name, { balance, nonce = '0x0', code, storage = {} }] of Object.entries(genesis.alloc)) {
    const address = createAddressFromString(name.startsWith('0x') ? name : `0x${name}`);
    const account = new Account(BigInt(nonce), BigInt(balance));
    await state.putAccount(address, account);
    if (code !== undefined) await state.putCode(address, fromHex(code as `0x${string}`));
    for (const [slot, value] of Object.entries(storage)) {
      const word = (text: string): Uint8Array => fromHex(`0x${text.replace(/^0x/, '').padStart(64, '0')}`);
      await state.putStorage(address, word(slot), word(value));
    }
  }
  const ruleSet = ruleSetNamed(HARDFORK);
  const blocks: object[] = [];
  const transactions: object[] = [];
  const states: [string, ReturnType<typeof accountsOf>][] = [];
  const withWithdrawals: number[] = [];
  const known = new Map<bigint, PeerBlock>();
  const blockchain = {
    consensus: { algorithm: 'ethash' },
    getBlock: (id: bigint | number) => known.get(BigInt(id as bigint)),
    putBlock: () => undefined,
    shallowCopy: () => blockchain,
  };
  const vm = await createVM({ common, stateManager: state, blockchain: blockchain as never });
  const add = (block: Block): void => {
    blocks.push({
      header: anvilHeaderJson(block.header),
      transactions: block.transactions.map((transaction) => ({
        transaction: anvilTransactionJson(transaction),
        impersonated_sender: null,
      })),
      ommers: block.uncles.map(anvilHeaderJson),
      withdrawals: null,
    });
    for (const location of locatedTransactions(block)) {
      const { info, receipt } = finish(anvilReceiptJson(location));
      transactions.push({
        info: { ...info, traces: [], exit: 'Stop', out: null, nonce: Number(location.transaction.nonce) },
        receipt,
        block_hash: toHex(block.hash),
        block_number: block.header.number,
      });
    }
    states.push([toHex(block.hash), accountsOf(state)]);
  };
  const first = createBlock(
    {
      header: {
        nonce: `0x${genesis.nonce.slice(2).padStart(16, '0')}`,
        timestamp: genesis.timestamp,
        extraData: genesis.extraData,
        gasLimit: genesis.gasLimit,
        difficulty: genesis.difficulty,
        mixHash: genesis.mixHash,
        coinbase: genesis.coinbase,
        stateRoot: await genesisMPTStateRoot(parseGethGenesisState(genesis)),
      } as never,
    },
    { common },
  );
  for (const raw of [first.serialize(), ...blocksIn(readFileSync(join(folder, 'chain.rlp')))]) {
    const peer = createBlockFromRLP(raw, { common, setHardfork: true, skipConsensusFormatValidation: true });
    known.set(peer.header.number, peer);
    const { header, transactions: encoded, uncles } = decodeBlock(withoutWithdrawals(raw), 'ethereum');
    const own = encoded.map((transaction) => decodeTransaction(transaction.raw, ruleSet, chainId));
    let receipts: readonly TxReceipt[] = [];
    let created: (Uint8Array | null)[] = [];
    if (header.number > 0) {
      state.root = peer.header.stateRoot;
      vm.common.setHardforkBy({ blockNumber: peer.header.number, timestamp: peer.header.timestamp });
      const result = await runBlock(vm, {
        block: peer,
        skipBlockValidation: true,
        skipHeaderValidation: true,
        generate: true,
      });
      ({ receipts } = result);
      created = result.results.map(({ createdAddress }) => createdAddress?.bytes ?? null);
    }
    if ((peer.withdrawals?.length ?? 0) > 0) withWithdrawals.push(header.number);
    const hash = headerHash(header, 'ethereum');
    add({
      header: { ...header, uncleCount: uncles.length },
      hash,
      transactions: own,
      receipts: receiptsOf(receipts, { header, transactions: own }, created),
      uncles,
      totalDifficulty: 0n,
      size: raw.length,
    });
  }
  const last = states.at(-1);
  if (last === undefined) throw new Error('the chain has no blocks');
  const { accounts, storage } = accountsOf(state);
  const merged = Object.fromEntries(
    Object.entries(accounts).map(([address, account]) => [
      address,
      { ...account, nonce: Number(account.nonce), storage: storage[address] ?? {} },
    ]),
  );
  return {
    chainId,
    head: last[0],
    accounts: merged,
    withWithdrawals,
    state: {
      block: null,
      accounts: merged,
      best_block_number: blocks.length - 1,
      blocks,
      transactions,
      historical_states: states.slice(0, -1).map(([hash, { accounts: past, storage: slots }]) => [
        hash,
        {
          accounts: Object.fromEntries(
            Object.entries(past).map(([address, { balance, nonce, code }]) => [
              address,
              { balance, nonce: Number(nonce), code: code === '0x' ? null : { LegacyRaw: code } },
            ]),
          ),
          storage: slots,
        },
      ]),
    },
  };
}
