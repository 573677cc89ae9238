/** The measures of all transactions that run on a node and its lanes, for reports at its end; transactions of removed blocks count too. */

import { NotMeasuredError } from '../inspect/errors.ts';
import type { GasMeter } from './gas/gas-meter.ts';
import type { MeasuredChain, Meter } from './meter.ts';
import type { ProfileMeter } from './profile/profile-meter.ts';

/** The measures that a node can have; absent ones cost nothing. */
export interface Meters {
  readonly gas?: GasMeter | null;
  readonly profile?: ProfileMeter | null;
}

/**
 * The measures of a node. The composition root makes them once, and has them follow the base chain and each lane from its
 * beginning. A measure belongs to no chain: a revert, a reset or the end of a lane takes nothing away from it.
 */
export class Measurements {
  /** Measures gas by contract and function; `null` where that was not asked for. */
  readonly gas: GasMeter | null;
  /** Measures gas by call path and source line; `null` where that was not asked for. */
  readonly profile: ProfileMeter | null;
  readonly #meters: readonly Meter[];

  constructor({ gas = null, profile = null }: Meters = {}) {
    this.gas = gas;
    this.profile = profile;
    this.#meters = [gas, profile].filter((meter) => meter !== null);
  }

  /**
   * Resolves to the measures that are asked for; the code of the others is not loaded. `onError` is called with a bug that ended
   * their work in the background.
   */
  static async load(
    asked: Readonly<Record<keyof Meters, boolean>>,
    onError: (error: unknown) => void,
  ): Promise<Measurements> {
    const { gas, profile } = asked;
    return new Measurements({
      gas: gas ? new (await import('./gas/gas-meter.ts')).GasMeter(onError) : null,
      profile: profile ? new (await import('./profile/profile-meter.ts')).ProfileMeter(onError) : null,
    });
  }

  /** Returns the measure of gas. Throws {@link NotMeasuredError} where there is none. */
  requireGas(): GasMeter {
    if (this.gas === null) throw new NotMeasuredError('gas', 'gas-report', 'gasReport');
    return this.gas;
  }

  /** Returns the profile. Throws {@link NotMeasuredError} where there is none. */
  requireProfile(): ProfileMeter {
    if (this.profile === null) throw new NotMeasuredError('gas by call path', 'profile', 'profile');
    return this.profile;
  }

  /** True where the chains are to keep the frames of what they run, see `ExecutionResult.frames`. */
  get needsFrames(): boolean {
    return this.#meters.some((meter) => meter.needsFrames);
  }

  /** Called when a lane is renamed: its transactions are reported under the new name. */
  rename(from: string, to: string): void {
    for (const meter of this.#meters) meter.onRename(from, to);
  }

  /** Measures the transactions of the chain from now on. */
  follow(on: MeasuredChain): void {
    const meters = this.#meters;
    if (meters.length === 0) return;
    on.chain.events.on('block', (block, results) => {
      // Blocks that were loaded did not run here.
      if (results === null || results.length === 0) return;
      for (const meter of meters) meter.onBlock(block, results, on);
    });
  }
}
