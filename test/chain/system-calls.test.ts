import { createBlockFromRLP } from '@ethereumjs/block';
import { createCustomCommon, Mainnet } from '@ethereumjs/common';
import { MerkleStateManager } from '@ethereumjs/statemanager';
import { Account, Address } from '@ethereumjs/util';
import { createVM, runBlock, type VM } from '@ethereumjs/vm';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { setNextBeaconRoot } from '../../src/chain/mining-controls.ts';
import { requestsHash } from '../../src/execution/sealing.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, padLeft } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { NO_REQUESTS_HASH } from '../../src/protocol/genesis.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import {
  BEACON_ROOTS,
  CONSOLIDATION_REQUESTS,
  HISTORY_STORAGE,
  SYSTEM_ADDRESS,
  WITHDRAWAL_REQUESTS,
} from '../../src/protocol/hardforks/system-contracts.ts';
import { encodeBlock } from '../../src/protocol/header-encoding.ts';
import { NO_BLOBS } from '../../src/protocol/transaction.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n };
const ROOT = new Uint8Array(32).fill(0xbe);
const WITH_SYSTEM_CALLS = (['cancun', 'prague', 'osaka'] as const).map((name) => ({ name }));

/** A virtual machine of the reference library with the genesis state of the chain. */
async function libraryAtGenesis(chain: Chain, name: RuleSetName): Promise<VM> {
  const last = Mainnet.hardforks.findIndex((hardfork) => hardfork.name === name);
  const hardforks = Mainnet.hardforks
    .slice(0, last + 1)
    .map((hardfork) =>
      hardfork.timestamp === undefined
        ? { name: hardfork.name, block: 0 }
        : { name: hardfork.name, block: null, timestamp: 0 },
    );
  const common = createCustomCommon({ chainId: 33, hardforks }, Mainnet, { hardfork: name });
  const stateManager = new MerkleStateManager({ common });
  const { state } = await chain.view({ tag: 'earliest' });
  for (const { address, nonce, balance, code } of state.accounts()) {
    const at = new Address(address);
    await stateManager.putAccount(at, new Account(nonce, balance));
    if (code.bytes.length > 0) await stateManager.putCode(at, code.bytes);
  }
  await stateManager.flush();
  expect(toHex(await stateManager.getStateRoot())).toBe(toHex(state.root));
  return createVM({ common, stateManager });
}

/** Executes all blocks with the library. It rejects a different state, receipt, gas or request. */
async function runByLibrary(chain: Chain, name: RuleSetName): Promise<number> {
  const vm = await libraryAtGenesis(chain, name);
  let executed = 0;
  for (let number = 1n; number <= BigInt(chain.head().header.number); number++) {
    const block = await chain.block({ number });
    if (block === undefined) throw new Error(`block ${number} does not exist`);
    const theirs = createBlockFromRLP(encodeBlock(block, 'ethereum'), { common: vm.common });
    await runBlock(vm, { block: theirs, skipBlockValidation: true, setHardfork: false });
    executed++;
  }
  return executed;
}

/** The data that a contract returns to a call. */
async function ask(chain: Chain, to: Uint8Array, data: Uint8Array): Promise<string> {
  const message = {
    sender: SENDER,
    to,
    value: 0n,
    data,
    gasLimit: null,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  };
  const { outcome, returnData } = await chain.calls.call(message, { tag: 'latest' });
  return outcome === 'success' ? toHex(returnData) : outcome;
}

const wordOf = (value: number): Uint8Array => bigIntToFixedBytes(BigInt(value), 32);
const PUBLIC_KEY = new Uint8Array(48).fill(0xaa);
const AMOUNT = fromHex('0x0102030405060708');
const WITHDRAWAL = { ...FEES, to: WITHDRAWAL_REQUESTS.address, value: 500n, gasLimit: 400_000n };
const CONSOLIDATION = { ...WITHDRAWAL, to: CONSOLIDATION_REQUESTS.address };

