// Dumps a chain as bytes. Loaded with the first dump.

import type { ChainCore } from '../../chain/chain-core.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { PrunedForkError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import { JsonWriter } from '../../json/json-writer.ts';
import { joinInSteps } from '../../primitives/steps.ts';
import { neverCancelled } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { anvilStateJson, jsonBytes, withCarriedDump } from '../anvil/write-anvil-state.ts';
import { ignoreProgress, type OnProgress } from './dump-bytes.ts';
import { type DumpLayout, unchangedMarks } from './dump-layout.ts';
import { type DumpTarget, PieceWriter } from './piece-writer.ts';
import { compress, PIECE_SIZE } from './pieces.ts';
import { StateWriter } from './state-json.ts';
import { type DumpSource, type LineTarget, writeDump, writePreamble } from './write-dump.ts';

export interface DumpOptions {
  /** True to compress with gzip, false for lines of text. */
  readonly isCompressed: boolean;
  /** True to include the wallet. Keys are in plain text, or in the keystore of their passphrase. */
  readonly withKeys: boolean;
  /** Bytes of text in a piece, except for the last one (default: {@link PIECE_SIZE}). */
  readonly pieceSize?: number;
  readonly onProgress?: OnProgress;
  /** Called while the dump is written. It can throw to abort. */
  readonly requireClient?: () => void;
}

/** The parts of a chain that a dump contains. */
export interface DumpedChain {
  readonly core: ChainCore;
  readonly snapshots: Snapshots;
  /** `null` for a chain with its own genesis. */
  readonly fork: Fork | null;
}

/**
 * Writes a dump to a target. It copies the unchanged beginning of the `earlier` dump in the same file. Rejects with
 * a {@link PrunedForkError} for a fork whose first blocks are pruned.
 */
export async function writeDumpTo(
  target: DumpTarget,
  { core, snapshots, fork }: DumpedChain,
  options: DumpOptions,
  earlier: DumpLayout | null = null,
): Promise<Omit<DumpLayout, 'changed'>> {
  const { isCompressed, withKeys, onProgress = ignoreProgress, requireClient } = options;
  const { options: heading, blockchain, wallet } = core;
  const keys = withKeys ? wallet.storedKeys() : [];
  const record = fork?.record(heading) ?? null;
  if (record !== null && blockchain.isPruned(blockchain.first - 1)) throw new PrunedForkError();
  const image = snapshots.image();
  const parentForms = core.parentChain?.forms ?? null;
  const source = { heading, fork: record, blockchain, image, keys, parentForms };
  const slice = new TimeSlice(neverCancelled, undefined, core.yielder);
  const pieces = new PieceWriter(target, { pieceSize: PIECE_SIZE, ...options }, slice);
  // The responses of a complete fork change often, and can be long.
  const isShort = record?.answers === undefined || record.answers === null;
  const preamble = isShort ? await preambleText(source, slice) : null;
  const marks = [...unchangedMarks(earlier, { isCompressed, preamble, blockchain })];
  const kept = marks.at(-1);
  const states = new StateWriter(earlier?.codes.slice(0, kept?.codes ?? 0));
  const lines: LineTarget = {
    line: pieces.line,
    end: async (block) => {
      requireClient?.();
      const codes = states.written.size;
      await pieces.endLine((end) => {
        if (block !== null) marks.push({ block, end, codes });
      });
    },
  };
  if (kept !== undefined) await pieces.keep(kept.end);
  else await writePreamble(source, lines, slice);
  const below = kept?.block ?? null;
  await writeDump(source, states, below, lines, onProgress, slice);
  const size = await pieces.finish();
  return { isCompressed, size, preamble, first: blockchain.first, marks, codes: [...states.written] };
}

async function preambleText(source: DumpSource, slice: TimeSlice): Promise<string> {
  const parts: Uint8Array[] = [];
  const line = new JsonWriter(2 ** 12, (part) => parts.push(part));
  await writePreamble(source, { line, end: async () => line.text('\n') }, slice);
  line.flush();
  return Buffer.concat(parts).toString();
}

/** See `ChainDump.write`. */
export async function dumpBytes(chain: DumpedChain, options: DumpOptions): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const target: DumpTarget = {
    keep: () => Promise.reject(new TypeError('there is no earlier dump')),
    append: async (bytes) => void parts.push(bytes),
  };
  await writeDumpTo(target, chain, options);
  return runTask(joinInSteps(parts), new TimeSlice(neverCancelled, undefined, chain.core.yielder));
}

/** See `ChainDump.writeForAnvil`. */
export async function anvilDumpBytes(chain: DumpedChain, options: DumpOptions): Promise<Uint8Array> {
  const own = await dumpBytes(chain, { ...options, isCompressed: true, withKeys: false });
  const state = await anvilStateJson(chain.core.blockchain, chain.fork !== null);
  const bytes = await runTask(jsonBytes(await withCarriedDump(state, own)), new TimeSlice());
  return options.isCompressed ? compress(bytes) : bytes;
}
