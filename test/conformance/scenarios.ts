import { fromHex, toHex } from '../../src/primitives/hex.ts';
import type { RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { transfer } from '../support/test-chain.ts';

/** Placeholder for the result of the first call in parameters. */
export const FIRST_RESULT = Symbol('the result of the first call');

/** A call, by method and parameters. */
export type Call = readonly [method: string, ...params: readonly unknown[]];

/** Hashes of the pending transactions of the conformance chain. */
export interface Waiting {
  readonly transferHash: unknown;
  readonly creationHash: unknown;
}

const [, transferBlock, , increaseBlock] = EXAMPLE.blockHashes;
const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
const { sender, receiver, counter } = EXAMPLE;
/** Account 4, which sends no transactions in the examples. */
const WAITING_SENDER = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const count = '0x06661abd';
const increment = '0xd09de08a';
const counterLogs = {
  fromBlock: 'earliest',
  address: counter,
  topics: [null, [`0x${'00'.repeat(12)}${sender.slice(2)}`]],
};

/** A conformance chain and calls to its service. */
export type ConformanceChain = ExampleChain & { readonly waiting: Waiting };

/**
 * The example chain with its miner stopped, and with a transfer, a creation and a queued transaction in the
 * pool.
 */
export async function createConformanceChain(
  options: Partial<RpcServiceOptions> = {},
): Promise<ConformanceChain> {
  const example = await createExampleChain(options);
  const { chain } = example;
  await example.call('evm_stopMining');
  const transferHash = await chain.sendFrom(fromHex(WAITING_SENDER), transfer({ to: fromHex(sender) }));
  const creation = transfer({ to: null, value: 0n, gasLimit: 90_000n, data: fromHex('0x6001600055') });
  const creationHash = await chain.sendFrom(fromHex(sender), creation);
  return { ...example, waiting: { transferHash: toHex(transferHash), creationHash: toHex(creationHash) } };
}

/** A signed transaction that is valid on the conformance chain, from an otherwise unused account. */
export async function signedByFourth(
  { chain }: ExampleChain,
  fields: Parameters<typeof transfer>[0] = {},
): Promise<string> {
  const [, , , account] = chain.wallet.addresses();
  if (account === undefined) throw new Error('there is no fourth account');
  return toHex((await chain.sign(account, transfer(fields))).raw);
}

/**
 * Calls of the methods in the service document. Each list runs on its own conformance chain; its last result
 * belongs to the method.
 */
export async function callsOf(
  method: string,
  chain: ConformanceChain,
): Promise<readonly (readonly Call[])[]> {
  const { transferHash, creationHash } = chain.waiting;
  const each = (...params: readonly (readonly unknown[])[]): Call[][] =>
    params.map((given) => [[method, ...given]]);
  switch (method) {
    case 'web3_sha3':
      return each(['0x68656c6c6f']);
    case 'eth_getBalance':
    case 'eth_getTransactionCount':
      return each(
        [sender],
        [counter, 'latest'],
        [receiver, 'earliest'],
        [UNKNOWN_HASH.slice(0, 42), '0x2'],
        [sender, { blockHash: transferBlock }],
      );
    case 'eth_getStorageAt':
      return each(
        [counter, '0x0', 'latest'],
        [counter, '0x7', 'latest'],
        [sender, '0x0', { blockNumber: '0x1' }],
      );
    case 'eth_getCode':
      return each([counter, 'latest'], [sender, 'latest'], [counter, '0x1']);
    case 'eth_getProof':
      return each(
        [counter, [`0x${'00'.repeat(32)}`, UNKNOWN_HASH], 'latest'],
        [sender, [], 'earliest'],
        [UNKNOWN_HASH.slice(0, 42), [`0x${'00'.repeat(32)}`], '0x2'],
      );
    case 'eth_getBlockByHash':
      return each([transferBlock], [increaseBlock, true], [UNKNOWN_HASH, false]);
    case 'eth_getBlockByNumber':
      return each(['latest'], ['0x2', true], ['0x0', true], ['earliest', false], ['0xffff', true]);
    case 'eth_getBlockTransactionCountByHash':
      return each([transferBlock], [UNKNOWN_HASH]);
    case 'eth_getUncleCountByBlockHash':
      return each([transferBlock]);
    case 'eth_getBlockTransactionCountByNumber':
    case 'eth_getUncleCountByBlockNumber':
      return each(['latest'], ['earliest'], ['0x3']);
    case 'eth_getTransactionByHash':
      return each(
        [EXAMPLE.transferHash],
        [EXAMPLE.creationHash],
        [EXAMPLE.failureHash],
        [EXAMPLE.queuedHash],
        [transferHash],
        [creationHash],
        [UNKNOWN_HASH],
      );
    case 'eth_getTransactionByBlockHashAndIndex':
      return each([increaseBlock, '0x0']);
    case 'eth_getTransactionByBlockNumberAndIndex':
      return each(['0x2', '0x0'], ['latest', '0x0']);
    case 'eth_getUncleByBlockHashAndIndex':
      return each([increaseBlock, '0x0']);
    case 'eth_getUncleByBlockNumberAndIndex':
      return each(['latest', '0x0']);
    case 'eth_getTransactionReceipt':
      return each(
        [EXAMPLE.transferHash],
        [EXAMPLE.creationHash],
        [EXAMPLE.increaseHash],
        [EXAMPLE.failureHash],
        [transferHash],
        [UNKNOWN_HASH],
      );
    case 'eth_call':
      return each([{ to: counter, data: count }, 'latest'], [{ to: sender }, '0x1']);
    case 'eth_estimateGas':
      return each(
        [{ from: sender, to: counter, data: increment }],
        [{ to: receiver, value: '0x1' }, 'latest'],
      );
    case 'eth_sendRawTransaction':
      return each([await signedByFourth(chain)]);
    case 'eth_sendTransaction':
      return each([{ from: sender, to: counter, data: increment }]);
    case 'eth_sign':
      return each([sender, '0xdeadbeef']);
    case 'eth_getLogs':
      return each([{}], [counterLogs], [{ blockHash: increaseBlock }]);
    case 'eth_newFilter':
      return each([{}], [counterLogs]);
    case 'eth_getFilterChanges': {
      const increased = await signedByFourth(chain, {
        to: fromHex(counter),
        value: 0n,
        gasLimit: 90_000n,
        data: fromHex(increment),
      });
      return (['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'] as const).map(
        (kind) => [
          kind === 'eth_newFilter' ? [kind, { ...counterLogs, topics: [] }] : [kind],
          ['eth_sendRawTransaction', increased],
          ['evm_mine'],
          [method, FIRST_RESULT],
        ],
      );
    }
    case 'eth_getFilterLogs':
      return [
        [
          ['eth_newFilter', counterLogs],
          [method, FIRST_RESULT],
        ],
      ];
    case 'eth_uninstallFilter':
      return [[['eth_newBlockFilter'], [method, FIRST_RESULT]], [[method, '0x123']]];
    case 'eth_submitWork':
      return each([`0x${'00'.repeat(8)}`, UNKNOWN_HASH, UNKNOWN_HASH]);
    case 'eth_submitHashrate':
      return each([`0x${'00'.repeat(30)}1000`, UNKNOWN_HASH]);
    default:
      return each([]);
  }
}
