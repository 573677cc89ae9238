import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  hashMessage,
  http,
  parseEther,
  recoverAddress,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readArtifact } from '../support/artifacts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { defineNetwork33 } from '../support/viem.ts';

const [{ address: holder }, { address: other }] = DEV_ACCOUNTS;
const STRANGER: Address = '0x00000000000000000000000000000000000A11cE';
const { abi: counterAbi, bytecode } = readArtifact('shanghai', 'Counter');

function clientsOf(url: string) {
  const options = { chain: defineNetwork33(url), transport: http(url, { retryCount: 0 }) };
  return {
    reader: createPublicClient({ ...options, cacheTime: 0, pollingInterval: 20 }),
    wallet: createWalletClient({ ...options, account: holder, pollingInterval: 20 }),
    controls: createTestClient({ ...options, mode: 'anvil' }),
  };
}

type Clients = ReturnType<typeof clientsOf>;

async function deployCounter({ reader, wallet }: Clients): Promise<Address> {
  const hash = await wallet.deployContract({
    abi: counterAbi,
    bytecode,
    account: holder,
    chain: wallet.chain,
  });
  const { contractAddress } = await reader.getTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('the counter was not created');
  return contractAddress;
}

const increase = (to: Address, amount: bigint): { to: Address; data: Hex } => ({
  to,
  data: encodeFunctionData({ abi: counterAbi, functionName: 'increase', args: [amount] }),
});

const count = ({ reader }: Clients, address: Address): Promise<unknown> =>
  reader.readContract({ abi: counterAbi, address, functionName: 'count' });

/** A call that overflows the counter if the counter is above zero. */
const failing = (to: Address) => increase(to, 2n ** 256n - 1n);

