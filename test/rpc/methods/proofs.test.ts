import { createMPTFromProof, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { bytesToBigInt, hexToBytes } from '@ethereumjs/util';
import { keccak256, numberToHex, pad } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../example-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';

type HexText = `0x${string}`;

interface Proof {
  readonly address: HexText;
  readonly balance: HexText;
  readonly codeHash: HexText;
  readonly nonce: HexText;
  readonly storageHash: HexText;
  readonly accountProof: readonly HexText[];
  readonly storageProof: readonly {
    readonly key: HexText;
    readonly value: HexText;
    readonly proof: readonly HexText[];
  }[];
}

const ABSENT = `0x${'77'.repeat(20)}`;
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

/** The trie of a proof, whose root must be `root`; `undefined` for a trie without entries. */
async function trieOf(proof: readonly HexText[], root: HexText): Promise<MerklePatriciaTrie | undefined> {
  if (proof.length === 0) {
    expect(root).toBe(EMPTY_ROOT);
    return undefined;
  }
  return createMPTFromProof(
    proof.map((node) => hexToBytes(node)),
    { root: hexToBytes(root) },
  );
}

async function valueUnder(trie: MerklePatriciaTrie | undefined, key: HexText): Promise<Uint8Array | null> {
  return trie === undefined ? null : trie.get(hexToBytes(keccak256(key)), true);
}

describe('eth_getProof', () => {
  let service: ExampleChain;

  beforeAll(async () => {
    service = await createExampleChain();
  });

  const getProof = async (...params: readonly unknown[]) =>
    (await service.call('eth_getProof', params)) as Proof;

  async function stateRootAt(block: string): Promise<HexText> {
    const { stateRoot } = (await service.call('eth_getBlockByNumber', [block])) as {
      readonly stateRoot: HexText;
    };
    return stateRoot;
  }

  /** Reads account and slots from the proofs, and compares them with the response. */
  async function expectProven(proof: Proof, stateRoot: HexText): Promise<void> {
    const account = await valueUnder(await trieOf(proof.accountProof, stateRoot), proof.address);
    const { nonce, balance, storageHash, codeHash } = proof;
    if (account === null) {
      expect({ nonce, balance, storageHash, codeHash }).toEqual({
        nonce: '0x0',
        balance: '0x0',
        storageHash: EMPTY_ROOT,
        codeHash: NO_CODE,
      });
    } else {
      const integer = (quantity: HexText) =>
        quantity === '0x0'
          ? new Uint8Array(0)
          : hexToBytes(pad(quantity, { size: Math.ceil((quantity.length - 2) / 2) }));
      expect(RLP.decode(account)).toEqual([
        integer(nonce),
        integer(balance),
        hexToBytes(storageHash),
        hexToBytes(codeHash),
      ]);
    }
    for (const { key, value, proof: nodes } of proof.storageProof) {
      const stored = await valueUnder(await trieOf(nodes, storageHash), pad(key, { size: 32 }));
      const word = stored === null ? 0n : bytesToBigInt(RLP.decode(stored) as Uint8Array);
      expect(numberToHex(word)).toBe(value);
    }
  }

  it.each(['latest', 'earliest', '0x2', '0x3', 'pending', 'safe'])(
    'proves present and absent accounts and slots at %s',
    async (block) => {
      const sealed = block === 'pending' ? 'latest' : block;
      const stateRoot = await stateRootAt(sealed);
      for (const address of [EXAMPLE.sender, EXAMPLE.counter, EXAMPLE.queuedSender, ABSENT]) {
        const proof = await getProof(address, ['0x0', '0x1', `0x${'ff'.repeat(32)}`], block);
        expect(proof.address).toBe(address);
        expect(proof.storageProof.map(({ key }) => key)).toEqual(['0x0', '0x1', `0x${'ff'.repeat(32)}`]);
        await expectProven(proof, stateRoot);
      }
    },
  );

  it('returns the fields of the service document', async () => {
    const proof = await getProof(EXAMPLE.counter, ['0x0'], 'latest');
    expect(Object.keys(proof).sort()).toEqual(
      ['address', 'balance', 'codeHash', 'nonce', 'storageHash', 'accountProof', 'storageProof'].sort(),
    );
    expect(proof.storageProof).toMatchObject([{ key: '0x0', value: '0x2a' }]);
    expect(proof.nonce).toBe('0x0');
    const code = (await service.call('eth_getCode', [EXAMPLE.counter, 'latest'])) as HexText;
    expect(proof.codeHash).toBe(keccak256(code));
  });

  it('proves a slot from the block that sets it', async () => {
    const valueAt = async (block: string) =>
      (await getProof(EXAMPLE.counter, ['0x0'], block)).storageProof[0]?.value;
    expect(await valueAt('0x2')).toBe('0x0');
    expect(await valueAt('0x3')).toBe('0x2a');
  });

  it('reads keys up to 32 bytes, and returns them as quantities', async () => {
    const keys = [
      '0x',
      '0x0',
      '0x00',
      `0x${'00'.repeat(32)}`,
      '0x5',
      '0x005',
      '0x0005',
      5,
      `0x${'0'.repeat(63)}a`,
    ];
    const { storageProof } = await getProof(EXAMPLE.counter, keys, 'latest');
    expect(storageProof.map(({ key }) => key)).toEqual([
      ...new Array(4).fill('0x0'),
      ...new Array(4).fill('0x5'),
      '0xa',
    ]);
    for (const { value } of storageProof.slice(0, 4)) expect(value).toBe('0x2a');
  });

  it("returns keys of 32 bytes as requested, and shorter keys as quantities under Ethereum's rules", async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const padded = `0x${'0'.repeat(63)}a`;
    const keys = ['0x', '0x0', '0x00', padded, padded.toUpperCase().replace('X', 'x'), '0x005', 5, '10'];
    const { storageProof } = (await call('eth_getProof', [EXAMPLE.sender, keys, 'latest'])) as {
      readonly storageProof: readonly { readonly key: string }[];
    };
    expect(storageProof.map(({ key }) => key)).toEqual([
      ...['0x0', '0x0', '0x0', padded, padded, '0x5', '0x5', '0xa'],
    ]);
  });

  it('proves only the account without keys', async () => {
    const proof = await getProof(EXAMPLE.sender, [], 'latest');
    expect(proof.storageProof).toEqual([]);
    await expectProven(proof, await stateRootAt('latest'));
  });

  it.each([
    ['a key of 33 bytes', [EXAMPLE.counter, [`0x${'00'.repeat(33)}`], 'latest'], 'params: storageKeys[0]:'],
    ['a key that is no number', [EXAMPLE.counter, ['0x0', 'first'], 'latest'], 'params: storageKeys[1]:'],
    ['keys that are no array', [EXAMPLE.counter, '0x0', 'latest'], 'params: storageKeys:'],
    [
      'more keys than it takes',
      [EXAMPLE.counter, new Array(1025).fill('0x0'), 'latest'],
      'params: storageKeys:',
    ],
    ['no keys at all', [EXAMPLE.counter], 'params: storageKeys:'],
    ['no block', [EXAMPLE.counter, []], 'params: block:'],
    ['no address', [], 'params: address:'],
    ['a short address', ['0x12', [], 'latest'], 'params: address:'],
    ['a fourth parameter', [EXAMPLE.counter, [], 'latest', 1], 'params: params[3]:'],
  ])('eth_getProof rejects %s', async (_case, params, place) => {
    await expect(getProof(...params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(place),
    });
  });
});
