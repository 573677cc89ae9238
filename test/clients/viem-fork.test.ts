import {
  type Abi,
  type Address,
  type BaseError,
  ContractFunctionRevertedError,
  type Hash,
  keccak256,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localNetwork33 } from '../../src/viem.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { startServiceFork } from '../support/service-fork.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

const [{ address: sender }] = DEV_ACCOUNTS;
const TOO_MUCH = 2n ** 256n - 1n;
/** The second increase: the count is 42. The fork block is block 4, with the count 43. */
const OLDER = { blockNumber: 3n };

describe('viem on a fork of a service with few methods', () => {
  let upstream: RunningNode;
  let fork: RunningNode;
  let source: ViemClients;
  let clients: ViemClients;
  let counter: { readonly abi: Abi; readonly address: Address };
  let olderHash: Hash;

  async function increase({ reader, writer }: ViemClients, step: bigint): Promise<Hash> {
    const call = { ...counter, functionName: 'increase', args: [step] } as const;
    const hash = await writer.writeContract({ ...call, chain: writer.chain, account: sender });
    await reader.waitForTransactionReceipt({ hash });
    return hash;
  }

  beforeAll(async () => {
    upstream = await startNode();
    source = connectViem(upstream.url, sender);
    counter = await deployWithViem(source, 'shanghai', 'Counter');
    await increase(source, 40n);
    olderHash = await increase(source, 2n);
    await increase(source, 1n);
    fork = await startServiceFork(upstream.url, '--compat', 'anvil');
    clients = connectViem(fork.url, sender);
  });

  afterAll(async () => {
    await fork?.stop();
    await upstream?.stop();
  });

  it('reads blocks, transactions and accounts of the service', async () => {
    const read = ({ reader }: ViemClients): Promise<unknown> =>
      Promise.all([
        reader.getBlock({ ...OLDER, includeTransactions: true }),
        reader.getBlock(),
        reader.getTransaction({ hash: olderHash }),
        reader.getTransactionReceipt({ hash: olderHash }),
        reader.getFeeHistory({ blockCount: 3, rewardPercentiles: [50] }),
        reader.getBalance({ address: sender, ...OLDER }),
        reader.getCode({ address: counter.address, ...OLDER }),
        reader.getStorageAt({ address: counter.address, slot: '0x0', ...OLDER }),
        reader.getProof({ address: counter.address, storageKeys: [keccak256('0x00')], ...OLDER }),
        reader.estimateContractGas({ ...counter, functionName: 'increment', account: sender, ...OLDER }),
        reader.request<{ ReturnType: unknown }>({
          method: 'debug_traceTransaction',
          params: [olderHash, { tracer: 'callTracer' }],
        }),
      ]);
    expect(await read(clients)).toEqual(await read(source));
  });

  it('reads contracts at older blocks, also in one Multicall3 call', async () => {
    const count = { ...counter, functionName: 'count' } as const;
    expect(await clients.reader.readContract({ ...count, ...OLDER })).toBe(42n);
    const { address: multicallAddress } = localNetwork33.contracts.multicall3;
    const contracts = [count, count];
    const counts = await clients.reader.multicall({
      contracts,
      multicallAddress,
      allowFailure: false,
      ...OLDER,
    });
    expect(counts).toEqual([42n, 42n]);
  });

  it.each([
    ['an older block', OLDER],
    ['the fork block', {}],
  ])('decodes reverts at %s', async (_, place) => {
    const call = { ...counter, functionName: 'increase', args: [TOO_MUCH] } as const;
    const error = await clients.reader.simulateContract({ ...call, account: sender, ...place }).then(
      () => expect.unreachable('the call succeeds'),
      (reason: unknown) => reason,
    );
    const revert = (error as BaseError).walk((one) => one instanceof ContractFunctionRevertedError);
    expect(revert).toMatchObject({ data: { errorName: 'Panic', args: [0x11n] } });
  });

  it('finds events on both sides of the fork block', async () => {
    await increase(clients, 5n);
    const found = await clients.reader.getContractEvents({
      ...counter,
      eventName: 'Increased',
      fromBlock: 1n,
      strict: true,
    });
    expect(found.map(({ args }) => (args as { readonly count: bigint }).count)).toEqual([40n, 42n, 43n, 48n]);
  });

  it('moves the fork to the newest block of the service', async () => {
    await increase(source, 1n);
    await clients.controls.reset();
    expect(await clients.reader.getBlockNumber()).toBe(5n);
    await clients.controls.reset(OLDER);
    expect(await clients.reader.getBlockNumber()).toBe(OLDER.blockNumber);
  });
});