/** Sends more requests of each kind than fit in one block. */
async function sendRequests(chain: Chain): Promise<void> {
  chain.miner.setMode({ automine: false, blockTime: null });
  for (let index = 0; index < 20; index++) {
    const data = concatBytes(PUBLIC_KEY, padLeft(Uint8Array.of(index), 8));
    await chain.sendFrom(SENDER, transfer({ ...WITHDRAWAL, data }));
  }
  for (let index = 0; index < 3; index++) {
    const data = concatBytes(PUBLIC_KEY, new Uint8Array(48).fill(index));
    await chain.sendFrom(SENDER, transfer({ ...CONSOLIDATION, data }));
  }
  await chain.mine();
  chain.miner.setMode({ automine: true, blockTime: null });
}

describe.each(WITH_SYSTEM_CALLS)('system calls under $name', ({ name }) => {
  const { hasRequests } = ruleSetNamed(name);

  it.each([{ engine: 'wasm' }, { engine: 'reference' }, { shadow: true }] as const)(
    'produce the same state as the reference library, with %o',
    async (options) => {
      const { chain, time } = await createTestChain({ ruleSet: name, ...options });
      await chain.mine();
      await chain.sendFrom(SENDER, transfer(FEES));
      await chain.change(setNextBeaconRoot(ROOT));
      time.advance(12_000);
      await chain.sendFrom(SENDER, transfer(FEES));
      expect(chain.head().header.ethereum.parentBeaconBlockRoot).toEqual(ROOT);
      if (hasRequests) await sendRequests(chain);
      await chain.mine({ count: 3 });
      await chain.sendFrom(SENDER, transfer(FEES));
      expect(await runByLibrary(chain, name)).toBe(chain.head().header.number);
    },
  );

  it('provide beacon block roots by timestamp', async () => {
    const { chain } = await createTestChain({ ruleSet: name });
    await chain.change(setNextBeaconRoot(ROOT));
    await chain.mine();
    const { timestamp } = chain.head().header;
    await chain.mine();
    expect(await ask(chain, BEACON_ROOTS.address, wordOf(timestamp))).toBe(toHex(ROOT));
    expect(await ask(chain, BEACON_ROOTS.address, wordOf(timestamp + 1_000))).toBe('revert');
  });

  it('are skipped if a system contract has no code', async () => {
    const { chain } = await createTestChain({ ruleSet: name });
    for (const { address } of chain.ruleSet.systemContracts)
      await chain.cheats.setCode(address, new Uint8Array(0));
    const before = chain.headState();
    await chain.mine({ count: 2 });
    expect(toHex(chain.headState().root)).toBe(toHex(before.root));
  });
});

describe('history contract under Prague', () => {
  it('returns the hashes of earlier blocks', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.mine({ count: 3 });
    const second = await chain.block({ number: 2n });
    if (second === undefined) throw new Error('there is no block 2');
    expect(await ask(chain, HISTORY_STORAGE.address, wordOf(2))).toBe(toHex(second.hash));
    expect(await ask(chain, HISTORY_STORAGE.address, wordOf(3))).toBe('revert');
  });
});

describe('reads of the history contract', () => {
  it.each([{ engine: 'wasm' }, { shadow: true }] as const)(
    'return the parent hash in every block, with %o',
    async (options) => {
      const { chain } = await createTestChain({ ruleSet: 'prague', ...options });
      // Stores the parent hash from the contract of EIP-2935 at the slot of the block number.
      const ask = `6001430360005260206000602060007${'3'}${toHex(HISTORY_STORAGE.address).slice(2)}5afa50`;
      const reader = new Uint8Array(20).fill(0xc0);
      await chain.cheats.setCode(reader, fromHex(`0x${ask}6000514355`));
      const sent = { ...FEES, to: reader, value: 0n, gasLimit: 200_000n };
      for (let round = 0; round < 4; round++) {
        for (const request of [sent, {}, {}, sent, sent]) {
          const parent = chain.head();
          await chain.sendFrom(SENDER, transfer({ ...FEES, ...request }));
          if (request !== sent) continue;
          const kept = chain.headState().storageAt(reader, wordOf(parent.header.number + 1));
          expect(toHex(kept)).toBe(toHex(parent.hash));
        }
      }
    },
  );
});

