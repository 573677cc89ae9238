// Reads everything that a node reads of artifacts, and checks the bounds of the results.

import { ArtifactBoundError } from '../../../src/artifacts/artifact-bound.ts';
import { Artifacts } from '../../../src/artifacts/artifacts.ts';
import {
  LayoutBoundError,
  LayoutNodes,
  MAX_LAYOUT_NODES,
} from '../../../src/artifacts/layout/layout-bound.ts';
import { layoutOf } from '../../../src/artifacts/layout/layout-of.ts';
import type { StorageLayout, StorageVariable } from '../../../src/artifacts/layout/storage-type.ts';
import { type KnownContract, KnownContracts } from '../../../src/inspect/known-contracts.ts';
import { guessKeys, LikelyKeys } from '../../../src/inspect/storage/key-guesses.ts';
import { Preimages } from '../../../src/inspect/storage/preimages.ts';
import { rootsOf, SlotFinder } from '../../../src/inspect/storage/slot-finder.ts';
import { type StorageNode, StorageTree } from '../../../src/inspect/storage/storage-tree.ts';
import { declaredVariables } from '../../../src/inspect/variables/declared-variables.ts';
import { pointedBytes } from '../../../src/inspect/variables/program-pointer.ts';
import { scopedFunctions } from '../../../src/inspect/variables/scoped-variables.ts';
import { bigIntToFixedBytes, concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { outlineItems } from '../../../src/reports/coverage/outline-items.ts';
import { syntaxItems } from '../../../src/reports/coverage/syntax-items.ts';
import { vyperItems } from '../../../src/reports/coverage/vyper-items.ts';
import { neverCancelled } from '../../../src/scheduling/cancel-check.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { TimeSlice } from '../../../src/scheduling/time-slice.ts';
import { TypedDataError } from '../../../src/wallet/errors.ts';
import { typedDataHash } from '../../../src/wallet/typed-data.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { Dice } from '../engines/dice.ts';
import { pointer, randomCompilation, randomTypedData } from './random-artifact.ts';

/** Slots that are looked for in each layout. */
const SLOTS = 8;
/** The maximum number of reads of slots for one tree of variables. */
const MAX_READS = 200_000;
/** The maximum number of places in a slot, of nodes in a tree of variables, and of characters of the answer. */
const MAX_PLACES = 64;
const MAX_TREE_NODES = 2_100;
const MAX_CHARACTERS = 16 * 1024 * 1024;
const WORD = 32;

/** A result exceeds a bound. */
class BoundExceededError extends Error {}

function check(name: string, value: number, most: number): void {
  if (value > most) throw new BoundExceededError(`${name}: ${value}, more than ${most}`);
}

function countNodes(nodes: readonly StorageNode[]): number {
  let count = 0;
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    count++;
    for (const inner of node.items ?? []) open.push(inner);
  }
  return count;
}

/** A storage with small numbers, long texts and hashes in its slots. */
function storageOf(dice: Dice): (slot: bigint) => Uint8Array {
  let reads = 0;
  return () => {
    check('reads of slots', ++reads, MAX_READS);
    return bigIntToFixedBytes(dice.word(), WORD);
  };
}

async function readVariables(dice: Dice, variables: readonly StorageVariable[]): Promise<void> {
  check('nodes of a layout', new LayoutNodes().ofVariables(variables), MAX_LAYOUT_NODES);
  const preimages = new Preimages();
  for (let count = dice.below(4); count > 0; count--)
    preimages.add(concatBytes(dice.bytes(WORD), bigIntToFixedBytes(BigInt(dice.below(8)), WORD)));
  const slots = Array.from({ length: SLOTS }, () => dice.word());
  const finder = new SlotFinder(variables, preimages);
  for (const slot of slots) check('places in a slot', finder.find(slot).length, MAX_PLACES);
  const keys = new LikelyKeys();
  keys.add(dice.bytes(WORD));
  await guessKeys(variables, slots, keys, preimages, neverCancelled);
  const tree = new StorageTree(variables, storageOf(dice), preimages, neverCancelled);
  const nodes = await tree.nodes({ variable: null, first: 0, count: 20 }, false);
  check('nodes of a storage', countNodes(nodes ?? []), MAX_TREE_NODES + variables.length);
  check(
    'characters',
    JSON.stringify(nodes, (_, value) => (typeof value === 'bigint' ? String(value) : value)).length,
    MAX_CHARACTERS,
  );
}

