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
 * Creates a contract that does in a loop, as often as its input says, what contracts of users do: it hashes, counts in a slot,
 * pays one wei to an account and logs.
 */
const CREATION =
  '0x604180600b6000396000f36000355b8015603b57806000526040600020805460010190556000600060006000600185611000015af1508033600760206000a3600190036003565b60206000f3';

/** So few records of the rehearsed chain stay on the heap that some move, as those of a chain of some hundred blocks do. */
const NEWEST_RECORDS = 8;

/** Turns of its loop in a rehearsed transaction, and the same as input. */
const LOOPS = 16;
const LOOPS_INPUT = `0x${LOOPS.toString(16).padStart(64, '0')}`;

/** Asks a method; resolves to its result. */
type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

/** Makes the calls that most callers make first: accounts, a transfer, a contract, a block, many blocks, a snapshot. */
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
  /** Rule sets differ in what a creation costs. */
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
  // So many that most of them are reserved.
  await ask('hardhat_mine', '0x100');
  await ask('evm_revert', snapshot);
}

function fail(error: unknown): never {
  throw error;
}

/** Ends a rehearsal before its end. */
class RehearsalStopped extends Error {}

/** Calls a server of this machine over a socket, one call at a time. */
class LoopbackCaller {
  readonly #socket: Socket;
  readonly #path: string;
  #received = '';
  #pending: { readonly resolve: (body: string) => void; readonly reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  /** `key` is the API key that the server asks for. */
  constructor({ host, port }: { readonly host: string; readonly port: number }, key: string) {
    this.#path = `/${key}`;
    this.#socket = connect(port, host).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#receive(text));
    this.#socket.on('error', (error) => this.close(error));
    // A system that has no file descriptor left closes the connection without an error.
    this.#socket.on('close', () => this.close(new Error('the connection was closed')));
  }

  /** Resolves to the result; rejects with the error that is answered, or with what the connection was closed with. */
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

  /** Takes what came of an answer, whose end its content length says. */
  #receive(text: string): void {
    this.#received += text;
    const [head = '', body] = this.#received.split('\r\n\r\n', 2);
    if (body === undefined || body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1])) return;
    this.#received = '';
    this.#pending?.resolve(body);
  }

  /** Closes the connection; the call in hand and later ones reject with the first reason that is given. */
  close(reason: Error = new RehearsalStopped()): void {
    this.#failure ??= reason;
    this.#pending?.reject(this.#failure);
    this.#socket.destroy();
  }
}

/** The rounds, the moment and the rules of a rehearsal. */
export interface RehearsalOptions {
  /** The number of rounds in which everything is asked. */
  readonly rounds?: number;
  /** Called before each question, which waits for it; the rehearsal ends when it resolves to false. */
  readonly goesOn?: () => Promise<boolean>;
  /** Ends the rehearsal when it is aborted, whatever that waits for. */
  readonly signal?: AbortSignal;
  /** Options that the rehearsed chain shall have of those that a user gave. */
  readonly options?: Partial<Pick<NodeOptions, 'hardfork' | 'fieldNames'>>;
  /** The compat mode of the node (default: service). */
  readonly compat?: CompatChoice;
}

/**
 * Does what most callers do first, over a socket and on a chain of its own, so that the code for it is among what V8 compiled:
 * once, to keep it for later starts, or a few times, so that V8 knows its types when the first caller comes. Rejects when a
 * node of this build cannot do it, or where no socket can be opened.
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
    // Other programs of this machine are refused.
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

/** Milliseconds for which a rehearsal waits after a call of a user. */
const PAUSE_AFTER_CALL = 20;

/** Calls of others after which V8 knows what a rehearsal would show it. */
const ENOUGH_CALLS = 100;

/** The time in which a node is not called, which is mostly that in which a user's tests start. */
export class IdleTime {
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  #calls = 0;
  #seen = 0;

  /** `signal` ends it, as when the node ends. */
  constructor(timers: Timers, signal: AbortSignal) {
    this.#timers = timers;
    this.#signal = signal;
  }

  /** Called with each call of a user. */
  onCall(): void {
    this.#calls++;
  }

  /**
   * Resolves to true when there was no call for a while, and something more may be done; to false at once when it has ended or when
   * users have called often.
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

  /** Resolves after the pause, or when it has ended. */
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

/** Rounds after which more of them gain little: the first transactions take two thirds of the time then, and memory 10 MB more. */
const WARM_UP_ROUNDS = 8;

/** Milliseconds after which a rehearsal ends that the calls of users leave little time to, so that its port is open for a moment only. */
const REHEARSED_FOR = 2_000;

/** The rehearsal of a node that has started, in the moments in which it is not called. */
export class StartRehearsal {
  readonly #timers: Timers;
  readonly #ending = new AbortController();
  readonly #idleTime: IdleTime;
  #ended: Promise<void> | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#idleTime = new IdleTime(timers, this.#ending.signal);
  }

  /** Called with each call of a user. */
  onCall(): void {
    this.#idleTime.onCall();
  }

  /**
   * Begins the rehearsal, under the rules and in the dialect of the node. Does nothing for a hosted node, which runs so long that its start
   * does not matter, nor with another engine, which is for comparisons. A call that fails here fails for users, too, and they get the error.
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

  /** Ends the rehearsal. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}
