import { createMPT } from '@ethereumjs/mpt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { ExecutionWitness } from '../../src/chain/execution/witness.ts';
import { bigIntToBytes, concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { headerHash } from '../../src/protocol/header-encoding.ts';
import { storageRoot } from '../../src/state/account.ts';
import { AUTHORITY, authorize } from '../reference/scene.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;
const CONTRACT = new Uint8Array(20).fill(0xc0);
const word = (value: number): Uint8Array => {
  const bytes = new Uint8Array(32);
  bytes[31] = value;
  return bytes;
};

type Trie = Awaited<ReturnType<typeof createMPT>>;

/** A trie of another implementation with only the given nodes. */
async function trieOf(nodes: readonly Uint8Array[], root: Uint8Array): Promise<Trie> {
  const trie = await createMPT();
  for (const node of nodes) await trie.database().put(keccak256(node), node);
  trie.root(root);
  return trie;
}

async function change(trie: Trie, key: Uint8Array, value: Uint8Array | null): Promise<void> {
  // Reading first proves that the node exists, even if the value does not change.
  if (hexKey(trie.root()) !== hexKey(trie.EMPTY_TRIE_ROOT)) await trie.get(key, true);
  if (value === null) await trie.del(key);
  else await trie.put(key, value);
}

/** The state root of the head, computed only from its witness and the new values of its keys. */
async function rootOf(chain: Chain, { state, keys }: ExecutionWitness): Promise<Uint8Array> {
  const before = (await chain.view({ number: BigInt(chain.head().header.number - 1) })).state;
  const after = chain.headState();
  const slots = keys.filter((key) => key.length === 32);
  const accounts = await trieOf(state, before.root);
  for (const address of keys.filter((key) => key.length === 20)) {
    const account = after.account(address);
    if (account === undefined) {
      await change(accounts, keccak256(address), null);
      continue;
    }
    const storage = await trieOf(state, storageRoot(before.account(address)?.storage ?? null));
    for (const slot of slots) {
      const value = after.storageAt(address, slot);
      const isSame = hexKey(value) === hexKey(before.storageAt(address, slot));
      if (!isSame) await change(storage, keccak256(slot), value.length === 0 ? null : encodeRlp(value));
    }
    const body = [
      bigIntToBytes(account.nonce),
      bigIntToBytes(account.balance),
      storage.root(),
      account.code.hash,
    ];
    await change(accounts, keccak256(address), encodeRlp(body));
  }
  return accounts.root();
}

describe('block witness', () => {
  it('a block witness suffices to compute the state root after random storage writes', async () => {
    const writes = fc.array(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2 })), {
        minLength: 1,
        maxLength: 12,
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(writes, async (blocks) => {
        const { chain } = await createTestChain({ ruleSet: 'prague' });
        await chain.cheats.setCode(CONTRACT, writer());
        for (const pairs of blocks) {
          const data = Uint8Array.from(pairs.flat());
          const sent = { to: CONTRACT, value: 0n, gasLimit: 1_000_000n, data, maxFeePerGas: 10n ** 10n };
          await chain.sendFrom(SENDER, transfer(sent));
          const witness = await chain.witness.of(await chain.view({ tag: 'latest' }));
          expect(toHex(await rootOf(chain, witness))).toBe(toHex(chain.headState().root));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('a block witness contains touched codes, keys and requested headers', async () => {
    const { chain } = await createTestChain();
    for (let block = 0; block < 5; block++) await chain.mine();
    // The hash of block 3, into slot 1.
    const code = fromHex('0x6003406001550000');
    await chain.cheats.setCode(CONTRACT, code);
    await chain.sendFrom(SENDER, transfer({ to: CONTRACT, value: 0n, gasLimit: 100_000n }));
    const { codes, keys, headers } = await chain.witness.of(await chain.view({ tag: 'latest' }));
    expect(codes.map(toHex)).toEqual([toHex(code)]);
    expect(keys.map(toHex)).toEqual(expect.arrayContaining([SENDER, CONTRACT, word(1)].map(toHex)));
    expect(headers.map(({ number }) => number)).toEqual([3, 4, 5]);
    const [first] = headers;
    if (first === undefined) throw new Error('there is no header');
    expect(chain.headState().storageAt(CONTRACT, word(1))).toEqual(headerHash(first, chain.ruleSet.encoding));
  });

  it('a block witness contains a contract that self-destructs in the block', async () => {
    const { chain } = await createTestChain();
    await chain.cheats.setCode(CONTRACT, concatBytes(Uint8Array.of(0x73), SENDER, Uint8Array.of(0xff)));
    await chain.sendFrom(SENDER, transfer({ to: CONTRACT, value: 0n, gasLimit: 100_000n }));
    const witness = await chain.witness.of(await chain.view({ tag: 'latest' }));
    expect(chain.headState().account(CONTRACT)).toBeUndefined();
    expect(toHex(await rootOf(chain, witness))).toBe(toHex(chain.headState().root));
  });

  it('a block witness contains the codes and keys of system calls in an empty block', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    await chain.mine();
    const { codes, keys } = await chain.witness.of(await chain.view({ tag: 'latest' }));
    for (const { address, code } of chain.ruleSet.systemContracts) {
      expect(codes.map(toHex)).toContain(toHex(code.bytes));
      expect(keys.map(toHex)).toContain(toHex(address));
    }
    // The excess, the count and both ends of the queues.
    for (const slot of [0, 1, 2, 3]) expect(keys.map(toHex)).toContain(toHex(word(slot)));
  });

  it('a block witness contains the requests that system contracts dequeue', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const [, , withdrawals] = chain.ruleSet.systemContracts;
    if (withdrawals === undefined) throw new Error('there is no contract for withdrawals');
    const request = { ...transfer(), to: withdrawals.address, value: 1n, gasLimit: 400_000n };
    await chain.sendFrom(SENDER, { ...request, maxFeePerGas: 10n ** 10n, data: new Uint8Array(56).fill(7) });
    const witness = await chain.witness.of(await chain.view({ tag: 'latest' }));
    for (const slot of [4, 5, 6]) expect(witness.keys.map(toHex)).toContain(toHex(word(slot)));
    expect(toHex(await rootOf(chain, witness))).toBe(toHex(chain.headState().root));
  });

  it('a block witness contains the code of an authorization in the same transaction', async () => {
    const { chain } = await createTestChain({ ruleSet: 'prague' });
    const code = fromHex('0x600100');
    await chain.cheats.setCode(CONTRACT, code);
    const request = { ...transfer({ to: AUTHORITY, value: 0n, gasLimit: 200_000n }), type: 4 as const };
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 0n };
    await chain.sendFrom(SENDER, { ...request, ...fees, authorizationList: [authorize(CONTRACT, 0n)] });
    const witness = await chain.witness.of(await chain.view({ tag: 'latest' }));
    expect(chain.headState().account(AUTHORITY)?.nonce).toBe(1n);
    expect(witness.codes.map(toHex)).toContain(toHex(code));
    expect(toHex(await rootOf(chain, witness))).toBe(toHex(chain.headState().root));
  });

  it('a block witness is rejected for the genesis block', async () => {
    const { chain } = await createTestChain();
    const first = await chain.view({ tag: 'earliest' });
    await expect(chain.witness.of(first)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /invalid params: block: block 0 is the first block and has no execution/,
      ),
    });
  });
});

/** Code that reads pairs of slot and value bytes from its data and stores them. */
function writer(): Uint8Array {
  // PUSH0, loop: JUMPDEST, DUP1, CALLDATASIZE, GT, ISZERO, end, JUMPI: until the index reaches the size.
  // Slot: byte 0 of the word at the index. Value: byte 0 of the word at the next index.
  const loop = '5b 80 36 11 15 601b 57  80 6001 01 35 5f 1a  81 35 5f 1a 55  6002 01 6001 56  5b 00';
  return fromHex(`0x5f${loop.replaceAll(' ', '')}`);
}
