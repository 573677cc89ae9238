import { once } from 'node:events';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readArtifact } from '../support/artifacts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { PipelinedConnection } from '../support/pipelined-connection.ts';
import { checkAnswer, isAnswered } from './check-answer.ts';
import { type DescribedMethod, envelopes, type KnownThings } from './generators.ts';

/** The mode `long-fuzz` sends 10,000 requests instead of 2,000. */
const ROUNDS = process.env.MODE === 'long-fuzz' ? 5 : 1;
const SINGLES = 10;
const BATCH = 10;
const CHANGES_THE_CHAIN =
  /^(?:evm_|eth_send|eth_submit|personal_|mnr_|sco_|hardhat_|anvil_|ganache_|miner_|tenderly_|debug_clear)/;

/** A message each: single requests, and one batch. */
function messagesOf(methods: readonly DescribedMethod[], known: KnownThings): fc.Arbitrary<string[]> {
  const envelope = envelopes(methods, known);
  const singles = fc.array(envelope, { minLength: SINGLES, maxLength: SINGLES });
  const batch = fc.array(envelope, { minLength: BATCH, maxLength: BATCH });
  return fc
    .tuple(singles, batch)
    .map(([alone, together]) => [...alone, together].map((message) => JSON.stringify(message)));
}

/** A node with a short history, for random requests. */
class FuzzedNode {
  readonly node: RunningNode;
  readonly connection: PipelinedConnection;

  constructor(node: RunningNode) {
    this.node = node;
    this.connection = new PipelinedConnection(node.url);
  }

  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { body } = await this.connection.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const { result, error } = JSON.parse(body);
    if (error !== undefined) throw new Error(`${method}: ${body}`);
    return result;
  }

  /** Deploys contracts and sends wei. Returns the addresses and hashes for requests. */
  async settle(): Promise<KnownThings> {
    const [{ address: from }, { address: to }] = DEV_ACCOUNTS;
    const addresses: string[] = [from, to];
    const hashes: string[] = [];
    const transactions = [
      { from, data: readArtifact('cancun', 'Counter').bytecode },
      { from, data: readArtifact('cancun', 'Ledger').bytecode },
      { from, to, value: '0x1' },
    ];
    for (const transaction of transactions) {
      const hash = await this.call('eth_sendTransaction', transaction);
      const receipt = await this.call('eth_getTransactionReceipt', hash);
      const { contractAddress, blockHash } = receipt as { contractAddress: string | null; blockHash: string };
      hashes.push(String(hash), blockHash);
      if (contractAddress !== null) addresses.push(contractAddress);
    }
    return { addresses, hashes };
  }

  async methods(): Promise<DescribedMethod[]> {
    return ((await this.call('rpc.discover')) as { methods: DescribedMethod[] }).methods;
  }

  head(): Promise<unknown> {
    return this.call('eth_getBlockByNumber', 'latest', true);
  }

  async stop(): Promise<void> {
    this.connection.close();
    await this.node.stop();
  }
}

/** Posts the messages on one connection without waiting for replies, and checks each reply. */
async function postAndCheck(connection: PipelinedConnection, messages: readonly string[]): Promise<void> {
  const answers = await Promise.all(messages.map((message) => connection.post(message)));
  for (const [position, message] of messages.entries()) {
    const answer = answers[position];
    if (isAnswered(message)) {
      expect(answer?.status).toBe(200);
      checkAnswer(message, answer?.body ?? '');
    } else {
      expect(answer).toEqual({ status: 204, body: '' });
    }
  }
}

/** The node of all tests but one, whose requests change the chain. */
let fuzzed: FuzzedNode;

beforeAll(async () => {
  fuzzed = new FuzzedNode(await startNode('--quiet'));
});

afterAll(() => fuzzed.stop());

