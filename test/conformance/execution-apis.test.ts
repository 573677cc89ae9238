import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { CompatName } from '../../src/rpc/compat.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { deploy, SENDER } from '../rpc/methods/contract.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { type ExecutionSchemas, schemaFaults } from './execution-apis/schema-faults.ts';
import schemas from './execution-apis/schemas.json' with { type: 'json' };
import { type Form, faultsIn } from './execution-forms.ts';

/** The newest public schemas (see execution-apis/README.md). */
const SCHEMAS = schemas as ExecutionSchemas;

const DIALECTS: readonly CompatName[] = ['service', 'anvil', 'hardhat'];
const RULE_SETS = ['amsterdam', 'osaka', 'rootstock'] as const;

/** The served methods of the Ethereum execution APIs. */
const PUBLIC_METHODS = [
  'debug_getBadBlocks',
  'debug_getRawBlock',
  'debug_getRawBlockAccessList',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
  'debug_traceBlockByHash',
  'debug_traceBlockByNumber',
  'debug_traceTransaction',
  'eth_accounts',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_capabilities',
  'eth_chainId',
  'eth_coinbase',
  'eth_config',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_fillTransaction',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockAccessList',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_sendRawTransaction',
  'eth_sendTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_simulateV1',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_version',
  'testing_buildBlockV1',
  'txpool_content',
  'txpool_contentFrom',
  'txpool_status',
] as const;

/** A deliberate difference from the public form. */
interface DecidedDifference {
  readonly methods: readonly string[];
  /** The paths in the reply. */
  readonly places: RegExp;
  /** All error styles by default. */
  readonly dialects?: readonly CompatName[];
  /** All rules by default. */
  readonly rules?: readonly (typeof RULE_SETS)[number][];
  readonly because: string;
}

const PLACE = /(^|\.)(blockHash|blockNumber|blockTimestamp|transactionIndex)$/;

/** All deliberate differences from the public forms. */
const DECIDED: readonly DecidedDifference[] = [
  {
    methods: ['eth_getFilterChanges'],
    places: /^$/,
    because: 'an empty list fits both alternatives of the public schema, but only one may fit',
  },
  {
    methods: ['eth_signTransaction'],
    places: /^$/,
    because: 'ethers and viem take the bytes of the signed transaction alone, as Anvil and Ganache give them',
  },
  {
    methods: ['debug_getRawTransaction'],
    places: /^$/,
    because:
      'an unknown transaction is null, as with Anvil and Reth: empty data, as geth has, is no transaction',
  },
  {
    methods: ['eth_getTransactionByHash'],
    places: PLACE,
    because: 'a transaction that waits has no place yet: the service document and all clients expect null',
  },
  {
    methods: ['eth_getTransactionByBlockNumberAndIndex'],
    places: PLACE,
    dialects: ['anvil', 'hardhat'],
    because: 'the same of a transaction that is found by its index in the pending block',
  },
  {
    methods: ['eth_getBlockByNumber'],
    places: /^(hash|nonce|logsBloom)$|^transactions\[\]\./,
    dialects: ['hardhat'],
    because: 'what only a seal fixes is null in a pending block (service document, Block object)',
  },
  {
    methods: ['txpool_status', 'txpool_content', 'txpool_contentFrom'],
    places: /^(pending|queued)\b/,
    dialects: ['service'],
    because: "the service document's network has a form of its own for what waits",
  },
  {
    methods: [
      'eth_getBlockByHash',
      'eth_getBlockByNumber',
      'eth_getTransactionByBlockHashAndIndex',
      'eth_getTransactionByBlockNumberAndIndex',
      'eth_getTransactionByHash',
      'eth_simulateV1',
      'txpool_content',
      'txpool_contentFrom',
    ],
    places: /(^|\.)(r|s|chainId)$/,
    rules: ['rootstock'],
    because: "r and s are 32 bytes, and a transaction names no chain, in the network's form",
  },
  {
    methods: ['eth_config'],
    places: /^current\.blobSchedule$/,
    rules: ['rootstock'],
    because: 'rules from before Cancun know of no blobs (geth answers null there too)',
  },
  {
    methods: ['eth_baseFee'],
    places: /^$/,
    rules: ['rootstock'],
    because: 'the network has no base fee (geth answers null before London too)',
  },
  {
    methods: ['eth_config'],
    places: /^(preview)?$/,
    rules: ['amsterdam'],
    because: 'the rules of a hardfork that is not final say under `preview` which EIPs are in it',
  },
];

