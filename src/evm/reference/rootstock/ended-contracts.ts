import type { BlockEnvironment } from '../../engine.ts';

/** The contracts that ended in each block, by its environment: they hold their addresses until the block ends. */
export class EndedContracts {
  readonly #byBlock = new WeakMap<BlockEnvironment, ReadonlySet<string>>();
  #inBlock: ReadonlySet<string> = new Set();

  /** Answers for this block from now on. */
  use(environment: BlockEnvironment): void {
    this.#inBlock = this.#byBlock.get(environment) ?? new Set();
  }

  /** True when a contract of that address (`0x` and 40 digits) ended in an earlier transaction of the block. */
  has(address: string): boolean {
    return this.#inBlock.has(address);
  }

  /** Keeps the addresses of contracts that a transaction of the block ended. */
  add(environment: BlockEnvironment, addresses: Iterable<string>): void {
    this.#byBlock.set(environment, new Set([...(this.#byBlock.get(environment) ?? []), ...addresses]));
  }
}
