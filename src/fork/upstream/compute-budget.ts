import type { WallClock } from '../../primitives/clock.ts';

/** What a method costs where providers count compute units; the others cost {@link USUAL_COST}. */
const COSTS: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_call: 26,
  eth_estimateGas: 87,
  eth_getLogs: 75,
  eth_getBlockReceipts: 500,
  eth_getProof: 21,
};

const USUAL_COST = 20;
const TRACE_COST = 309;

/** Compute units of a request, about as large providers count them. */
export function computeUnits(method: string): number {
  if (method.startsWith('debug_') || method.startsWith('trace_')) return TRACE_COST;
  return COSTS[method] ?? USUAL_COST;
}

/** How fast an upstream may be asked: as many compute units a second, and those of one second at once. */
export class ComputeBudget {
  readonly #perSecond: number;
  readonly #clock: WallClock;
  /** Milliseconds since 1970 at which all that was spent has come in again. */
  #paidAt = 0;

  constructor(perSecond: number, clock: WallClock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Spends that many units; gives the milliseconds to wait before they may be used. */
  spend(units: number): number {
    const now = this.#clock.now();
    const wait = Math.max(0, this.#paidAt - now - 1_000);
    this.#paidAt = Math.max(this.#paidAt, now) + (units / this.#perSecond) * 1_000;
    return wait;
  }
}
