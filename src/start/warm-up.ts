import { settleLocalOptions } from '../config/local-options.ts';
import { chainOptionsOf, devAccountsOf, rpcOptionsOf } from '../config/node-settings.ts';
import type { NodeOptions } from '../config/options.ts';
import { keyName } from '../config/usage-messages.ts';
import { createNode } from '../node/create-node.ts';
import { systemClock, systemTimers, type Timer, type Timers } from '../primitives/clock.ts';
import { systemRandom } from '../primitives/random.ts';
import type { CompatChoice } from '../rpc/compat.ts';
import { createRpcServiceFactory } from '../rpc/rpc-service.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import { MemoryConnection } from './memory-connection.ts';
import type { ProcessStart, RunningWarmUp } from './process-start.ts';
import { isEnabled } from './tunings.ts';

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
async function makeFirstCalls(ask: Ask): Promise<void> {
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

export interface WarmUpOptions {
  readonly rounds?: number;
  /** Called before each request, which waits for it. The warm-up ends if it resolves to false. */
  readonly mayContinue?: () => Promise<boolean>;
  /** Options of the user that the chain of the warm-up also uses. */
  readonly options?: Partial<Pick<NodeOptions, 'hardfork' | 'fieldNames'>>;
  /** The compat mode of the node (default: service). */
  readonly compat?: CompatChoice;
}

/** More rounds gain little and use more memory. */
const ROUNDS = 8;

/**
 * Makes the first calls of a typical client on a separate chain of this process. V8 then compiles the code
 * for the code cache, and learns the types. Resolves to false if it ended early; rejects if a call fails.
 */
export async function warmUp({
  rounds = ROUNDS,
  mayContinue = async () => true,
  options,
  compat = 'service',
}: WarmUpOptions = {}): Promise<boolean> {
  const settings = { ...settleLocalOptions({}), ...options };
  const [clock, timers, random] = [systemClock, systemTimers, systemRandom];
  const node = await createNode(chainOptionsOf(settings, await devAccountsOf(settings, keyName)), {
    ...{ clock, timers, random },
    ownAddresses: () => [],
    newestRecords: NEWEST_RECORDS,
    onMiningError: fail,
    onEngineDifference: fail,
  });
  const serviceOptions = { ...rpcOptionsOf(settings), compat };
  const service = createRpcServiceFactory(serviceOptions, random, { clock, timers })(node, null);
  const connection = new MemoryConnection(service, node.peers, timers);
  let isStopped = false;
  const stop = new Error('the warm-up ends early');
  const ask: Ask = async (method, ...params) => {
    isStopped ||= !(await mayContinue());
    if (isStopped) throw stop;
    return connection.request(method, params);
  };
  try {
    for (let round = 0; round < rounds; round++) await makeFirstCalls(ask);
    return true;
  } catch (error) {
    if (error !== stop) throw error;
    return false;
  } finally {
    connection.close();
    await node.chain.close();
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
  async mayContinue(): Promise<boolean> {
    await nextIteration();
    while (this.#calls !== this.#seen && this.#isWanted) {
      this.#seen = this.#calls;
      await this.#pause();
    }
    return this.#isWanted;
  }

  get #isWanted(): boolean {
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

/** Time limit of a warm-up in milliseconds, if users call often. */
const LONGEST = 2_000;

/** The warm-up of a node that has started. It runs while the node is idle. */
class NodeWarmUp implements RunningWarmUp {
  readonly #timers: Timers;
  readonly #ending = new AbortController();
  readonly #idleTime: IdleTime;
  #ended: Promise<void> | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#idleTime = new IdleTime(timers, this.#ending.signal);
  }

  onCall(): void {
    this.#idleTime.onCall();
  }

  /** Starts the warm-up. Ignores errors, because users get the same error from their own call. */
  begin({ hardfork, fieldNames }: NodeOptions, compat: CompatChoice, onEnd: () => void): void {
    const limit = this.#timers.after(LONGEST, () => this.#ending.abort());
    const mayContinue = (): Promise<boolean> => this.#idleTime.mayContinue();
    this.#ended = warmUp({ mayContinue, options: { hardfork, fieldNames }, compat })
      .catch(() => undefined)
      .then(() => {
        limit.cancel();
        onEnd();
      });
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}

/** Without a warm-up, the node counts as settled after this time. */
class NoWarmUp implements RunningWarmUp {
  readonly #limit: Timer;

  constructor(timers: Timers, onEnd: () => void) {
    this.#limit = timers.after(LONGEST, onEnd);
  }

  onCall(): void {
    // Nothing pauses.
  }

  async end(): Promise<void> {
    this.#limit.cancel();
  }
}

/**
 * Starts the warm-up of a node with its hardfork and compat mode. Skips hosted nodes, whose start time does
 * not matter, and other engines.
 */
export const startWarmUp: ProcessStart['warmUp'] = (options, compat, timers, onEnd) => {
  const { engine, shadow, hosted } = options;
  if (!isEnabled('warm-up') || engine !== 'wasm' || shadow || hosted) return new NoWarmUp(timers, onEnd);
  const warmUp = new NodeWarmUp(timers);
  warmUp.begin(options, compat, onEnd);
  return warmUp;
};