describe('mineBulk under Prague', () => {
  it('skips system calls, but the next block stores the skipped hashes', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.mine();
    await chain.mineBulk({ count: 1_000 });
    const { header } = chain.head();
    expect(header.number).toBe(1_001);
    const { state } = await chain.view({ number: 900n });
    // The first block of the series runs its system calls.
    expect(state.root).toEqual((await chain.view({ number: 2n })).state.root);
    await chain.mine();
    expect(await ask(chain, HISTORY_STORAGE.address, wordOf(1_000))).toBe(toHex(header.parentHash));
    const { hash } = (await chain.view({ number: 900n })).block;
    expect(await ask(chain, HISTORY_STORAGE.address, wordOf(900))).toBe(toHex(hash));
  });
});

describe('execution requests under Prague', () => {
  it('appear in the block of their transactions up to the limit, then in later blocks', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.sendFrom(SENDER, transfer({ ...WITHDRAWAL, data: concatBytes(PUBLIC_KEY, AMOUNT) }));
    const given = concatBytes(Uint8Array.of(1), SENDER, PUBLIC_KEY, AMOUNT.toReversed());
    expect(toHex(chain.head().header.ethereum.requestsHash ?? ROOT)).toBe(toHex(requestsHash([given])));
    await chain.mine();
    expect(chain.head().header.ethereum.requestsHash).toEqual(NO_REQUESTS_HASH);
    await sendRequests(chain);
    const hashes = [chain.head().header.ethereum.requestsHash];
    for (let block = 0; block < 2; block++) {
      await chain.mine();
      hashes.push(chain.head().header.ethereum.requestsHash);
    }
    expect(new Set(hashes.map((hash) => toHex(hash ?? ROOT))).size).toBe(3);
    expect(hashes[2]).toEqual(NO_REQUESTS_HASH);
  });

  it('create no account for the system address', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.sendFrom(SENDER, transfer({ ...WITHDRAWAL, data: concatBytes(PUBLIC_KEY, AMOUNT) }));
    expect(chain.headState().account(SYSTEM_ADDRESS)).toBeUndefined();
  });
});

describe('replaced code of a system contract', () => {
  // Stores the caller and the call data.
  const KEEPS = fromHex('0x33600055600035600155');

  it('runs as the system address, and a failure changes nothing', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const parent = chain.head();
    await chain.cheats.setCode(HISTORY_STORAGE.address, KEEPS);
    await chain.cheats.setCode(WITHDRAWAL_REQUESTS.address, fromHex('0x60006000fd'));
    await chain.mine();
    const state = chain.headState();
    expect(toHex(state.storageAt(HISTORY_STORAGE.address, wordOf(0)))).toBe(toHex(SYSTEM_ADDRESS));
    expect(toHex(state.storageAt(HISTORY_STORAGE.address, wordOf(1)))).toBe(toHex(parent.hash));
    expect(chain.head().header.ethereum.requestsHash).toEqual(NO_REQUESTS_HASH);
  });

  // Stores its gas, creates slots 1 to 16, and stores the remaining gas.
  const MAKES_SLOTS = fromHex(
    `0x5a5f55${Array.from({ length: 16 }, (_, index) => `600160${(index + 1).toString(16).padStart(2, '0')}55`).join('')}5a601155`,
  );
  const GAS = 30_000_000n;
  const slotOf = (chain: Chain, slot: number): bigint =>
    bytesToBigInt(chain.headState().storageAt(HISTORY_STORAGE.address, wordOf(slot)));

  it.each(['wasm', 'reference'] as const)(
    'has 30 million gas, and under Amsterdam state gas for 16 more slots, with %s',
    async (engine) => {
      for (const ruleSet of ['prague', 'osaka', 'amsterdam'] as const) {
        const { chain } = await createTestChain({ ruleSet, engine });
        await chain.cheats.setCode(HISTORY_STORAGE.address, MAKES_SLOTS);
        await chain.mine();
        expect(slotOf(chain, 0)).toBe(GAS - 2n);
        // A cold slot costs 20,000 or 10,000 gas plus the access. The 17th slot has no state gas left.
        const slot = ruleSet === 'amsterdam' ? 12_100n : 22_100n;
        const newState = ruleSet === 'amsterdam' ? 97_920n : 0n;
        expect(slotOf(chain, 17)).toBe(GAS - 2n - 2n - slot - 16n * (6n + slot) - newState - 2n);
      }
    },
  );
});
