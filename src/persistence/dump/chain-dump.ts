import { type ChainCore, runtimeState } from '../../chain/chain-core.ts';
import type { Snapshots } from '../../chain/snapshots/snapshots.ts';
import type { ForkHandle } from '../../fork/fork-handle.ts';
import { hexKey } from '../../primitives/hex.ts';
import { UnpackingBudget } from './dump-bytes.ts';
import type { DumpedChain, DumpOptions } from './dump-chain.ts';
import type { DumpFile } from './dump-file.ts';
import type { DumpLayout } from './dump-layout.ts';
import type { LoadOptions } from './load-dump.ts';
import type { DumpTarget } from './piece-writer.ts';

/** Identifies the state of a chain, to check later whether anything has changed. */
export type ChainMark = readonly unknown[];

/**
 * Returns the mark of the present chain. Parts of a chain are replaced, not mutated. Therefore the mark
 * consists of references, and its cost does not depend on the size of the chain.
 */
function markOf(core: ChainCore, snapshots: Snapshots): ChainMark {
  const { blockchain, pool, wallet } = core;
  return [
    hexKey(blockchain.head.block.hash),
    blockchain.head.state.stamp,
    pool.version,
    ...Object.values(runtimeState(core)),
    snapshots.lastNumber,
    wallet.version,
    ...snapshots.kept,
  ];
}

/** True if both marks have equal content, as far as dumps contain it. */
export function isSameMark(left: ChainMark, right: ChainMark): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

/** Dumps a chain, and replaces it with a dumped one. The code is loaded with the first dump. */
export class ChainDump {
  readonly #core: ChainCore;
  readonly #snapshots: Snapshots;
  readonly #fork: ForkHandle;

  constructor(core: ChainCore, snapshots: Snapshots, fork: ForkHandle) {
    this.#core = core;
    this.#snapshots = snapshots;
    this.#fork = fork;
  }

  /** Dumps the chain with its history, pool, settings and snapshots (see `DUMP_FORMAT`). */
  write(options: DumpOptions): Promise<Uint8Array> {
    return this.#core.changes.run(async () => {
      const { dumpBytes } = await import('./dump-chain.ts');
      return dumpBytes(this.#dumped(), options);
    });
  }

  /**
   * Like {@link write}, to a file. Copies the unchanged beginning of the `earlier` dump in this file. Resolves to
   * the layout for the next dump.
   */
  writeTo(target: DumpTarget, options: DumpOptions, earlier: DumpLayout | null): Promise<DumpLayout> {
    return this.#core.changes.run(async () => {
      const { writeDumpTo } = await import('./dump-chain.ts');
      const layout = await writeDumpTo(target, this.#dumped(), options, earlier);
      return { ...layout, changed: this.#core.blockchain.watchChanges() };
    });
  }

  /** Returns a mark of the present chain, to check later whether a dump would differ. */
  mark(): ChainMark {
    const fork = this.#fork.current;
    const fetched = fork?.options.dumpsFetched === true ? fork.upstream.answers.version : null;
    return [...markOf(this.#core, this.#snapshots), fork, fetched];
  }

  /**
   * Dumps the chain as an Anvil state file, without keys. Anvil loads the parts that it supports. This node
   * restores the whole chain from it, unless the file was edited. A fork of another block loads the changed
   * accounts.
   */
  writeForAnvil(options: DumpOptions): Promise<Uint8Array> {
    return this.#core.changes.run(async () => {
      const { anvilDumpBytes } = await import('./dump-chain.ts');
      return anvilDumpBytes(this.#dumped(), options);
    });
  }

  /**
   * Replaces the chain with a dumped one, compressed or not. An Anvil state file is merged instead: its
   * accounts are written to the state at the head. Its blocks replace the chain's if the rule set has their
   * form. Filters and subscriptions see a reorganization. Rejects with an `InvalidDumpError` or a
   * `DumpVersionError` for invalid bytes or above the budget; the chain then stays unchanged.
   */
  async load(
    bytes: Uint8Array,
    budget = new UnpackingBudget(),
    options: Pick<LoadOptions, 'call' | 'requireClient'> = {},
  ): Promise<void> {
    return budget.use(async (dump) => {
      const { openDump } = await import('./dump-file.ts');
      await this.loadFile(await openDump(bytes, dump), options);
    });
  }

  /** Like {@link load}, for an opened file. Resolves to its layout, for the next dump to this file. */
  async loadFile(file: DumpFile, options: LoadOptions = {}): Promise<DumpLayout | null> {
    const { DumpLoader } = await import('./load-dump.ts');
    return new DumpLoader(this.#core, this.#snapshots, this.#fork).load(file, options);
  }

  #dumped(): DumpedChain {
    return { core: this.#core, snapshots: this.#snapshots, fork: this.#fork.current };
  }
}
