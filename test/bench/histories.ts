// Compares the implementations of StateHistory: memory per block, and the time of typical reads.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CompactHistory } from '../../src/history/compact-history.ts';
import { FullHistory } from '../../src/history/full-history.ts';
import type { StateHistory } from '../../src/history/state-history.ts';
import { bigIntToBytes, bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { finish } from '../../src/primitives/steps.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';

const BLOCKS = 20_000;
const ACCOUNTS = 1_000;
const READS = 400;
const WALKED = 4_000;
const TOKEN = bigIntToFixedBytes(0x70n, 20);
const COINBASE = bigIntToFixedBytes(0xc0n, 20);

/** Seeded, so that all histories get the same blocks. */
function createRandom(): (end: number) => number {
  let seed = 1;
  return (end) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed % end;
  };
}

function accountAt(index: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(0x10000 + index), 20);
}

function memory(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function firstState(): WorldState {
  const overlay = new Overlay(WorldState.empty());
  for (let index = 0; index < ACCOUNTS; index++)
    overlay.setAccount(accountAt(index), { nonce: 0n, balance: 10n ** 21n });
  overlay.setCode(TOKEN, new Uint8Array(4_000).fill(1));
  return overlay.toWorldState();
}

/** Executes a transfer of ether, or of a token in every second block. */
function nextState(before: WorldState, block: number, random: (end: number) => number): WorldState {
  const overlay = new Overlay(before);
  const add = (address: Uint8Array, nonce: bigint, wei: bigint): void => {
    const account = overlay.account(address) ?? { nonce: 0n, balance: 0n };
    overlay.setAccount(address, { nonce: account.nonce + nonce, balance: account.balance + wei });
  };
  const [sender, recipient] = [random(ACCOUNTS), random(ACCOUNTS)];
  add(accountAt(sender), 1n, -21_000n);
  add(COINBASE, 0n, 21_000n);
  if (block % 2 === 0) add(accountAt(recipient), 0n, 1n);
  else
    for (const holder of [sender, recipient])
      overlay.setStorage(TOKEN, bigIntToFixedBytes(BigInt(holder), 32), bigIntToBytes(BigInt(block)));
  const state = overlay.toWorldState();
  void state.root;
  return state;
}

/** Returns the CPU time of each repetition in microseconds. */
function cpuOf(repetitions: number, work: (index: number) => void): number {
  const before = process.cpuUsage();
  for (let index = 0; index < repetitions; index++) work(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / repetitions;
}

function measure(name: string, history: StateHistory): void {
  const print = (row: string, value: number, unit: string): void => {
    process.stdout.write(`${name.padEnd(8)} ${row.padEnd(38)} ${value.toFixed(1).padStart(9)} ${unit}\n`);
  };
  const random = createRandom();
  let state = firstState();
  history.push(state);
  const before = memory();
  const perBlock = cpuOf(BLOCKS, (index) => {
    state = nextState(state, index + 1, random);
    history.push(state);
  });
  print('memory of a block', (memory() - before) / BLOCKS, 'B');
  print('execution and push of a block', perBlock, 'µs');
  const read = (block: number): void => void history.at(block).account(accountAt(random(ACCOUNTS)));
  print(
    'read of a random old state',
    cpuOf(READS, () => read(random(BLOCKS))),
    'µs',
  );
  print(
    'read of the next old state',
    cpuOf(READS, (index) => read(BLOCKS / 4 + index)),
    'µs',
  );
  const walk = history.walk();
  const perWalk = cpuOf(WALKED, (index) => {
    const block = BLOCKS / 2 + index;
    if (finish(walk.changes(block)) !== null) return;
    Array.from(history.at(block).differencesFrom(history.at(block - 1)));
  });
  print('changes of the next block', perWalk, 'µs');
}

measure('full', new FullHistory());
measure('compact', new CompactHistory());