describe('wallet_sendCalls under rules with EIP-7702', () => {
  let node: RunningNode;
  let clients: Clients;
  let counter: Address;
  let snapshot: Hex;

  beforeAll(async () => {
    node = await startNode('--hardfork', 'prague', '--compat', 'anvil');
    clients = clientsOf(node.url);
    counter = await deployCounter(clients);
  });

  beforeEach(async () => {
    if (snapshot !== undefined) await clients.controls.revert({ id: snapshot });
    snapshot = await clients.controls.snapshot();
  });

  afterAll(() => node.stop());

  it('sends a batch in one transaction of the account', async () => {
    const { wallet, reader } = clients;
    expect(await wallet.getCapabilities()).toEqual({ 33: { atomic: { status: 'ready' } } });
    const { id } = await wallet.sendCalls({
      calls: [increase(counter, 5n), { to: STRANGER, value: 7n }, increase(counter, 2n)],
      forceAtomic: true,
    });
    const status = await wallet.waitForCallsStatus({ id });
    expect(status).toMatchObject({
      status: 'success',
      statusCode: 200,
      atomic: true,
      chainId: 33,
      version: '2.0.0',
    });
    expect(status.receipts).toHaveLength(1);
    const [receipt] = status.receipts ?? [];
    expect(receipt).toMatchObject({ status: 'success', logs: [{ address: counter.toLowerCase() }, {}] });
    expect(await count(clients, counter)).toBe(7n);
    expect(await reader.getBalance({ address: STRANGER })).toBe(7n);
    const transaction = await reader.getTransaction({ hash: receipt?.transactionHash ?? '0x' });
    expect(transaction).toMatchObject({
      type: 'eip7702',
      from: holder.toLowerCase(),
      to: holder.toLowerCase(),
    });
  });

  it('sends no authorization for an account that already delegates', async () => {
    const { wallet, reader } = clients;
    await wallet.sendCalls({ calls: [increase(counter, 1n), increase(counter, 1n)] });
    expect(await wallet.getCapabilities({ chainId: 33 })).toEqual({ atomic: { status: 'supported' } });
    const { id } = await wallet.sendCalls({ calls: [increase(counter, 1n), increase(counter, 1n)] });
    const { receipts } = await wallet.getCallsStatus({ id });
    const hash = receipts?.[0]?.transactionHash ?? '0x';
    expect(await reader.getTransaction({ hash })).toMatchObject({ type: 'eip1559' });
    expect(await count(clients, counter)).toBe(4n);
  });

  it('reverts the whole batch if one call fails', async () => {
    const { wallet, reader } = clients;
    const { id } = await wallet.sendCalls({
      calls: [increase(counter, 5n), { to: STRANGER, value: 7n }, failing(counter)],
    });
    expect(await wallet.waitForCallsStatus({ id })).toMatchObject({
      status: 'failure',
      statusCode: 500,
      receipts: [{ status: 'reverted', logs: [] }],
    });
    expect([await count(clients, counter), await reader.getBalance({ address: STRANGER })]).toEqual([0n, 0n]);
  });

  it('leaves an account usable for transfers and signatures, and unusable for others', async () => {
    const { wallet, reader, controls } = clients;
    await wallet.sendCalls({ calls: [increase(counter, 1n), increase(counter, 1n)] });
    const stranger = { account: other, chain: wallet.chain };
    const paid = await wallet.sendTransaction({ ...stranger, to: holder, value: 5n, data: '0x12345678' });
    expect(await reader.getTransactionReceipt({ hash: paid })).toMatchObject({ status: 'success' });
    const hash = await wallet.sendTransaction({
      account: holder,
      chain: wallet.chain,
      to: STRANGER,
      value: 1n,
    });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    const signature = await wallet.signMessage({ account: holder, message: 'mine' });
    expect(await recoverAddress({ hash: hashMessage('mine'), signature })).toBe(holder);
    const { abi } = readArtifact('cancun', 'BatchAccount');
    const isMine = [hashMessage('mine'), signature] as const;
    const ask = (functionName: string, args: readonly unknown[]) =>
      reader.readContract({ abi, address: holder, functionName, args });
    expect(await ask('isValidSignature', isMine)).toBe('0x1626ba7e');
    expect(await ask('isValidSignature', [hashMessage('yours'), signature])).toBe('0xffffffff');
    expect(await ask('supportsInterface', ['0x150b7a02'])).toBe(true);
    const mode = `0x01${'00'.repeat(31)}` as const;
    expect(await ask('supportsExecutionMode', [mode])).toBe(true);
    await controls.setBalance({ address: STRANGER, value: parseEther('1') });
    const take = encodeFunctionData({ abi, functionName: 'execute', args: [mode, '0x'] });
    await expect(reader.call({ account: STRANGER, to: holder, data: take })).rejects.toThrow(
      /NotTheAccount|reverted/,
    );
  });

  it('returns a pending status for a pooled batch, and a failure for a dropped batch', async () => {
    const { wallet, controls, reader } = clients;
    await controls.setAutomine(false);
    const { id } = await wallet.sendCalls({ calls: [increase(counter, 1n), increase(counter, 1n)] });
    expect(await wallet.getCallsStatus({ id })).toMatchObject({
      status: 'pending',
      statusCode: 100,
      receipts: [],
    });
    await controls.mine({ blocks: 1 });
    expect(await wallet.getCallsStatus({ id })).toMatchObject({ statusCode: 200 });
    const { id: dropped } = await wallet.sendCalls({ calls: [increase(counter, 1n), increase(counter, 1n)] });
    const waiting = await reader.getBlock({ blockTag: 'pending' });
    await controls.dropTransaction({ hash: waiting.transactions[0] ?? '0x' });
    expect(await wallet.getCallsStatus({ id: dropped })).toMatchObject({
      status: 'failure',
      statusCode: 400,
    });
    await controls.setAutomine(true);
  });

  it('queues several batches, although each authorization uses a nonce', async () => {
    const { wallet, controls } = clients;
    await controls.setAutomine(false);
    const ids: string[] = [];
    for (const amount of [1n, 2n, 3n]) {
      const calls = [increase(counter, amount), increase(counter, amount)];
      ids.push((await wallet.sendCalls({ calls })).id);
    }
    ids.push((await wallet.sendCalls({ calls: [increase(counter, 1n)] })).id);
    await controls.mine({ blocks: 5 });
    for (const id of ids) expect(await wallet.getCallsStatus({ id })).toMatchObject({ statusCode: 200 });
    expect(await count(clients, counter)).toBe(13n);
    await controls.setAutomine(true);
  });

  it('sends simultaneous batches with separate nonces and authorizations', async () => {
    const { wallet } = clients;
    const sent = await Promise.all(
      [1n, 2n, 3n].map((amount) =>
        wallet.sendCalls({ calls: [increase(counter, amount), increase(counter, amount)] }),
      ),
    );
    for (const { id } of sent) expect(await wallet.getCallsStatus({ id })).toMatchObject({ statusCode: 200 });
    expect(await count(clients, counter)).toBe(12n);
  });

  it('sends contract creations in separate transactions', async () => {
    const { wallet } = clients;
    // The types of viem require a recipient, but EIP-5792 does not.
    const calls = [{ data: bytecode } as never, increase(counter, 1n)] as const;
    const { id } = await wallet.sendCalls({ calls });
    expect(await wallet.getCallsStatus({ id })).toMatchObject({
      statusCode: 200,
      atomic: false,
      receipts: [{ status: 'success' }, { status: 'success' }],
    });
    await expect(wallet.sendCalls({ calls, forceAtomic: true })).rejects.toMatchObject({
      cause: { code: 5760 },
    });
  });
});

