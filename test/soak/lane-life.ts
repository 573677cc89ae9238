import { WebSocket } from 'ws';
import { Dice } from '../fuzz/engines/dice.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { answerAt } from '../support/json-rpc.ts';
import { readings } from './reading.ts';

/** Calls a method; rejects if the result is an error. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Returns the calls of a client of the lane, or of the base chain for `null`. */
export function clientOf(url: string, key: string | null): Ask {
  return async (method, ...params) => {
    const { result, error } = await answerAt(key === null ? url : `${url}/${key}`, method, params);
    if (error !== undefined) throw new Error(`${method} on ${key ?? 'the base'}: ${JSON.stringify(error)}`);
    return result;
  };
}

/** Life of one lane in a soak: created, used like tests use it, and ended in one of several ways. */
export interface LaneLifeOptions {
  /** The URL of the node. */
  readonly url: string;
  /** The path of the lane. */
  readonly key: string;
  /** Random choices of the lane's actions. */
  readonly seed: number;
  /** Filters of ended lanes, as paths and ids. Some are requested again; the filter of this lane is added. */
  readonly oldFilters: OldFilter[];
}

/** A filter whose lane may have ended. */
export interface OldFilter {
  readonly key: string;
  readonly id: unknown;
}

/** Maximum number of remembered filters. */
const MAX_OLD_FILTERS = 200;
/** A contract that stores the first word of its calldata and emits it as a log. */
const CREATION = '0x600c600c600039600c6000f35f355f55595f5fa05b0000';

/**
 * Opens a WebSocket on the lane, subscribes, mines a block, and disconnects with or without a close frame.
 */
async function watch(url: string, isPolite: boolean): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  const received = new Promise<void>((resolve) => {
    let count = 0;
    socket.on('message', () => {
      count++;
      // The replies to both calls, and the head.
      if (count === 3) resolve();
    });
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'evm_mine', params: [] }));
  await received;
  if (isPolite) socket.close();
  else socket.terminate();
  await closed;
}

/** Sends requests that the node rejects. */
async function misbehave(url: string, dice: Dice): Promise<void> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const kind = dice.below(3);
  if (kind === 0) headers['content-type'] = 'text/plain';
  if (kind === 1) headers.origin = `https://${dice.below(2 ** 31)}.example`;
  const response = await fetch(url, { method: 'POST', headers, body: kind === 2 ? '{' : '{}' });
  await response.text();
}

/** Runs the life of one lane. Rejects if a reply of the node is wrong. */
export async function liveOnLane({ url, key, seed, oldFilters }: LaneLifeOptions): Promise<void> {
  const dice = new Dice(seed);
  const lane = `${url}/${key}`;
  const ask = clientOf(url, key);
  const send = (transaction: object): Promise<unknown> =>
    ask('eth_sendTransaction', { from: FIRST_ACCOUNT, gas: '0x30d40', ...transaction });

  const id = await ask(dice.below(2) === 0 ? 'eth_newBlockFilter' : 'eth_newPendingTransactionFilter');
  const receipt = await ask('eth_getTransactionReceipt', await send({ data: CREATION }));
  const { contractAddress } = receipt as { readonly contractAddress: string };
  const chain = { ask, sender: FIRST_ACCOUNT, contract: contractAddress };
  const actions: readonly (() => Promise<unknown>)[] = [
    ...readings(dice, chain),
    () => send({ to: FIRST_ACCOUNT, value: '0x1' }),
    () =>
      send({
        to: contractAddress,
        data: `0x${dice
          .below(2 ** 31)
          .toString(16)
          .padStart(64, '0')}`,
      }),
    () => ask('eth_newFilter', { fromBlock: 'earliest' }),
    () => ask('eth_getLogs', { fromBlock: 'earliest' }),
    // On a busy machine, the filter or the whole lane may have timed out in the meantime.
    () => answerAt(lane, 'eth_getFilterChanges', [id]),
    () => ask('evm_increaseTime', dice.below(1_000)),
    () => ask('hardhat_mine', `0x${(1 + dice.below(300)).toString(16)}`),
    () =>
      ask(
        'anvil_setBalance',
        `0x${dice
          .below(2 ** 31)
          .toString(16)
          .padStart(40, '0')}`,
        '0x1',
      ),
    () => ask('eth_call', { to: FIRST_ACCOUNT, data: `0x${'ab'.repeat(dice.below(1_000))}` }, 'latest'),
    async () => ask('evm_revert', await ask('evm_snapshot')),
    async () => ask('debug_traceTransaction', await send({ to: contractAddress })),
    async () => {
      await ask('evm_setAutomine', false);
      await send({ to: FIRST_ACCOUNT, value: '0x2' });
      await ask('evm_setAutomine', true);
    },
    () => watch(lane, dice.below(2) === 0),
    async () => {
      const fork = await ask('lane_create', { from: { lane: key } });
      if (typeof fork !== 'string') throw new TypeError('lane_create returned no key');
      const askFork = clientOf(url, fork);
      for (const one of [askFork, ask])
        await one('eth_sendTransaction', { from: FIRST_ACCOUNT, to: contractAddress, gas: '0x30d40' });
      for (const read of readings(dice, { ...chain, ask: askFork }).slice(dice.below(30), 30)) await read();
      if (dice.below(3) > 0) await askFork('lane_drop');
    },
    async () => {
      await ask('lane_label', { name: `test ${dice.below(100)}`, outcome: 'passed' });
    },
    () => ask('anvil_reorg', 1, []),
    () => answerAt(lane, 'eth_sendTransaction', [{ from: FIRST_ACCOUNT, data: '0xfe', gas: '0x30d40' }]),
    () => misbehave(lane, dice),
    () => answerAt(lane, `no_method_${dice.below(2 ** 31)}`),
    async () => {
      const old = oldFilters[dice.below(oldFilters.length)];
      if (old !== undefined) await answerAt(`${url}/${old.key}`, 'eth_getFilterChanges', [old.id]);
    },
  ];
  for (let count = 10 + dice.below(30); count > 0; count--) await actions[dice.below(actions.length)]?.();
  oldFilters.push({ key, id });
  if (oldFilters.length > MAX_OLD_FILTERS) oldFilters.shift();
  if (dice.below(3) === 0) await ask('lane_reset');
  // Other lanes time out or end with the round.
  if (dice.below(3) > 0) await ask('lane_drop');
}