/** A reply and its expected form. */
interface Answer {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly form: Form;
  readonly result: unknown;
}

const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
const ZERO_SLOT = `0x${'00'.repeat(32)}`;
const STRANGER = `0x${'12'.repeat(20)}`;
/** The second of the test accounts, whose key signs raw transactions. */
const OTHER = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

/** Replies of each public method on a chain with all transaction types and some pending transactions. */
async function answersOf(compat: CompatName, ruleSet: (typeof RULE_SETS)[number]): Promise<Answer[]> {
  const harness = await createRpcHarness({ compat }, { ruleSet });
  const { call } = harness;
  const answers: Answer[] = [];
  const ask = async (form: Form, method: string, ...params: readonly unknown[]): Promise<string> => {
    const result = await call(method, params);
    answers.push({ method, params, form, result });
    return String(result);
  };
  await call('anvil_setBalance', [OTHER.address, '0xde0b6b3a7640000']);
  const isEthereum = ruleSet !== 'rootstock';
  const counter = await deploy(harness, 'Counter');
  const to = counter.address as `0x${string}`;
  const increase = counter.data('increase', 42n) as `0x${string}`;
  const gasPrice = isEthereum ? 10n ** 10n : 0n;
  const price = `0x${gasPrice.toString(16)}`;
  const nonceOf = async (account: string) =>
    Number(await call('eth_getTransactionCount', [account, 'pending']));
  const signed = async (fields: object): Promise<string> => {
    const common = { chainId: 33, nonce: await nonceOf(OTHER.address), gas: 200_000n, to, data: increase };
    return OTHER.signTransaction({ ...common, ...fields } as Parameters<typeof OTHER.signTransaction>[0]);
  };
  const hashes = [
    await ask('hash', 'eth_sendTransaction', { from: SENDER, to, data: increase, gasPrice: price }),
  ];
  hashes.push(await ask('hash', 'eth_sendRawTransaction', await signed({ type: 'legacy', gasPrice })));
  hashes.push(
    await ask(
      'hash',
      'eth_sendRawTransaction',
      await signed({ type: 'legacy', gasPrice, chainId: undefined }),
    ),
  );
  if (isEthereum) {
    const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1n };
    const accessList = [{ address: to, storageKeys: [ZERO_SLOT] }];
    hashes.push(
      await ask('hash', 'eth_sendRawTransaction', await signed({ type: 'eip2930', gasPrice, accessList })),
    );
    hashes.push(await ask('hash', 'eth_sendRawTransaction', await signed({ type: 'eip1559', ...fees })));
    const nonce = (await nonceOf(OTHER.address)) + 1;
    const authorization = await OTHER.signAuthorization({ contractAddress: to, chainId: 33, nonce });
    const authorizationList = [authorization];
    hashes.push(
      await ask(
        'hash',
        'eth_sendRawTransaction',
        await signed({ type: 'eip7702', ...fees, authorizationList }),
      ),
    );
  }
  const [first = ''] = hashes;
  for (const hash of hashes) {
    await ask('transaction', 'eth_getTransactionByHash', hash);
    await ask('receipt', 'eth_getTransactionReceipt', hash);
    await ask('data', 'debug_getRawTransaction', hash);
    await ask('structTrace', 'debug_traceTransaction', hash);
  }
  await ask('nothing', 'eth_getTransactionByHash', UNKNOWN_HASH);
  await ask('nothing', 'eth_getTransactionReceipt', UNKNOWN_HASH);
  await ask('data', 'debug_getRawTransaction', UNKNOWN_HASH);
  for (const selector of ['latest', 'earliest', 'safe', 'finalized', '0x1', '0x2']) {
    await ask('block', 'eth_getBlockByNumber', selector, false);
    await ask('fullBlock', 'eth_getBlockByNumber', selector, true);
    await ask('receipts', 'eth_getBlockReceipts', selector);
    await ask('quantity', 'eth_getBlockTransactionCountByNumber', selector);
    await ask('transaction', 'eth_getTransactionByBlockNumberAndIndex', selector, '0x0');
    await ask('data', 'debug_getRawHeader', selector);
    await ask('data', 'debug_getRawBlock', selector);
    await ask('rawReceipts', 'debug_getRawReceipts', selector);
  }
  for (const method of ['eth_getBlockReceipts', 'eth_getBlockTransactionCountByNumber'])
    await ask('nothing', method, '0xffff');
  await ask('nothing', 'eth_getBlockByNumber', '0xffff', true);
  await ask('nothing', 'eth_getTransactionByBlockNumberAndIndex', 'latest', '0x7');
  const { blockHash } = (await call('eth_getTransactionByHash', [first])) as { readonly blockHash: string };
  await ask('block', 'eth_getBlockByHash', blockHash, false);
  await ask('fullBlock', 'eth_getBlockByHash', blockHash, true);
  await ask('nothing', 'eth_getBlockByHash', UNKNOWN_HASH, true);
  await ask('quantity', 'eth_getBlockTransactionCountByHash', blockHash);
  await ask('nothing', 'eth_getBlockTransactionCountByHash', UNKNOWN_HASH);
  await ask('transaction', 'eth_getTransactionByBlockHashAndIndex', blockHash, '0x0');
  await ask('structTraces', 'debug_traceBlockByHash', blockHash);
  await ask('structTraces', 'debug_traceBlockByNumber', 'latest');
  for (const method of ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas'])
    await ask('quantity', method);
  await ask('quantity', 'eth_baseFee');
  await ask('quantityOrNull', 'eth_blobBaseFee');
  await ask('capabilities', 'eth_capabilities');
  await ask('badBlocks', 'debug_getBadBlocks');
  if (ruleSet === 'amsterdam') {
    for (const selector of ['earliest', '0x1', 'latest', blockHash])
      await ask('blockAccessList', 'eth_getBlockAccessList', selector);
    await ask('data', 'debug_getRawBlockAccessList', 'latest');
  }
  if (isEthereum) {
    const attributes = {
      timestamp: '0xffffffff',
      prevRandao: ZERO_SLOT,
      suggestedFeeRecipient: STRANGER,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_SLOT,
    };
    const { hash } = (await call('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
    const raw = await signed({ type: 'eip1559', maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1n });
    for (const transactions of [[], [raw], null])
      await ask('payload', 'testing_buildBlockV1', hash, attributes, transactions);
  }
  await ask('boolean', 'eth_syncing');
  await ask('address', 'eth_coinbase');
  await ask('addresses', 'eth_accounts');
  await ask('decimal', 'net_version');
  await ask('config', 'eth_config');
  await ask('data', 'eth_call', { to, data: counter.data('count') }, 'latest');
  await ask('quantity', 'eth_estimateGas', { from: SENDER, to, data: increase }, 'latest');
  await ask('accessList', 'eth_createAccessList', { from: SENDER, to, data: increase }, 'latest');
  await ask('accessList', 'eth_createAccessList', { from: SENDER, data: '0x60006000fd' }, 'latest');
  const calls = [
    { from: SENDER, to, data: increase },
    { from: SENDER, to: OTHER.address, value: '0x1' },
    { from: SENDER, data: '0x60006000fd', gas: '0x186a0' },
    { from: SENDER, data: '0xfe', gas: '0x186a0' },
  ];
  await ask('simulation', 'eth_simulateV1', { blockStateCalls: [{ calls }], traceTransfers: true }, 'latest');
  const full = { blockStateCalls: [{ calls: calls.slice(0, 2) }], returnFullTransactions: true };
  await ask('fullSimulation', 'eth_simulateV1', full, 'latest');
  for (const percentiles of [[], [10, 50], null])
    await ask('feeHistory', 'eth_feeHistory', '0x4', 'latest', percentiles);
  for (const [kind, changes, all] of [
    ['eth_newFilter', 'logs', 'logs'],
    ['eth_newBlockFilter', 'hashes', 'hashes'],
    ['eth_newPendingTransactionFilter', 'hashes', 'hashes'],
  ] as const) {
    const filter = await ask(
      'quantity',
      kind,
      ...(kind === 'eth_newFilter' ? [{ fromBlock: 'earliest' }] : []),
    );
    await ask('hash', 'eth_sendTransaction', { from: SENDER, to, data: increase });
    await ask(all, 'eth_getFilterLogs', filter);
    await ask(changes, 'eth_getFilterChanges', filter);
    await ask(changes, 'eth_getFilterChanges', filter);
    await ask('boolean', 'eth_uninstallFilter', filter);
    await ask('boolean', 'eth_uninstallFilter', filter);
  }
  for (const filter of [{}, { fromBlock: 'earliest', toBlock: 'latest' }, { blockHash }])
    await ask('logs', 'eth_getLogs', filter);
  await ask('signature', 'eth_sign', SENDER, '0xdeadbeef');
  await ask('signed', 'eth_signTransaction', { from: SENDER, to, value: '0x0', data: increase });
  await ask('filled', 'eth_fillTransaction', { from: SENDER, to: STRANGER, value: '0x1' });
  for (const selector of ['latest', '0x1', { blockHash }]) {
    await ask('quantity', 'eth_getBalance', SENDER, selector);
    await ask('quantity', 'eth_getTransactionCount', SENDER, selector);
    await ask('data', 'eth_getCode', to, selector);
    await ask('data', 'eth_getCode', STRANGER, selector);
    await ask('word', 'eth_getStorageAt', to, '0x0', selector);
    await ask('words', 'eth_getStorageValues', { [to]: [ZERO_SLOT, '0x7'] }, selector);
  }
  await ask('proof', 'eth_getProof', to, ['0x0', ZERO_SLOT, '0x07'], 'latest');
  await ask('proof', 'eth_getProof', STRANGER, ['0x0'], 'latest');
  await call('evm_setAutomine', [false]);
  const ahead = `0x${((await nonceOf(SENDER)) + 3).toString(16)}`;
  const pending = await ask('hash', 'eth_sendTransaction', { from: SENDER, to, data: increase });
  const queued = await ask('hash', 'eth_sendTransaction', { from: SENDER, to, data: increase, nonce: ahead });
  for (const hash of [pending, queued]) await ask('transaction', 'eth_getTransactionByHash', hash);
  await ask('nothing', 'eth_getTransactionReceipt', pending);
  await ask('poolStatus', 'txpool_status');
  await ask('poolContent', 'txpool_content');
  await ask('senderContent', 'txpool_contentFrom', SENDER);
  await ask('quantity', 'eth_getBlockTransactionCountByNumber', 'pending');
  if (compat !== 'service') {
    await ask('block', 'eth_getBlockByNumber', 'pending', false);
    await ask('fullBlock', 'eth_getBlockByNumber', 'pending', true);
    await ask('transaction', 'eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0');
  }
  return answers;
}

describe('the replies to the methods of the Ethereum execution APIs', () => {
  const met = new Set<DecidedDifference>();
  const asked = new Set<string>();

  for (const ruleSet of RULE_SETS) {
    it.each(DIALECTS)(`match their public forms under ${ruleSet} with the error style %s`, async (compat) => {
      const isDecided = (method: string, place: string): boolean => {
        const difference = DECIDED.find(
          ({ methods, places, dialects = DIALECTS, rules = RULE_SETS }) =>
            methods.includes(method) &&
            places.test(place) &&
            dialects.includes(compat) &&
            rules.includes(ruleSet),
        );
        if (difference !== undefined) met.add(difference);
        return difference !== undefined;
      };
      const faults: string[] = [];
      for (const { method, params, form, result } of await answersOf(compat, ruleSet)) {
        asked.add(method);
        const ofSchema = SCHEMAS.results[method];
        if (ofSchema === undefined) throw new Error(`the execution APIs have no ${method}`);
        for (const place of [...faultsIn(form, result), ...schemaFaults(SCHEMAS, ofSchema, result)]) {
          if (isDecided(method, place)) continue;
          faults.push(`${method} ${JSON.stringify(params)} at '${place}': ${JSON.stringify(result)}`);
        }
      }
      expect(faults).toEqual([]);
    });
  }

  it('cover each public method that is served', () => {
    const served = METHODS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(PUBLIC_METHODS.filter((name) => !served.includes(name))).toEqual([]);
    expect([...asked].sort()).toEqual([...PUBLIC_METHODS]);
  });

  it.each(DECIDED)('differ as decided, because $because', (difference) => {
    expect(met.has(difference)).toBe(true);
  });
});
