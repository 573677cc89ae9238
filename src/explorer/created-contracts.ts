/** The contracts that transactions of the chain created. */

import { type BusyBlock, newestBlocks, transactionsOf } from './busy-blocks.ts';
import { contractsAt, meantContract } from './contract-facts.ts';

/** A contract, and the block that it was created in. */
export interface CreatedContract {
  readonly address: string;
  readonly block: number;
  /** `null` for one that nothing describes. */
  readonly name: string | null;
}

export interface CreatedContracts {
  /** The newest first. */
  readonly contracts: readonly CreatedContract[];
  /** The oldest block that was looked through; `null` for none. */
  readonly first: number | null;
  readonly hasOlder: boolean;
}

/** Transactions that are asked for at once, and blocks. */
const PAGE = 250;
const AT_ONCE = 20;
/** Contracts whose names are asked for. */
const MOST_NAMED = 200;

/** Reads the newest blocks; what it has read of one it keeps, so that the next time only new ones are asked for. */
export class CreatedReader {
  readonly #addresses = new Map<string, readonly string[]>();
  readonly #names = new Map<string, string | null>();

  /** Resolves to the contracts that the newest `count` blocks with transactions created, up to the block `last`. Rejects as the node does. */
  async read(count: number, last: number | null): Promise<CreatedContracts> {
    const { blocks, hasOlder } = await newestBlocks(count, last);
    const missing = blocks.filter(({ hash }) => !this.#addresses.has(hash));
    for (let first = 0; first < missing.length; first += AT_ONCE)
      await Promise.all(missing.slice(first, first + AT_ONCE).map((block) => this.#readBlock(block)));
    const found = blocks
      .toReversed()
      .flatMap(({ hash, number }) =>
        (this.#addresses.get(hash) ?? []).map((address) => ({ address, block: number })),
      );
    const unnamed = found
      .slice(0, MOST_NAMED)
      .filter(({ address }) => typeof this.#names.get(address) !== 'string');
    for (let first = 0; first < unnamed.length; first += AT_ONCE) {
      await Promise.all(
        unnamed.slice(first, first + AT_ONCE).map(async ({ address }) => {
          this.#names.set(address, meantContract(await contractsAt(address))?.name ?? null);
        }),
      );
    }
    return {
      contracts: found.map((each) => ({ ...each, name: this.#names.get(each.address) ?? null })),
      first: blocks[0]?.number ?? null,
      hasOlder,
    };
  }

  async #readBlock(block: BusyBlock): Promise<void> {
    const addresses: string[] = [];
    for (let page = 0; page * PAGE < block.transactions; page++) {
      const found = await transactionsOf(block, page, PAGE);
      if (found === null) return;
      const created = found.receipts
        .filter(({ status }) => status !== '0x0')
        .flatMap(({ contractAddress }) => (contractAddress === null ? [] : [contractAddress]));
      addresses.push(...created.reverse());
    }
    this.#addresses.set(block.hash, addresses);
  }
}
