// Dumps a chain as bytes. Loaded with the first dump.

import type { ChainCore } from '../../chain/chain-core.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import { PrunedForkError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import { joinInSteps } from '../../primitives/steps.ts';
import { neverCancelled } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { anvilStateJson, jsonBytes, withCarriedDump } from '../anvil/write-anvil-state.ts';
import { compress, ignoreProgress, type OnProgress } from './dump-bytes.ts';
import { writeDump } from './write-dump.ts';

export interface DumpOptions {
  /** True to compress with gzip, false for lines of text. */
  readonly isCompressed: boolean;
  /** True to include the wallet. Keys are in plain text, or in the keystore of their passphrase. */
  readonly withKeys: boolean;
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

/** See `ChainDump.write`. Rejects with a {@link PrunedForkError} for a fork whose first blocks are pruned. */
export async function dumpBytes(
  { core, snapshots, fork }: DumpedChain,
  { isCompressed, withKeys, onProgress = ignoreProgress, requireClient }: DumpOptions,
): Promise<Uint8Array> {
  const { options, blockchain, wallet } = core;
  const keys = withKeys ? wallet.storedKeys() : [];
  const texts: Uint8Array[] = [];
  const record = fork?.record(options) ?? null;
  if (record !== null && blockchain.isPruned(blockchain.first - 1)) throw new PrunedForkError();
  const image = snapshots.image();
  const parentForms = core.parentChain?.forms ?? null;
  const source = { heading: options, fork: record, blockchain, image, keys, parentForms };
  const slice = new TimeSlice(neverCancelled, undefined, core.yielder);
  for await (const text of writeDump(source, onProgress, slice)) {
    requireClient?.();
    texts.push(Buffer.from(text));
  }
  const bytes = await runTask(joinInSteps(texts), slice);
  return isCompressed ? compress(bytes) : bytes;
}

/** See `ChainDump.writeForAnvil`. */
export async function anvilDumpBytes(chain: DumpedChain, options: DumpOptions): Promise<Uint8Array> {
  const own = await dumpBytes(chain, { ...options, isCompressed: true, withKeys: false });
  const state = await anvilStateJson(chain.core.blockchain, chain.fork !== null);
  const bytes = await runTask(jsonBytes(await withCarriedDump(state, own)), new TimeSlice());
  return options.isCompressed ? compress(bytes) : bytes;
}
