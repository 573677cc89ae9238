import type { HttpPost } from '../../src/fork/upstream/http-post.ts';
import { readArtifact } from '../support/artifacts.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import type { ForkScene } from './fork-scene.ts';
import { okAnswer } from './scripted-upstream.ts';

/** Responses of another node implementation by method and parameters. */
export type Recording = Record<string, object | undefined>;

const RECIPIENT = `0x${'77'.repeat(20)}`;
const COUNTER = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
const SLOT = `0x${'0'.repeat(64)}`;

/** `increase(uint256)` of the Counter. */
function increase(step: number): string {
  return `0x30f3f0db${step.toString(16).padStart(64, '0')}`;
}

/** Transactions of a recorded node in blocks 1 to 3: a transfer, the Counter, an increase by 42. */
export function recordedTransactions(): Record<string, string>[] {
  const from = FIRST_ACCOUNT;
  const { bytecode } = readArtifact('shanghai', 'Counter');
  return [
    { from, to: RECIPIENT, value: '0x5', gas: '0x5208' },
    { from, data: bytecode, gas: '0x50000' },
    { from, to: COUNTER, data: increase(42), gas: '0x30000' },
  ];
}

/** Requests to a fork of a recorded node. The results omit all values that the upstream chooses. */
export async function questionsOnFork({ call }: Pick<ForkScene, 'call'>): Promise<unknown> {
  const before = await call('eth_getBlockByNumber', ['0x3', true]);
  const { transactions, ...block } = before as { transactions: { hash: string }[]; number: string };
  const hash = transactions[0]?.hash;
  const receipt = (await call('eth_getTransactionReceipt', [hash])) as { status: string; logs: unknown[] };
  const sent = await call('eth_sendTransaction', [
    { from: FIRST_ACCOUNT, to: COUNTER, data: increase(1), gas: '0x30000' },
  ]);
  const logs = (await call('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])) as {
    blockNumber: string;
    data: string;
  }[];
  return {
    number: block.number,
    receipt: [receipt.status, receipt.logs.length],
    balance: await call('eth_getBalance', [RECIPIENT, 'latest']),
    balanceBefore: await call('eth_getBalance', [RECIPIENT, '0x0']),
    slot: await call('eth_getStorageAt', [COUNTER, SLOT, 'latest']),
    slotBefore: await call('eth_getStorageAt', [COUNTER, SLOT, '0x3']),
    slotAtStart: await call('eth_getStorageAt', [COUNTER, SLOT, '0x1']),
    nonce: await call('eth_getTransactionCount', [FIRST_ACCOUNT, 'latest']),
    sent: ((await call('eth_getTransactionReceipt', [sent])) as { status: string }).status,
    logs: logs.map(({ blockNumber, data }) => [blockNumber, data]),
    call: await call('eth_call', [{ to: COUNTER, data: '0x06661abd' }, '0x3']),
    unknown: await call('eth_getTransactionByHash', [`0x${'99'.repeat(32)}`]),
  };
}

interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/** Records the responses to the calls of a request. */
export function keep(recording: Recording, body: string, text: string): void {
  const calls: unknown = JSON.parse(body);
  const answers: unknown = JSON.parse(text);
  const byId = new Map(
    (Array.isArray(answers) ? answers : [answers]).map(({ id, result, error }) => [id, { result, error }]),
  );
  for (const { id, method, params } of (Array.isArray(calls) ? calls : [calls]) as WireCall[]) {
    recording[JSON.stringify([method, params])] = byId.get(id);
  }
}

/** The methods of hints. The recorded nodes answer without them. */
const HINTS: ReadonlySet<string> = new Set(['eth_createAccessList', 'debug_traceCall']);

/** Replays recorded responses. Throws if a call was not recorded. */
export function replaying(recording: Recording): HttpPost {
  const answerTo = ({ id, method, params }: WireCall): unknown => {
    if (HINTS.has(method))
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'method not found' } };
    const answer = recording[JSON.stringify([method, params])];
    if (answer === undefined) throw new Error(`nobody recorded ${method} ${JSON.stringify(params)}`);
    return { jsonrpc: '2.0', id, ...answer };
  };
  return async ({ body }) => {
    const calls = JSON.parse(body) as WireCall | WireCall[];
    return okAnswer(Array.isArray(calls) ? calls.map(answerTo) : answerTo(calls));
  };
}