async function readLayout(dice: Dice, { match }: KnownContract): Promise<void> {
  let layout: StorageLayout | null;
  try {
    layout = await layoutOf(match);
  } catch (error) {
    if (error instanceof LayoutBoundError) return;
    throw error;
  }
  if (layout === null) return;
  await readVariables(dice, rootsOf(layout));
  await readVariables(dice, layout.transient);
}

function readAbi(dice: Dice, { table }: KnownContract): void {
  const data = (): Uint8Array =>
    concatBytes(...Array.from({ length: dice.below(12) }, () => bigIntToFixedBytes(dice.word(), WORD)));
  for (const selector of [...table.functions.keys(), ...table.errors.keys()]) {
    const call = concatBytes(fromHex(selector as `0x${string}`), data());
    table.call(call);
    table.error(call);
    table.result(call, data());
  }
  table.constructorArguments(data());
  for (const topic of table.events.keys()) {
    const topics = [
      fromHex(topic as `0x${string}`),
      ...Array.from({ length: dice.below(4) }, () => dice.bytes(WORD)),
    ];
    table.event({ topics, data: data() });
  }
}

async function readSources(contract: KnownContract): Promise<void> {
  const pieces = new TimeSlice();
  const sources = await contract.match.contract.sources();
  for (const [index, name] of sources?.names ?? []) {
    const file = await contract.file(index);
    const tree = (await sources?.ast(name)) ?? null;
    if (file === null) continue;
    await runTask(syntaxItems(tree, file.outline), pieces);
    await runTask(vyperItems(tree, name, file.outline.text), pieces);
    await runTask(outlineItems(file.outline.text, file.outline), pieces);
  }
  await declaredVariables(contract);
  await scopedFunctions(contract);
  for (let pc = 0; pc < 80; pc++) contract.map?.rangeAt(pc);
}

async function readCompilation(dice: Dice): Promise<void> {
  const { input, output, codes } = randomCompilation(dice);
  const artifacts = new Artifacts({ timers: createFakeTime(0).timers, onWarning: () => undefined });
  try {
    await artifacts.addCompilation(input, output);
  } catch (error) {
    if (!(error instanceof ArtifactBoundError)) throw error;
    if (!artifacts.isEmpty) throw new BoundExceededError('an artifact that was rejected is known');
    return;
  }
  const known = new KnownContracts(artifacts, () => 33);
  for (const code of codes) {
    for (const side of ['deployed', 'creation'] as const) {
      const contract = await known.of(side, code, null);
      if (contract === null) continue;
      await readLayout(dice, contract);
      readAbi(dice, contract);
      await readSources(contract);
    }
  }
  await artifacts.entries.find('f', 50, neverCancelled);
}

function readPointer(dice: Dice): void {
  const machine = {
    stackHeight: 4,
    item: () => dice.bytes(WORD),
    memory: (_: number, length: number) => new Uint8Array(Math.min(length, WORD)),
    slot: () => dice.bytes(WORD),
    input: dice.bytes(WORD),
  };
  const value = pointer(dice, 5);
  if (typeof value === 'object' && value !== null)
    pointedBytes(value as Readonly<Record<string, unknown>>, machine);
}

async function readTypedData(dice: Dice): Promise<void> {
  try {
    await typedDataHash(randomTypedData(dice));
  } catch (error) {
    if (!(error instanceof TypedDataError)) throw error;
  }
}

/** Plays the case of a seed. Resolves to the fault that it found; `null` for none. */
export async function playSeed(seed: number): Promise<string | null> {
  const dice = new Dice(seed);
  try {
    await readCompilation(dice);
    readPointer(dice);
    await readTypedData(dice);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
