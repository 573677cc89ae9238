import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  type Abi,
  type Address,
  type Chain,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseEther,
} from 'viem';
import {
  createBundlerClient,
  entryPoint08Abi,
  entryPoint08Address,
  entryPoint09Abi,
  entryPoint09Address,
  getUserOperationHash,
  type SmartAccount,
  toSimple7702SmartAccount,
  toSmartAccount,
} from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { localNetwork33At } from '../../src/viem.ts';
import { installPackages } from '../support/installed-packages.ts';

/** The packages of this test alone. */
const packages = fileURLToPath(new URL('user-operations/', import.meta.url));
installPackages(packages);
const require = createRequire(packages);

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifactOf = (path: string): Artifact => require(`@account-abstraction/${path}.json`);
const simple7702 = artifactOf('contracts/artifacts/Simple7702Account');
const simpleFactory = artifactOf('contracts/artifacts/SimpleAccountFactory');
const simpleFactory09 = artifactOf('contracts-0.9/artifacts/SimpleAccountFactory');

const OWNER = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const OTHER: Address = `0x${'0c'.repeat(20)}`;
const FEES = { maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

const accountAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
]);

let node: LocalNode;
let chain: Chain;
let url: string;
let funder: Address;

beforeAll(async () => {
  node = await createNode({ hardfork: 'osaka' });
  ({ url } = await node.listen({ port: 0 }));
  chain = localNetwork33At(url);
  [funder] = (await node.request({ method: 'eth_accounts' })) as [Address];
});

afterAll(() => node.close());

function clients() {
  const transport = http(url);
  const reader = createPublicClient({ chain, transport, pollingInterval: 10 });
  const writer = createWalletClient({ chain, transport, account: funder });
  const bundlerOf = (account: SmartAccount) =>
    createBundlerClient({
      account,
      client: reader,
      chain,
      transport,
      pollingInterval: 10,
      userOperation: { estimateFeesPerGas: async () => FEES },
    });
  return { reader, writer, bundlerOf };
}

/** The entry points with the factory of the same release. */
const ENTRY_POINTS = {
  '0.8': { address: entryPoint08Address, abi: entryPoint08Abi, version: '0.8', factory: simpleFactory },
  '0.9': { address: entryPoint09Address, abi: entryPoint09Abi, version: '0.9', factory: simpleFactory09 },
} as const;

/** The reference account of ERC-4337. A factory creates it with its first operation. */
async function simpleAccount(release: keyof typeof ENTRY_POINTS = '0.8'): Promise<SmartAccount> {
  const { reader, writer } = clients();
  const { factory: artifact, ...entryPoint } = ENTRY_POINTS[release];
  const hash = await writer.deployContract({
    abi: artifact.abi,
    bytecode: artifact.bytecode as Hex,
    args: [entryPoint.address],
  });
  const { contractAddress: factory } = await reader.waitForTransactionReceipt({ hash });
  if (factory == null) throw new Error('no factory');
  const args = [OWNER.address, 0n] as const;
  const address = await reader.readContract({
    address: factory,
    abi: accountAbi,
    functionName: 'getAddress',
    args,
  });
  return toSmartAccount({
    client: reader,
    entryPoint,
    getAddress: async () => address,
    getFactoryArgs: async () => ({
      factory,
      factoryData: encodeFunctionData({ abi: accountAbi, functionName: 'createAccount', args }),
    }),
    encodeCalls: async (calls) => {
      const batch = calls.map(({ to, value = 0n, data = '0x' }) => ({ target: to, value, data }));
      return encodeFunctionData({ abi: accountAbi, functionName: 'executeBatch', args: [batch] });
    },
    getStubSignature: async () => `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c` as Hex,
    signMessage: async () => '0x',
    signTypedData: async () => '0x',
    signUserOperation: async ({ chainId = chain.id, ...operation }) => {
      const userOperation = { ...operation, sender: address } as never;
      const signed = {
        chainId,
        entryPointAddress: entryPoint.address,
        entryPointVersion: entryPoint.version,
        userOperation,
      } as const;
      return OWNER.sign({ hash: getUserOperationHash(signed) });
    },
  });
}

