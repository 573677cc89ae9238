import { connect, type Socket } from 'node:net';
import { settleLocalOptions } from '../config/local-options.ts';
import { chainOptionsOf, devAccountsOf, rpcOptionsOf } from '../config/node-settings.ts';
import type { NodeOptions } from '../config/options.ts';
import { keyName } from '../config/usage-messages.ts';
import { createNode } from '../node/create-node.ts';
import { systemClock, systemTimers, type Timers } from '../primitives/clock.ts';
import { toHex } from '../primitives/hex.ts';
import { systemRandom } from '../primitives/random.ts';
import type { CompatChoice } from '../rpc/compat.ts';
import { createRpcServiceFactory } from '../rpc/rpc-service.ts';
import { nextTurn } from '../scheduling/interrupt.ts';
import { healthOf } from '../server/get-requests.ts';
import { defaultServerOptions } from '../server/options.ts';
import { startServer } from '../server/server.ts';

/**
 * Creation code of a contract whose calls do typical work in a loop. The input is the number of rounds. Each
 * round hashes, increments a storage slot, sends one wei to an account and emits a log.
 */
const CREATION =
  '0x604180600b6000396000f36000355b8015603b57806000526040600020805460010190556000600060006000600185611000015af1508033600760206000a3600190036003565b60206000f3';

/** Maximum block records on the heap. So low that the warm-up moves some off the heap, like a long chain. */
const NEWEST_RECORDS = 8;

/** Rounds of the contract's loop in one warm-up transaction. */
const LOOPS = 16;
const LOOPS_INPUT = `0x${LOOPS.toString(16).padStart(64, '0')}`;

/** Calls a method and resolves to its result. */
type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

/** Makes the usual first calls of a client: accounts, a transfer, a contract, many blocks, a snapshot. */
async function askWhatIsAskedFirst(ask: Ask): Promise<void> {
  const receiptOf = async (hash: unknown): Promise<{ readonly contractAddress: string | null }> => {
    const receipt = await ask('eth_getTransactionReceipt', hash);
    const { status, contractAddress } = receipt as { status: string; contractAddress: string | null };
    if (status !== '0x1') throw new Error(`the warm-up transaction ${hash} failed`);
    return { contractAddress };
  };
  const [from, other] = (await ask('eth_accounts')) as string[];
  await ask('eth_chainId');
  await ask('net_version');
  await ask('eth_blockNumber');
  const gasPrice = await ask('eth_gasPrice');
  await ask('eth_getBalance', from, 'latest');
  await ask('eth_getTransactionCount', from, 'pending');
  const transfer = { from, to: other, value: '0x1' };
  await ask('eth_estimateGas', transfer);
  const hash = await ask('eth_sendTransaction', transfer);
  await receiptOf(hash);
  await ask('eth_getTransactionByHash', hash);
  /** Estimates the gas, because the cost of a creation depends on the hardfork. */
  const send = async (transaction: object): Promise<unknown> =>
    ask('eth_sendTransaction', { ...transaction, gas: await ask('eth_estimateGas', transaction) });
  const created = await send({ from, data: CREATION });
  const { contractAddress: to } = await receiptOf(created);
  await ask('eth_getCode', to, 'latest');
  await ask('eth_call', { to, data: '0x' }, 'latest');
  const value = `0x${LOOPS.toString(16)}`;
  await receiptOf(await send({ from, to, data: LOOPS_INPUT, value, gasPrice }));
  await ask('eth_getStorageAt', to, '0x0', 'latest');
  await ask('eth_getLogs', { fromBlock: 'latest', address: to });
  await ask('eth_getBlockByNumber', 'latest', true);
  const raw = await ask('eth_signTransaction', { ...transfer, gas: '0x5208', gasPrice });
  const snapshot = await ask('evm_snapshot');
  await receiptOf(await ask('eth_sendRawTransaction', raw));
  await ask('evm_mine');
  // Enough blocks that most of them are stored as a reserved range.
  await ask('hardhat_mine', '0x100');
  await ask('evm_revert', snapshot);
}

function fail(error: unknown): never {
  throw error;
}

/** Thrown to stop a warm-up early. */
class RehearsalStopped extends Error {}

/** Sends requests to a server on this machine over a socket, one at a time. */
class LoopbackCaller {
  readonly #socket: Socket;
  readonly #path: string;
  #received = '';
  #pending: { readonly resolve: (body: string) => void; readonly reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  /** `key` is the API key of the server. */
  constructor({ host, port }: { readonly host: string; readonly port: number }, key: string) {
    this.#path = `/${key}`;
    this.#socket = connect(port, host).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#receive(text));
    this.#socket.on('error', (error) => this.close(error));
    // If the process has no file descriptor left, the system closes the connection without an error.
    this.#socket.on('close', () => this.close(new Error('the connection was closed')));
  }

  /** Resolves to the result. Rejects with the error of the response or of the connection. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await new Promise<string>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#pending = { resolve, reject };
      this.#socket.write(
        `POST ${this.#path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
    const { result, error } = JSON.parse(answer) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Appends a chunk of a response. The `content-length` header determines where the response ends. */
  #receive(text: string): void {
    this.#received += text;
    const [head = '', body] = this.#received.split('\r\n\r\n', 2);
    if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1])) return;
    this.#received = '';
    this.#pending?.resolve(body);
  }

  /** Closes the connection. Pending and later requests reject with the first given reason. */
  close(reason: Error = new RehearsalStopped()): void {
    this.#failure ??= reason;
    this.#pending?.reject(this.#failure);
    this.#socket.destroy();
  }
}

