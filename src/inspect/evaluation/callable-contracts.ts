/** Finds the ABIs of contracts that an expression calls. */

import type { IndexedContract } from '../../artifacts/contract-index.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { ContractsAt } from '../deployed-contracts.ts';
import type { KnownContract, KnownContracts } from '../known-contracts.ts';
import type { CallableContract, CallableContracts } from './evaluation-site.ts';

/** Maximum contracts of one name to read. */
const MAX_NAMED = 8;

export class KnownCallableContracts implements CallableContracts {
  readonly #known: KnownContracts;
  readonly #running: KnownContract | null;
  readonly #contractsAt: (address: Uint8Array) => Promise<ContractsAt>;

  /** `running` is the contract whose code runs. */
  constructor(
    known: KnownContracts,
    running: KnownContract | null,
    state: WorldState,
    contractsAt: (state: WorldState, address: Uint8Array) => Promise<ContractsAt>,
  ) {
    this.#known = known;
    this.#running = running;
    this.#contractsAt = (address) => contractsAt(state, address);
  }

  async named(name: string): Promise<readonly CallableContract[]> {
    const ownFile = this.#running?.match.contract.file ?? null;
    const ownSource = this.#running?.match.artifact.sourceName ?? null;
    const rankOf = ({ file, sourceName }: IndexedContract): number =>
      (sourceName === ownSource ? 0 : 2) + (file === ownFile ? 0 : 1);
    const indexed = Array.from(this.#known.artifacts.contracts)
      .filter((each) => each.name === name)
      .sort((left, right) => rankOf(left) - rankOf(right))
      .slice(0, MAX_NAMED);
    const found: CallableContract[] = [];
    for (const each of indexed) {
      // A contract whose file was deleted is left out.
      const artifact = await each.load().catch(() => null);
      if (artifact !== null) found.push({ name, abi: artifact.abi });
    }
    return found;
  }

  async at(address: Uint8Array): Promise<readonly CallableContract[]> {
    const { contract, implementation } = await this.#contractsAt(address);
    return [implementation?.contract ?? null, contract].flatMap((each) =>
      each === null ? [] : { name: each.name, abi: each.match.artifact.abi },
    );
  }
}
