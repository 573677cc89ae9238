import {
  createPublicClient,
  createWalletClient,
  getAddress,
  type Hex,
  type PublicClient,
  parseAbiItem,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS, STRANGER } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, defineNetwork33, deployWithViem, type ViemClients } from '../support/viem.ts';

const [{ address: holder }] = DEV_ACCOUNTS;
const incremented = parseAbiItem('event Increased(address indexed by, uint256 indexed step, uint256 count)');

describe('viem over WebSocket', () => {
  let node: RunningNode;
  let clients: ViemClients;
  let socket: PublicClient;

  beforeAll(async () => {
    node = await startNode();
    clients = connectViem(node.url, holder);
    const transport = webSocket(node.webSocketUrl, { reconnect: false });
    socket = createPublicClient({ chain: defineNetwork33(node.url), transport, cacheTime: 0 });
  });

  afterAll(async () => {
    (await socket.transport.getRpcClient()).close();
    await node.stop();
  });

  it('receives blocks, pending transactions and logs until it unsubscribes', async () => {
    const counter = await deployWithViem(clients, 'cancun', 'Counter');
    const deaf = await deployWithViem(clients, 'cancun', 'Counter');
    const blocks: bigint[] = [];
    const pending: Hex[] = [];
    const events: unknown[] = [];
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const stops = [
      socket.watchBlocks({ onBlock: ({ number }) => blocks.push(number), onError }),
      socket.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes), onError }),
      socket.watchEvent({
        address: counter.address,
        event: incremented,
        onLogs: (logs) => events.push(...logs.map(({ args }) => args)),
        onError,
      }),
    ];
    // A response on the same socket confirms the earlier subscriptions.
    const head = await socket.getBlockNumber();
    const { writer } = clients;
    const hashes: Hex[] = [];
    for (const { abi, address } of [deaf, counter]) {
      const step = {
        abi,
        address,
        functionName: 'increase',
        args: [2n],
        account: holder,
        chain: writer.chain,
      };
      hashes.push(await writer.writeContract(step));
    }
    await vi.waitFor(() => {
      expect(blocks).toEqual([head + 1n, head + 2n]);
      expect(pending).toEqual(hashes);
      expect(events).toEqual([{ by: holder, step: 2n, count: 2n }]);
    });
    for (const stop of stops) stop();
    await writer.sendTransaction({ account: holder, to: STRANGER, chain: writer.chain });
    await socket.getBlockNumber();
    expect(blocks).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('supports all other methods', async () => {
    const account = privateKeyToAccount(DEV_ACCOUNTS[2].privateKey);
    const chain = defineNetwork33(node.url);
    const transport = webSocket(node.webSocketUrl, { reconnect: false });
    const wallet = createWalletClient({ account, chain, transport });
    const hash = await wallet.sendTransaction({ to: STRANGER, value: 1n });
    const receipt = await socket.waitForTransactionReceipt({ hash });
    expect(getAddress(receipt.from)).toBe(account.address);
    (await wallet.transport.getRpcClient()).close();
  });
});
