import { expect, it } from 'vitest';
import { BusyWatch } from '../../src/start/busy-watch.ts';

/** A watch of a loop with a set share of active time, and the ends of its measurements. */
function watched() {
  const loop = { share: 0 };
  const measurements: { readonly end: () => void; readonly milliseconds: number }[] = [];
  const busy: string[] = [];
  const watch = new BusyWatch(() => busy.push('busy'), {
    utilization: () => ({ idle: 1 - loop.share, active: loop.share, utilization: loop.share }),
    later: (end, milliseconds) => {
      measurements.push({ end, milliseconds });
      return { unref: () => undefined };
    },
  });
  return { watch, loop, measurements, busy };
}

it('does not measure before the warm-up has ended', () => {
  const { watch, measurements } = watched();
  watch.onCall();
  expect(measurements).toEqual([]);
});

it('measures 100 ms after a call, and again only after another call', () => {
  const { watch, loop, measurements, busy } = watched();
  loop.share = 0.49;
  watch.begin();
  watch.onCall();
  watch.onCall();
  expect(measurements.map(({ milliseconds }) => milliseconds)).toEqual([100]);
  measurements[0]?.end();
  expect(measurements).toHaveLength(1);
  watch.onCall();
  expect(measurements).toHaveLength(2);
  expect(busy).toEqual([]);
});

it('reports once that the loop is active for half of the time', () => {
  const { watch, loop, measurements, busy } = watched();
  loop.share = 0.5;
  watch.begin();
  watch.onCall();
  measurements[0]?.end();
  watch.onCall();
  expect(measurements).toHaveLength(1);
  expect(busy).toEqual(['busy']);
});

it('measures the loop of the process by default', async () => {
  const isBusy = new Promise<void>((resolve) => {
    const watch = new BusyWatch(resolve, {
      later: (end) => {
        for (const start = performance.now(); performance.now() - start < 5; );
        return setImmediate(end);
      },
    });
    watch.begin();
    watch.onCall();
  });
  await isBusy;
});
