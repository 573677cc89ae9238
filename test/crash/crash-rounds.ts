import { Dice } from '../fuzz/engines/dice.ts';
import { Acknowledged } from './acknowledged.ts';
import { AnsweredError, type MortalNode, startMortalNode } from './node-under-load.ts';

/** The settings of a series of crashes. */
export interface CrashOptions {
  /** The script that starts the node. */
  readonly executable: string;
  /** An empty directory for the chain. */
  readonly directory: string;
  readonly rounds: number;
  /** Determines the time of each crash and the requests before it. */
  readonly seed: number;
  /** Called after each round. */
  readonly onRound?: (round: number, acknowledged: number) => void;
}

const WORKERS = 4;
const MAX_ANSWERS = 40;
const RECIPIENT = '0x00000000000000000000000000000000000c4a54';
const FAR_NONCE = 1_000_000;

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`expected a text, got ${JSON.stringify(value)}`);
}

/** Sends a request that changes the chain, and records the reply. */
async function changeSomething(
  node: MortalNode,
  sender: string,
  dice: Dice,
  acknowledged: Acknowledged,
): Promise<void> {
  const kind = dice.below(12);
  const round = acknowledged.count;
  if (kind === 0) {
    const nonce = `0x${(FAR_NONCE + round + dice.below(1_000_000_000)).toString(16)}`;
    const sent = { from: sender, to: RECIPIENT, nonce, gas: '0x5208' };
    acknowledged.waiting.push(text(await node.call('eth_sendTransaction', sent)));
  } else if (kind === 1) {
    const address = `0x${dice
      .below(2 ** 31)
      .toString(16)
      .padStart(40, 'b')}`;
    const balance = `0x${(1 + dice.below(2 ** 31)).toString(16)}`;
    await node.call('hardhat_setBalance', address, balance);
    acknowledged.balances.set(address, balance);
  } else if (kind === 2) {
    acknowledged.snapshots.push(text(await node.call('evm_snapshot')));
  } else if (kind === 3) {
    acknowledged.seconds = Math.max(acknowledged.seconds, Number(await node.call('evm_increaseTime', 5)));
  } else if (kind === 4) {
    acknowledged.height = Math.max(acknowledged.height, Number(await node.call('eth_blockNumber')));
  } else {
    const sent = { from: sender, to: RECIPIENT, value: '0x1', gas: '0x5208' };
    acknowledged.mined.push(text(await node.call('eth_sendTransaction', sent)));
  }
}

/** Sends requests until the process has ended. An error reply is a fault; the end of the process is not. */
async function work(action: () => Promise<void>, isKilled: () => boolean): Promise<void> {
  while (!isKilled()) {
    try {
      await action();
    } catch (error) {
      if (error instanceof AnsweredError || !isKilled()) throw error;
    }
  }
}

/** Faults of the chain as messages: a wrong parent hash or a transaction counted twice. */
async function faultsOf(node: MortalNode, from: number): Promise<string[]> {
  const head = Number(await node.call('eth_blockNumber'));
  const faults: string[] = [];
  let below: unknown = null;
  let sent = 0;
  for (let number = Math.max(0, from - 1); number <= head; number++) {
    const block = await node.call('eth_getBlockByNumber', `0x${number.toString(16)}`, true);
    if (typeof block !== 'object' || block === null || !('parentHash' in block && 'hash' in block)) {
      return [`block ${number} is missing`];
    }
    if (below !== null && block.parentHash !== below) faults.push(`block ${number} is not on the one below`);
    below = block.hash;
    if (number >= from && 'transactions' in block && Array.isArray(block.transactions))
      sent += block.transactions.length;
  }
  const tag = (number: number): string => `0x${number.toString(16)}`;
  const before = from === 0 ? 0n : BigInt(text(await node.call('eth_getBalance', RECIPIENT, tag(from - 1))));
  const received = BigInt(text(await node.call('eth_getBalance', RECIPIENT, tag(head)))) - before;
  if (received !== BigInt(sent)) faults.push(`${sent} transfers from block ${from} on moved ${received} wei`);
  return faults;
}

/**
 * Kills a node repeatedly under load, and restarts it on the same directory. The seed determines the number
 * of replies before each crash. Returns the faults of the first round that has any.
 */
export async function crashAgainAndAgain(options: CrashOptions): Promise<string[]> {
  const { executable, directory, rounds, seed, onRound } = options;
  const dice = new Dice(seed);
  const acknowledged = new Acknowledged();
  let checkedMined = 0;
  let checkedBlocks = 0;
  let node = await startMortalNode(executable, directory);
  for (let round = 1; round <= rounds; round++) {
    const current = node;
    const end = acknowledged.count + 1 + dice.below(MAX_ANSWERS);
    const accounts = await current.call('eth_accounts');
    if (!Array.isArray(accounts)) throw new TypeError('no accounts');
    let killed: Promise<void> | undefined;
    const workers = accounts.slice(0, WORKERS).map((account) =>
      work(
        async () => {
          await changeSomething(current, text(account), dice, acknowledged);
          if (acknowledged.count >= end) killed ??= current.kill();
        },
        () => killed !== undefined,
      ),
    );
    await Promise.all(workers);
    await killed;
    node = await startMortalNode(executable, directory);
    // The last round checks the changes of all rounds again.
    const missing = await acknowledged.missingFrom(node, round === rounds ? 0 : checkedMined);
    const faults = await faultsOf(node, round === rounds ? 0 : checkedBlocks);
    if (missing.length + faults.length > 0) {
      await node.kill();
      return [...missing, ...faults].map((fault) => `round ${round}: ${fault}`);
    }
    checkedMined = acknowledged.mined.length;
    checkedBlocks = Number(await node.call('eth_blockNumber'));
    onRound?.(round, acknowledged.count);
  }
  await node.kill();
  return [];
}