export interface RehearsalOptions {
  readonly rounds?: number;
  /** Called before each request, which waits for it. The warm-up ends if it resolves to false. */
  readonly goesOn?: () => Promise<boolean>;
  /** Ends the warm-up when it aborts, even during a pending request. */
  readonly signal?: AbortSignal;
  /** Options of the user that the chain of the warm-up also uses. */
  readonly options?: Partial<Pick<NodeOptions, 'hardfork' | 'fieldNames'>>;
  /** The compat mode of the node (default: service). */
  readonly compat?: CompatChoice;
}

/**
 * Makes the first calls of a typical client over a socket, on a separate chain. One round makes V8 compile
 * the code for the code cache. Several rounds let V8 learn the types. Rejects if a call fails or no socket
 * can be opened.
 */
export async function rehearse({
  rounds = 1,
  goesOn,
  signal,
  options,
  compat = 'service',
}: RehearsalOptions = {}): Promise<void> {
  const settings = { ...settleLocalOptions({}), ...options };
  const [clock, timers, random] = [systemClock, systemTimers, systemRandom];
  const node = await createNode(chainOptionsOf(settings, await devAccountsOf(settings, keyName)), {
    ...{ clock, timers, random },
    ownAddresses: () => [],
    newestRecords: NEWEST_RECORDS,
    onMiningError: fail,
    onEngineDifference: fail,
  });
  const { chain, peers } = node;
  const serviceOptions = { ...rpcOptionsOf(settings), compat };
  const service = createRpcServiceFactory(serviceOptions, random, { clock, timers })(node, null);
  const hooks = { timers, peers, onInternalError: () => undefined, health: () => healthOf(chain, null) };
  try {
    // The key keeps out other programs of this machine.
    const key = toHex(random(16)).slice(2);
    const server = await startServer({ ...defaultServerOptions, port: 0, apiKeys: [key] }, service, hooks);
    const caller = new LoopbackCaller(server, key);
    const stop = (): void => caller.close();
    signal?.addEventListener('abort', stop, { once: true });
    const ask: Ask = async (method, ...params) => {
      if ((goesOn && !(await goesOn())) || signal?.aborted) throw new RehearsalStopped();
      return caller.ask(method, params);
    };
    try {
      for (let round = 0; round < rounds; round++) await askWhatIsAskedFirst(ask);
    } catch (error) {
      if (!(error instanceof RehearsalStopped)) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      caller.close();
      await server.close();
    }
  } finally {
    await chain.close();
  }
}

/** Milliseconds that a warm-up waits after a user's call. */
const PAUSE_AFTER_CALL = 20;

/** Maximum calls of users. More calls than this already warm up V8. */
const ENOUGH_CALLS = 100;

/** Waits for moments without calls. Usually the user's tests are still starting then. */
export class IdleTime {
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  #calls = 0;
  #seen = 0;

  /** `signal` ends the waiting, for example when the node closes. */
  constructor(timers: Timers, signal: AbortSignal) {
    this.#timers = timers;
    this.#signal = signal;
  }

  /** Counts a call of a user. */
  onCall(): void {
    this.#calls++;
  }

  /**
   * Waits until no calls arrive, then resolves to true. Resolves to false if the signal has aborted or after
   * {@link ENOUGH_CALLS} calls.
   */
  async goesOn(): Promise<boolean> {
    await nextTurn();
    while (this.#calls !== this.#seen && this.#mayGoOn) {
      this.#seen = this.#calls;
      await this.#pause();
    }
    return this.#mayGoOn;
  }

  get #mayGoOn(): boolean {
    return this.#calls < ENOUGH_CALLS && !this.#signal.aborted;
  }

  /** Resolves after the pause, or when the signal aborts. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#timers.after(PAUSE_AFTER_CALL, done);
      this.#signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** More rounds gain little and use more memory. */
const WARM_UP_ROUNDS = 8;

/** Time limit of a warm-up in milliseconds, if users call often. It limits how long its port is open. */
const REHEARSED_FOR = 2_000;

/** The warm-up of a node that has started. It runs while the node is idle. */
export class StartRehearsal {
  readonly #timers: Timers;
  readonly #ending = new AbortController();
  readonly #idleTime: IdleTime;
  #ended: Promise<void> | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#idleTime = new IdleTime(timers, this.#ending.signal);
  }

  /** Counts a call of a user. */
  onCall(): void {
    this.#idleTime.onCall();
  }

  /**
   * Starts the warm-up with the hardfork and the compat mode of the node. Skips hosted nodes, whose start
   * time does not matter, and other engines. Ignores errors, because users get the same error from their own
   * call.
   */
  begin({ engine, shadow, hosted, hardfork, fieldNames }: NodeOptions, compat: CompatChoice): void {
    if (engine !== 'wasm' || shadow || hosted) return;
    const limit = this.#timers.after(REHEARSED_FOR, () => this.#ending.abort());
    this.#ended = rehearse({
      rounds: WARM_UP_ROUNDS,
      goesOn: () => this.#idleTime.goesOn(),
      signal: this.#ending.signal,
      options: { hardfork, fieldNames },
      compat,
    })
      .catch(() => undefined)
      .finally(() => limit.cancel());
  }

  /** Stops the warm-up. Resolves when its server and its chain are closed. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}
