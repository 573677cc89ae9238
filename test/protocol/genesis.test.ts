import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { createGenesis, type GenesisOptions, localPrevRandao } from '../../src/protocol/genesis.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { encodeBlock, encodeHeader } from '../../src/protocol/header-encoding.ts';
import { NETWORK_ACCOUNTS } from '../../src/wallet/dev-accounts.ts';

const BALANCE = 10n ** 30n;
const ACCOUNTS = NETWORK_ACCOUNTS.map(({ address }) => address);

function optionsOf(fields: Partial<GenesisOptions> = {}): GenesisOptions {
  return {
    ruleSet: ruleSetNamed('rootstock'),
    timestamp: 1_700_000_000,
    gasLimit: 30_000_000n,
    minimumGasPrice: 0n,
    allocation: ACCOUNTS.map((address) => ({ address, balance: BALANCE })),
    ...fields,
  };
}

describe('createGenesis', () => {
  it.each(RULE_SET_NAMES)('creates the same block under %s for equal options', (name) => {
    const options = optionsOf({ ruleSet: ruleSetNamed(name) });
    const { block, state } = createGenesis(options);
    const again = createGenesis(optionsOf({ ruleSet: ruleSetNamed(name) }));
    expect(again.block).toEqual(block);
    expect(block.header.stateRoot).toEqual(state.root);
    const { encoding } = options.ruleSet;
    expect(block.hash).toEqual(keccak256(encodeHeader(block.header, encoding)));
    expect(block.size).toBe(encodeBlock(block, encoding).length);
  });

  it('creates different hashes for rule sets with different headers', () => {
    const hashes = RULE_SET_NAMES.map((name) =>
      toHex(createGenesis(optionsOf({ ruleSet: ruleSetNamed(name) })).block.hash),
    );
    // The hardforks up to Berlin share their headers. So do Prague and the forks up to the last blob fork.
    expect(new Set(hashes).size).toBe(RULE_SET_NAMES.length - 7);
  });

  it.each([
    ['time', { timestamp: 1_700_000_001 }],
    ['gas limit', { gasLimit: 10_000_000n }],
    ['minimum gas price', { minimumGasPrice: 1n }],
    ['allocation', { allocation: [] }],
  ])('creates a different hash for a different %s', (_, change) => {
    expect(createGenesis(optionsOf(change)).block.hash).not.toEqual(createGenesis(optionsOf()).block.hash);
  });

  it('gives each allocated account its balance, nonce 0 and no code', () => {
    const { state } = createGenesis(optionsOf());
    expect(Array.from(state.accounts())).toHaveLength(ACCOUNTS.length);
    for (const address of ACCOUNTS) {
      expect(state.account(address)).toMatchObject({ nonce: 0n, balance: BALANCE, storage: null });
      expect(state.account(address)?.code.bytes).toHaveLength(0);
    }
  });

  it('creates the same state root for any order of accounts', () => {
    const allocation = optionsOf().allocation.toReversed();
    expect(createGenesis(optionsOf({ allocation })).state.root).toEqual(
      createGenesis(optionsOf()).state.root,
    );
  });

  it('uses the root of the empty trie without allocation', () => {
    expect(toHex(createGenesis(optionsOf({ allocation: [] })).block.header.stateRoot)).toBe(
      '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    );
  });

  it('uses the Rootstock coinbase, extra data, difficulty and merged mining', () => {
    const { block } = createGenesis(optionsOf());
    expect(toHex(block.header.coinbase)).toBe(`0x${'33'.repeat(20)}`);
    expect(toHex(block.header.extraData)).toBe('0x686f727365');
    expect(block.header.difficulty).toBe(1n);
    expect(block.totalDifficulty).toBe(1n);
    expect(block.header.mergedMining).toEqual({
      header: Uint8Array.of(0),
      coinbaseTransaction: Uint8Array.of(0),
      merkleProof: Uint8Array.of(0),
    });
  });

  it('sets only the header fields of the rule set', () => {
    const ethereumOf = (name: (typeof RULE_SET_NAMES)[number]) =>
      createGenesis(optionsOf({ ruleSet: ruleSetNamed(name) })).block.header.ethereum;
    expect(ethereumOf('berlin').baseFeePerGas).toBeNull();
    expect(ethereumOf('london').baseFeePerGas).toBe(10n ** 9n);
    expect(ethereumOf('paris').withdrawalsRoot).toBeNull();
    expect(ethereumOf('shanghai').withdrawalsRoot).toHaveLength(32);
    expect(ethereumOf('shanghai').blobGasUsed).toBeNull();
    expect(ethereumOf('cancun')).toMatchObject({
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: new Uint8Array(32),
      requestsHash: null,
    });
    expect(toHex(ethereumOf('prague').requestsHash ?? new Uint8Array(0))).toBe(
      '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('sets difficulty 0 under proof of stake', () => {
    expect(createGenesis(optionsOf({ ruleSet: ruleSetNamed('paris') })).block.header.difficulty).toBe(0n);
    expect(createGenesis(optionsOf({ ruleSet: ruleSetNamed('london') })).block.header.difficulty).toBe(1n);
  });
});

describe('localPrevRandao', () => {
  it('returns the hash of the parent hash under proof of stake and zero before', () => {
    const parentHash = new Uint8Array(32).fill(5);
    expect(localPrevRandao(ruleSetNamed('paris'), parentHash)).toEqual(keccak256(parentHash));
    expect(localPrevRandao(ruleSetNamed('london'), parentHash)).toEqual(new Uint8Array(32));
  });
});