describe('the bundler client of viem', () => {
  it.each(['0.8', '0.9'] as const)(
    'creates an account of entry point %s with its first operation, a batch of two calls',
    async (release) => {
      const { reader, writer, bundlerOf } = clients();
      const account = await simpleAccount(release);
      await writer.sendTransaction({ to: account.address, value: parseEther('1') });
      const bundler = bundlerOf(account);
      const before = await reader.getBalance({ address: OTHER });
      const hash = await bundler.sendUserOperation({
        calls: [
          { to: OTHER, value: 5n },
          { to: OTHER, value: 6n },
        ],
      });
      const { success, sender, receipt, actualGasUsed } = await bundler.waitForUserOperationReceipt({ hash });
      expect({ success, sender: sender.toLowerCase() }).toEqual({
        success: true,
        sender: account.address.toLowerCase(),
      });
      expect(await reader.getBalance({ address: OTHER })).toBe(before + 11n);
      expect(Number(actualGasUsed) / Number(receipt.gasUsed)).toBeLessThan(1.1);
      const { userOperation, transactionHash } = await bundler.getUserOperation({ hash });
      expect(transactionHash).toBe(receipt.transactionHash);
      expect(userOperation.factory).toBeDefined();
      const next = await bundler.sendUserOperation({ calls: [{ to: OTHER, value: 1n }] });
      expect((await bundler.waitForUserOperationReceipt({ hash: next })).success).toBe(true);
      expect((await bundler.getUserOperation({ hash: next })).userOperation.factory).toBeUndefined();
    },
  );

  it('receives the reason of a rejected operation', async () => {
    const { writer, bundlerOf } = clients();
    const account = await simpleAccount();
    await writer.sendTransaction({ to: account.address, value: parseEther('1') });
    const reverting = bundlerOf(account).sendUserOperation({
      calls: [{ to: entryPoint08Address, data: '0xdeadbeef' }],
    });
    await expect(reverting).rejects.toThrow(/reverted during simulation/);
    const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`);
    const signUserOperation = () => stranger.sign({ hash: `0x${'33'.repeat(32)}` });
    const forged = bundlerOf({ ...account, signUserOperation } as SmartAccount);
    await expect(forged.sendUserOperation({ calls: [{ to: OTHER, value: 1n }] })).rejects.toThrow(/AA24/);
  });

  it('sends an operation of an account that delegates in the same transaction (EIP-7702)', async () => {
    const { reader, writer, bundlerOf } = clients();
    const creation = await writer.deployContract({
      abi: simple7702.abi,
      bytecode: simple7702.bytecode,
      args: [entryPoint08Address].slice(
        0,
        simple7702.abi.find((item) => item.type === 'constructor')?.inputs.length ?? 0,
      ),
    });
    const { contractAddress: implementation } = await reader.waitForTransactionReceipt({ hash: creation });
    if (implementation == null) throw new Error('no implementation');
    const account = await toSimple7702SmartAccount({ client: reader, owner: OWNER, implementation });
    await writer.sendTransaction({ to: OWNER.address, value: parseEther('1') });
    const bundler = bundlerOf(account);
    const authorization = await OWNER.signAuthorization({
      address: implementation,
      chainId: chain.id,
      nonce: await reader.getTransactionCount({ address: OWNER.address }),
    });
    const before = await reader.getBalance({ address: OTHER });
    const hash = await bundler.sendUserOperation({ calls: [{ to: OTHER, value: 9n }], authorization });
    expect((await bundler.waitForUserOperationReceipt({ hash })).success).toBe(true);
    expect(await reader.getBalance({ address: OTHER })).toBe(before + 9n);
    expect(await reader.getCode({ address: OWNER.address })).toBe(`0xef0100${implementation.slice(2)}`);
  });
});
