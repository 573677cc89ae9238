import { resultAt } from '../support/json-rpc.ts';
import { beginPeriod } from './base-life.ts';
import type { Sample } from './curve.ts';
import { clientOf, liveOnLane, type OldFilter } from './lane-life.ts';
import { type SoakScripts, startSoakedNode } from './soaked-node.ts';

/** Options of a soak. */
export interface SoakOptions {
  readonly scripts: SoakScripts;
  /** Milliseconds from the first to the last measurement. */
  readonly duration: number;
  readonly samples: number;
  /** Random choices of the requests. */
  readonly seed: number;
  /** Called for each measurement. */
  readonly onSample?: (sample: Sample) => void;
}

/** Number of concurrent lanes. */
const WORKERS = 4;

/** Idle lanes and their filters time out, but not while they are in use. */
const OPTIONS = ['--lanes', '--lane-timeout', '90', '--filter-timeout', '90', '--lane-limit', '10000'];

/** Ends all remaining lanes, because live lanes would count in the curve. */
async function dropAll(url: string): Promise<void> {
  const lanes = (await resultAt(url, 'lane_list')) as readonly { readonly key: string }[];
  for (const { key } of lanes) await resultAt(url, 'lane_drop', [key]);
}

/**
 * Creates and ends lanes on a node for some time, with the usual requests of tests. Measures the memory after
 * each round without lanes, first after a warm-up round. Rejects if a reply is wrong or the node fails.
 */
export async function soak({ scripts, duration, samples, seed, onSample }: SoakOptions): Promise<Sample[]> {
  const node = await startSoakedNode(scripts, OPTIONS);
  const curve: Sample[] = [];
  const oldFilters: OldFilter[] = [];
  let lanes = 0;

  async function rounds(until: number): Promise<void> {
    do {
      const period = await beginPeriod(clientOf(node.url, null), seed + lanes);
      const keys = Array.from({ length: WORKERS }, () => `lane-${++lanes}`);
      for (const key of keys) await period.openLane(key);
      if (period.endsEarly) await period.end();
      const first = lanes;
      await Promise.all(
        keys.map((key, index) => liveOnLane({ url: node.url, key, seed: seed + first + index, oldFilters })),
      );
      if (!period.endsEarly) await period.end();
    } while (performance.now() < until);
  }

  try {
    await rounds(performance.now());
    const start = performance.now();
    for (let index = 0; index < samples; index++) {
      await rounds(start + (duration * index) / Math.max(1, samples - 1));
      await dropAll(node.url);
      const memory = await node.measure();
      const sample = { at: performance.now() - start, lanes, ...memory };
      curve.push(sample);
      onSample?.(sample);
    }
  } catch (error) {
    node.kill();
    throw error;
  }
  await node.stop();
  return curve;
}