describe('wallet_sendCalls under Rootstock rules', () => {
  let node: RunningNode;
  let clients: Clients;
  let counter: Address;

  beforeAll(async () => {
    node = await startNode();
    clients = clientsOf(node.url);
    counter = await deployCounter(clients);
  });

  afterAll(() => node.stop());

  it('sends calls in separate transactions, and rejects forceAtomic', async () => {
    const { wallet } = clients;
    expect(await wallet.getCapabilities()).toEqual({ 33: { atomic: { status: 'unsupported' } } });
    const calls = [increase(counter, 1n), increase(counter, 2n)];
    const { id } = await wallet.sendCalls({ calls });
    expect(await wallet.waitForCallsStatus({ id })).toMatchObject({
      statusCode: 200,
      atomic: false,
      receipts: [{ status: 'success' }, { status: 'success' }],
    });
    await expect(wallet.sendCalls({ calls, forceAtomic: true })).rejects.toMatchObject({
      cause: { code: 5760 },
    });
    expect(await count(clients, counter)).toBe(3n);
  });

  it('stops after the first failed call', async () => {
    const { wallet } = clients;
    const before = (await count(clients, counter)) as bigint;
    const { id } = await wallet.sendCalls({
      calls: [increase(counter, 1n), failing(counter), increase(counter, 1n)],
    });
    expect(await wallet.getCallsStatus({ id })).toMatchObject({
      status: 'failure',
      statusCode: 600,
      receipts: [{ status: 'success' }, { status: 'reverted' }],
    });
    const { id: atOnce } = await wallet.sendCalls({ calls: [failing(counter), increase(counter, 1n)] });
    expect(await wallet.getCallsStatus({ id: atOnce })).toMatchObject({ statusCode: 500 });
    expect(await count(clients, counter)).toBe(before + 1n);
  });

  it('reports the error that prevents a call', async () => {
    const { wallet, controls } = clients;
    await controls.setBalance({ address: other, value: 10n });
    const calls = [
      { to: STRANGER, value: 6n },
      { to: STRANGER, value: 6n },
    ];
    const { id } = await wallet.sendCalls({ account: other, calls });
    expect(await wallet.getCallsStatus({ id })).toMatchObject({
      statusCode: 600,
      receipts: [{ status: 'success' }],
      error: expect.stringMatching(/funds|balance/),
    });
    const tooMuch = [{ to: STRANGER, value: 60n }, ...calls];
    await expect(wallet.sendCalls({ account: other, calls: tooMuch })).rejects.toThrow(/funds|balance/);
  });

  it('accepts a custom id once, and generates an id otherwise', async () => {
    const { wallet } = clients;
    const calls = [{ to: STRANGER, value: 1n }];
    expect(await wallet.sendCalls({ calls, id: 'mine' })).toEqual({ id: 'mine' });
    expect(await wallet.getCallsStatus({ id: 'mine' })).toMatchObject({ statusCode: 200, atomic: true });
    await expect(wallet.sendCalls({ calls, id: 'mine' })).rejects.toMatchObject({ cause: { code: 5720 } });
    const { id } = await wallet.sendCalls({ calls });
    expect(id).toMatch(/^0x[0-9a-f]{128}$/);
    await expect(wallet.getCallsStatus({ id: '0x1234' })).rejects.toMatchObject({ code: 5730 });
  });
});
