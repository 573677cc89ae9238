// The blocks of the parent chain in dumps and data directories. They are stored once, before the states that refer to them.

import type { ParentChainForms } from '../../chain/live-parent-chain.ts';
import type { ParentBlock } from '../../rootstock/parent-chain/parent-block.ts';
import type { ParentChainState } from '../../rootstock/parent-chain/parent-chain.ts';
import type { ParentChainJson } from '../../rootstock/parent-chain/parent-chain-json.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

/** The blocks that were written. The genesis block is never written. */
export class WrittenParentBlocks {
  readonly #written: WeakSet<ParentBlock>;

  constructor(written: Iterable<ParentBlock> = []) {
    this.#written = new WeakSet(written);
  }

  /** Returns the unwritten blocks up to a block, lowest first, and marks them as written. */
  take(tip: ParentBlock): ParentBlock[] {
    const missing: ParentBlock[] = [];
    let block = tip;
    while (block.parent !== null && !this.#written.has(block)) {
      this.#written.add(block);
      missing.push(block);
      block = block.parent;
    }
    return missing.reverse();
  }
}

/** The bytes of the position of a block's parent in its header. */
const PARENT_HASH = { start: 4, end: 36 };

/** The blocks that were read, by hash. Each block must follow its parent. */
export class StoredParentBlocks {
  readonly #forms: ParentChainForms;
  readonly #byHash: Map<string, ParentBlock>;

  constructor(forms: ParentChainForms) {
    this.#forms = forms;
    this.#byHash = new Map([[forms.genesis.hash, forms.genesis]]);
  }

  /** The blocks, without the genesis block. */
  get blocks(): ParentBlock[] {
    return Array.from(this.#byHash.values()).filter(({ parent }) => parent !== null);
  }

  /** Throws an error if the bytes are not a block, or if its parent was not added before. */
  add(bytes: Uint8Array): void {
    const parentHash = Buffer.from(bytes.slice(PARENT_HASH.start, PARENT_HASH.end).reverse()).toString('hex');
    const parent = this.#byHash.get(parentHash);
    if (parent === undefined) throw new RangeError(`the parent ${parentHash} is unknown`);
    const block = this.#forms.blockFromBytes(parent, bytes);
    this.#byHash.set(block.hash, block);
  }

  /** Reads the state of a parent chain; `null` if it is absent. Throws an `InvalidDumpError`. */
  state(value: StrictValue): ParentChainState | null {
    if (value.isNothing) return null;
    const tip = this.#byHash.get(value.field('tip').text());
    if (tip === undefined) throw value.field('tip').fault('the hash of an earlier block of the parent chain');
    try {
      return this.#forms.fromJson(tip, value.json as ParentChainJson);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw value.problem(`invalid state of the parent chain: ${reason}`);
    }
  }
}
