import { readFileSync } from 'node:fs';
import { getContractAddress, type Hex, recoverTransactionAddress, type TransactionSerialized } from 'viem';
import { describe, expect, it } from 'vitest';
import { PREDEPLOYS } from '../../src/chain/genesis/predeploy-addresses.ts';
import { predeployAccounts } from '../../src/chain/genesis/predeploys.ts';
import { fromHex, hexKey, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { createGenesis } from '../../src/protocol/genesis.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { trieValues } from '../../src/state/trie/trie.ts';
import { PREDEPLOY_DEPLOYMENTS, replayPredeploys } from '../support/predeploy-replay.ts';
import { createTestChain } from '../support/test-chain.ts';
import { predeployStateText } from '../tools/predeploy-state-text.ts';

const ROOTSTOCK = ruleSetNamed('rootstock');
const PUSH0 = 0x5f;
const CHAINID = 0x46;
/** EntryPoint 0.8 and 0.9, and the contracts that they create. */
const AFTER_SHANGHAI: readonly string[] = [
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x449ed7c3e6fee6a97311d4b55475df59c44add33',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
  '0x0a630a99df908a81115a3022927be82f9299987e',
];

/** Multicall3, CreateX and Permit2. */
const AFTER_PETERSBURG: readonly string[] = [
  '0xca11bde05977b3631167028862be2a173976ca11',
  '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed',
  '0x000000000022d473030f116ddee9f6b43ac78ba3',
];

/** The contracts that the CREATE2 deployer creates. */
const BY_DEPLOYER = PREDEPLOY_DEPLOYMENTS.flatMap((deployment) =>
  'salt' in deployment ? [deployment.address.toLowerCase()] : [],
);

describe('predeploy deployments', () => {
  it.each(PREDEPLOY_DEPLOYMENTS.map((deployment) => [deployment.name, deployment] as const))(
    'the deployments derive the address of %s from its bytes',
    async (_, deployment) => {
      if ('transaction' in deployment) {
        const serializedTransaction = deployment.transaction as TransactionSerialized;
        const from = await recoverTransactionAddress({ serializedTransaction });
        expect(getContractAddress({ from, nonce: 0n })).toBe(deployment.address);
      } else {
        const { salt, creationCode } = deployment;
        const from = PREDEPLOYS.create2Deployer.address;
        const bytecode = creationCode as Hex;
        expect(getContractAddress({ opcode: 'CREATE2', from, salt: salt as Hex, bytecode })).toBe(
          deployment.address,
        );
      }
    },
  );

  it('the deployments match the names and addresses of the predeploys', () => {
    expect(PREDEPLOY_DEPLOYMENTS.map(({ name, address }) => ({ name, address }))).toEqual(
      Object.values(PREDEPLOYS),
    );
  });

  it('the deployments produce the generated predeploy state on the engine', async () => {
    const written = readFileSync(
      new URL('../../src/chain/genesis/predeploy-state.ts', import.meta.url),
      'utf8',
    );
    expect(predeployStateText(await replayPredeploys()) === written).toBe(true);
  });

  // Since Amsterdam (EIP-8037), the signed transactions have too little gas for the state that they create.
  const replayable = RULE_SET_NAMES.filter((name) => ruleSetNamed(name).gas.state === null);

  it.each(replayable)('the deployments produce the allocation of a new chain under %s', async (name) => {
    const ruleSet = ruleSetNamed(name);
    const system = new Set(ruleSet.systemContracts.map(({ address }) => hexKey(address)));
    const replayed = (await replayPredeploys(name)).filter(({ address }) => !system.has(hexKey(address)));
    // The constructors of later entry points use PUSH0 (EIP-3855), which older rule sets lack. Before Istanbul, the
    // transactions of others have too little gas, or their constructors use CHAINID (EIP-1344).
    const later = [
      ...(ruleSet.opcodes[PUSH0] === null ? AFTER_SHANGHAI : []),
      ...(ruleSet.opcodes[CHAINID] === null ? AFTER_PETERSBURG : []),
    ];
    const allocated = predeployAccounts(ruleSet).filter(({ address }) => !later.includes(toHex(address)));
    expect(allocated).toHaveLength(replayed.length);
    for (const { address, balance, contract } of allocated) {
      const account = replayed.find((candidate) => hexKey(candidate.address) === hexKey(address));
      const isDeployer = toHex(address) === PREDEPLOYS.create2Deployer.address.toLowerCase();
      const missing = isDeployer ? BigInt(BY_DEPLOYER.filter((one) => later.includes(one)).length) : 0n;
      expect(account).toMatchObject({ balance, nonce: (contract?.nonce ?? 0n) - missing });
      expect(toHex(account?.code.hash ?? new Uint8Array(0))).toBe(
        toHex(contract?.code.hash ?? new Uint8Array(0)),
      );
      expect(Array.from(trieValues(account?.storage ?? null))).toEqual(contract?.storage);
    }
  });
});

describe('predeploys of a new chain', () => {
  it('predeploys have code that matches their code hashes', () => {
    for (const { contract } of predeployAccounts(ROOTSTOCK)) {
      expect(contract?.code.hash).toEqual(keccak256(contract?.code.bytes ?? new Uint8Array(0)));
    }
  });

  it('predeploys exist at genesis and after a reset', async () => {
    const { chain } = await createTestChain({ predeploys: true });
    const codes = async () => {
      const { state } = await chain.view({ tag: 'latest' });
      return Object.values(PREDEPLOYS).map(
        ({ address }) => state.account(fromHex(address))?.code.bytes.length,
      );
    };
    expect(await codes()).toEqual([69, 3808, 11_838, 9152, 16_035, 21_738, 22_425]);
    await chain.mine();
    await chain.snapshots.reset();
    expect(chain.head().header.number).toBe(0);
    expect(await codes()).toEqual([69, 3808, 11_838, 9152, 16_035, 21_738, 22_425]);
  });

  it('predeploys are absent if disabled', async () => {
    const { chain } = await createTestChain({ predeploys: false });
    const { state } = await chain.view({ tag: 'latest' });
    for (const { address } of predeployAccounts(ROOTSTOCK))
      expect(state.account(address), hexKey(address)).toBeUndefined();
  });
});

describe('createGenesis', () => {
  it('allocates a contract with its balance, nonce, code and storage', () => {
    const address = new Uint8Array(20).fill(7);
    const code = { bytes: Uint8Array.of(0x5f), hash: keccak256(Uint8Array.of(0x5f)) };
    const slot = new Uint8Array(32).fill(1);
    const storage = [{ slot, value: Uint8Array.of(9) }];
    const { state, block } = createGenesis({
      ruleSet: ruleSetNamed('rootstock'),
      timestamp: 0,
      gasLimit: 30_000_000n,
      minimumGasPrice: 0n,
      allocation: [{ address, balance: 5n, contract: { nonce: 1n, code, storage } }],
    });
    expect(state.account(address)).toMatchObject({ balance: 5n, nonce: 1n, code });
    expect(state.storageAt(address, slot)).toEqual(Uint8Array.of(9));
    expect(block.header.stateRoot).toEqual(state.root);
  });
});
