import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createNode, type LocalNodeOptions } from '../../../src/index.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { startNode } from '../../support/node-process.ts';

/** The options of the node that Anvil's tests start. */
const DEFAULTS: LocalNodeOptions = {
  compat: 'anvil',
  hardfork: 'osaka',
  chainId: 31_337,
  gasLimit: 30_000_000,
  txGasLimit: 'none',
};

/** The error of a call. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A node behind a socket, as a client sees it. */
export interface Node {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly accounts: readonly string[];
  /** The first two accounts. */
  readonly alice: string;
  readonly bob: string;
  /** Result of a call. Rejects with the error as text. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Error of a call. Rejects if the call has a result. */
  failure(method: string, ...params: readonly unknown[]): Promise<Failure>;
  /** Sends a transaction, from the first account by default. Returns its hash. */
  send(fields: object): Promise<string>;
  /** Sends a transaction as `send`. Returns its receipt. */
  mined(fields: object): Promise<unknown>;
  /** Address of the contract with this runtime code. */
  deploy(code: string, fields?: object): Promise<string>;
  /** Output of a call. `from` is the first account. */
  call(fields: object, block?: unknown, ...overrides: readonly unknown[]): Promise<string>;
  block(selector?: string | number, full?: boolean): Promise<unknown>;
  mine(): Promise<void>;
  automine(enabled: boolean): Promise<unknown>;
  close(): Promise<void>;
}

/** A client of the node at the URL. */
export async function nodeAt(url: string, close: () => Promise<void>): Promise<Node> {
  async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await answerAt(url, method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
  const accounts = (await rpc('eth_accounts')) as string[];
  const [alice = '', bob = ''] = accounts;
  const send = async (fields: object): Promise<string> =>
    String(await rpc('eth_sendTransaction', { from: alice, ...fields }));
  const mined = async (fields: object): Promise<unknown> =>
    rpc('eth_getTransactionReceipt', await send(fields));
  return {
    url,
    webSocketUrl: url.replace('http', 'ws'),
    accounts,
    alice,
    bob,
    rpc,
    failure: async (method, ...params) => {
      const { result, error } = await answerAt(url, method, params);
      if (error === undefined) throw new Error(`${method} returned ${JSON.stringify(result)}`);
      return error;
    },
    send,
    mined,
    deploy: async (code, fields = {}) =>
      text(await mined({ data: creationOf(code), ...fields }), 'contractAddress'),
    call: async (fields, block = 'latest', ...overrides) =>
      String(await rpc('eth_call', { from: alice, ...fields }, block, ...overrides)),
    block: (selector = 'latest', full = false) =>
      rpc('eth_getBlockByNumber', typeof selector === 'number' ? quantity(selector) : selector, full),
    mine: async () => void (await rpc('evm_mine')),
    automine: (enabled) => rpc('evm_setAutomine', enabled),
    close,
  };
}

/** Starts a node with the options of Anvil's tests and these options. It closes at the end of the test. */
export async function openNode(options: LocalNodeOptions = {}): Promise<Node> {
  const node = await createNode({ ...DEFAULTS, ...options });
  const served = await node.listen();
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await served.close();
    await node.close();
  };
  onTestFinished(close);
  return nodeAt(served.url, close);
}

/** Starts a fork of a node, without a cache on disk. */
export async function openFork(upstream: Node, options: LocalNodeOptions = {}): Promise<Node> {
  const { chainId: _, ...defaults } = DEFAULTS;
  const node = await createNode({
    ...defaults,
    forkUrl: upstream.url,
    noStorageCaching: true,
    ...options,
  });
  const served = await node.listen();
  const close = async (): Promise<void> => {
    await served.close();
    await node.close();
  };
  onTestFinished(close);
  return nodeAt(served.url, close);
}

/** Notifications of one subscription. */
export interface Subscription {
  readonly id: string;
  /** Resolves to the next item. */
  next(): Promise<unknown>;
  /** True if an item waits. */
  readonly hasItem: boolean;
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>;
}

