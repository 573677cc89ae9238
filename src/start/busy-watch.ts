import type { EventLoopUtilization } from 'node:perf_hooks';

/** Milliseconds of one measurement. */
const WINDOW = 100;

/** Minimum share of active time of a busy node. A suite of tests leaves a node idle for longer. */
const BUSY_SHARE = 0.5;

interface BusyHost {
  readonly later: (action: () => void, milliseconds: number) => { unref(): unknown };
  /** Returns the loop's utilization since another measurement. */
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
}

/** Looks whether clients keep the node busy. It measures only after a call, so that an idle process sleeps. */
export class BusyWatch {
  readonly #onBusy: () => void;
  readonly #host: BusyHost;
  #state: 'off' | 'on' | 'measuring' = 'off';

  /** `onBusy` is called once. */
  constructor(onBusy: () => void, host: Partial<BusyHost> = {}) {
    this.#onBusy = onBusy;
    const utilization: BusyHost['utilization'] = (since) => performance.eventLoopUtilization(since);
    this.#host = { later: setTimeout, utilization, ...host };
  }

  /** Starts to watch the calls. Earlier, the start and the warm-up use the processor. */
  begin(): void {
    this.#state = 'on';
  }

  /** Reports a call of a client. */
  onCall(): void {
    if (this.#state !== 'on') return;
    this.#state = 'measuring';
    const { later, utilization } = this.#host;
    const began = utilization();
    later(() => {
      const isBusy = utilization(began).utilization >= BUSY_SHARE;
      this.#state = isBusy ? 'off' : 'on';
      if (isBusy) this.#onBusy();
    }, WINDOW).unref();
  }
}