describe('generated requests', () => {
  let known: KnownThings;
  let questions: DescribedMethod[];

  beforeAll(async () => {
    known = await fuzzed.settle();
    questions = (await fuzzed.methods()).filter(({ name }) => !CHANGES_THE_CHAIN.test(name));
  });

  it('returns valid replies to reading requests on one HTTP connection, and keeps the head', async () => {
    const head = await fuzzed.head();
    const property = fc.asyncProperty(messagesOf(questions, known), (messages) =>
      postAndCheck(fuzzed.connection, messages),
    );
    await fc.assert(property, { numRuns: 70 * ROUNDS });
    expect(await fuzzed.head()).toEqual(head);
  });

  it('returns valid replies to reading requests over WebSocket in order, and keeps the head', async () => {
    const head = await fuzzed.head();
    const socket = new WebSocket(fuzzed.node.webSocketUrl);
    await once(socket, 'open');
    const received: string[] = [];
    const closed = once(socket, 'close');
    let wake = () => {};
    socket.on('message', (text) => {
      received.push(String(text));
      wake();
    });
    const property = fc.asyncProperty(messagesOf(questions, known), async (messages) => {
      const answered = messages.filter(isAnswered);
      for (const message of messages) socket.send(message);
      while (received.length < answered.length && socket.readyState === WebSocket.OPEN) {
        const news = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([news, closed]);
      }
      const answers = received.splice(0);
      expect(answers).toHaveLength(answered.length);
      for (const [position, message] of answered.entries()) checkAnswer(message, answers[position] ?? '');
    });
    await fc.assert(property, { numRuns: 15 * ROUNDS });
    socket.close();
    await closed;
    expect(await fuzzed.head()).toEqual(head);
  });

  it('returns valid replies to changing requests, and mines afterwards', async () => {
    const other = new FuzzedNode(await startNode('--quiet'));
    const commands = (await other.methods()).filter(({ name }) => CHANGES_THE_CHAIN.test(name));
    const property = fc.asyncProperty(messagesOf(commands, await other.settle()), (messages) =>
      postAndCheck(other.connection, messages),
    );
    await fc.assert(property, { numRuns: 15 * ROUNDS });
    // Effects of the commands on the node are undone first: locked accounts, a stopped miner.
    const [{ address }] = DEV_ACCOUNTS;
    await other.call('personal_unlockAccount', address, '', '0x0');
    await other.call('evm_startMining');
    await other.settle();
    await other.stop();
  });
});

describe('an invalid request', () => {
  it.each([
    ['nothing', ''],
    ['half a request', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['a NaN', '{"jsonrpc":"2.0","id":NaN,"method":"eth_chainId"}'],
    ['two requests', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}{}'],
  ])('returns a parse error for %s', async (_, body) => {
    const { status, body: answer } = await fuzzed.connection.post(body);
    expect(status).toBe(200);
    expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
  });

  it('returns an invalid-request error for very deep nesting', async () => {
    const list = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const object = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const params = (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${deep}]}`;
    for (const body of [list, object, params(list), params(object)]) {
      const { body: text } = await fuzzed.connection.post(body);
      const answer: unknown = JSON.parse(text);
      expect(Array.isArray(answer) ? answer : [answer]).toMatchObject([{ error: { code: -32600 } }]);
    }
  });

  it('returns a parse error or a valid reply if its text is cut or changed at random', async () => {
    const request = '[{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x00","latest"]}]';
    const change = fc.tuple(fc.nat(request.length), fc.nat(5), fc.string({ maxLength: 4 }));
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      let text = request;
      for (const [start, length, inserted] of changes) {
        text = text.slice(0, start) + inserted + text.slice(start + length);
      }
      const { status, body } = await fuzzed.connection.post(text);
      if (status === 204) return;
      expect(status).toBe(200);
      const answers: unknown = JSON.parse(body);
      for (const answer of Array.isArray(answers) ? answers : [answers]) {
        expect(answer).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
        expect(answer).not.toMatchObject({ error: { code: -32603 } });
      }
    });
    await fc.assert(property, { numRuns: 100 * ROUNDS });
  });
});

describe('an endless call', () => {
  it('runs out of gas, even with the highest gas limit', async () => {
    const endless = { data: '0x5b600056', gas: '0xffffffffffffffff' };
    const message = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [endless, 'latest'],
    });
    const { body } = await fuzzed.connection.post(message);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: -32015, message: expect.stringContaining('out of gas') },
    });
  });
});
