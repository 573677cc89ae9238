/** The meters of all transactions of a node and its lanes. Transactions of removed blocks count too. */

import { NotMeasuredError } from '../inspect/errors.ts';
import type { GasMeter } from './gas/gas-meter.ts';
import type { MeasuredChain, Meter } from './meter.ts';
import type { ProfileMeter } from './profile/profile-meter.ts';

/** The meters of a node. An absent meter costs nothing. */
export interface Meters {
  readonly gas?: GasMeter | null;
  readonly profile?: ProfileMeter | null;
}

/**
 * The meters of a node. The composition root creates them once and attaches them to the base chain and to
 * each new lane. They are independent of chains: a revert, a reset or the end of a lane keeps all
 * measurements.
 */
export class Measurements {
  /** Measures gas by contract and function; `null` unless requested. */
  readonly gas: GasMeter | null;
  /** Measures gas by call path and source line; `null` unless requested. */
  readonly profile: ProfileMeter | null;
  readonly #meters: readonly Meter[];

  constructor({ gas = null, profile = null }: Meters = {}) {
    this.gas = gas;
    this.profile = profile;
    this.#meters = [gas, profile].filter((meter) => meter !== null);
  }

  /** Resolves to the requested meters; loads only their code. `onError` receives bugs of background work. */
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

  /** Throws {@link NotMeasuredError} if gas is not measured. */
  requireGas(): GasMeter {
    if (this.gas === null) throw new NotMeasuredError('gas', 'gas-report', 'gasReport');
    return this.gas;
  }

  /** Throws {@link NotMeasuredError} if there is no profile. */
  requireProfile(): ProfileMeter {
    if (this.profile === null) throw new NotMeasuredError('gas by call path', 'profile', 'profile');
    return this.profile;
  }

  /** True if the chains must keep the frames of executions; see `ExecutionResult.frames`. */
  get needsFrames(): boolean {
    return this.#meters.some((meter) => meter.needsFrames);
  }

  /** Call after a lane is renamed. Its transactions are reported under the new name. */
  rename(from: string, to: string): void {
    for (const meter of this.#meters) meter.onRename(from, to);
  }

  /** Measures the transactions of a chain from now on. */
  follow(on: MeasuredChain): void {
    const meters = this.#meters;
    if (meters.length === 0) return;
    on.chain.events.on('block', (block, results) => {
      // Loaded blocks were not executed here.
      if (results === null || results.length === 0) return;
      for (const meter of meters) meter.onBlock(block, results, on);
    });
  }
}