/** Subscribes over a WebSocket of its own, which closes at the end of the test. */
export async function subscribe(node: Node, ...params: readonly unknown[]): Promise<Subscription> {
  const socket = new WebSocket(node.webSocketUrl);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const items: unknown[] = [];
  const waiting: ((item: unknown) => void)[] = [];
  const replies = new Map<unknown, (reply: unknown) => void>();
  let lastId = 0;
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data));
    if (pick(message, 'method') !== 'eth_subscription') {
      replies.get(pick(message, 'id'))?.(message);
      return;
    }
    const item = pick(message, 'params.result');
    const resolve = waiting.shift();
    if (resolve === undefined) items.push(item);
    else resolve(item);
  });
  const rpc = async (method: string, ...args: readonly unknown[]): Promise<unknown> => {
    const id = ++lastId;
    const reply = await new Promise((resolve) => {
      replies.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: args }));
    });
    if (pick(reply, 'error') !== undefined) throw new Error(JSON.stringify(pick(reply, 'error')));
    return pick(reply, 'result');
  };
  const id = String(await rpc('eth_subscribe', ...params));
  return {
    id,
    rpc,
    get hasItem() {
      return items.length > 0;
    },
    next: () =>
      items.length > 0
        ? Promise.resolve(items.shift())
        : new Promise((resolve) => void waiting.push(resolve)),
  };
}

/** The member of a value at a path such as `logs.0.topics`; `undefined` if absent. */
export function pick(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (parent, name) =>
        parent === null || parent === undefined ? undefined : Reflect.get(Object(parent), name),
      value,
    );
}

/** The member of a value, which must be a string. */
export function text(value: unknown, path: string): string {
  const member = pick(value, path);
  if (typeof member !== 'string')
    throw new TypeError(`${path}: ${JSON.stringify(member)} in ${JSON.stringify(value)}`);
  return member;
}

/** The number of a QUANTITY, or of a member that is a QUANTITY. */
export function count(value: unknown, path?: string): number {
  const found = path === undefined ? value : pick(value, path);
  if (typeof found !== 'string' && typeof found !== 'number')
    throw new TypeError(`${path}: ${JSON.stringify(found)}`);
  return Number(found);
}

export function big(value: unknown, path?: string): bigint {
  return BigInt(path === undefined ? String(value) : text(value, path));
}

export function list(value: unknown, path?: string): readonly unknown[] {
  const found = path === undefined ? value : pick(value, path);
  if (!Array.isArray(found)) throw new TypeError(`${path}: ${JSON.stringify(found)} is not a list`);
  return found;
}

export function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

export const ETHER = 10n ** 18n;

export function randomAddress(): string {
  return toHex(randomBytes(20));
}

/** Initcode that returns this runtime code. `first` runs before. */
export function creationOf(code: string, first = ''): string {
  const body = code.replace(/^0x/, '');
  const before = first.replace(/^0x/, '');
  const size = (body.length / 2).toString(16).padStart(4, '0');
  const start = (before.length / 2 + 12).toString(16).padStart(2, '0');
  return `0x${before}61${size}60${start}5f3961${size}5ff3${body}`;
}

/** Returns slot 0, or stores the word of the call data there and emits it, with the caller as topic. */
export const STORE = '0x36600c575f545f5260205ff35b5f35805f555f523360205fa100';
/** Initcode of `STORE` that stores and emits this byte. */
export function storeCreation(value: number): string {
  const byte = value.toString(16).padStart(2, '0');
  return creationOf(STORE, `60${byte}805f555f523360205fa1`);
}
/** Returns NUMBER, TIMESTAMP, GASLIMIT, COINBASE and PREVRANDAO. */
export const BLOCK_PROBE = '0x435f52426020524560405241606052446080526100a05ff3';
/** Returns BLOCKHASH of the word of the call data. */
export const HASH_PROBE = '0x5f35405f5260205ff3';
/** Returns ECRECOVER of the call data. */
export const RECOVER = '0x365f5f3760205f365f60015afa5060205ff3';

/** The word at an index of returned data. */
export function wordAt(data: string, index = 0): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 2 + 64 * (index + 1))}`);
}

export function addressWord(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

/** Starts the built node with the options of Anvil's tests and these command-line options. */
export async function startCommandLine(...options: readonly string[]): Promise<Node> {
  const running = await startNode('--compat', 'anvil', '--no-artifacts', ...options);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await running.stop();
  };
  onTestFinished(close);
  return nodeAt(running.url, close);
}
