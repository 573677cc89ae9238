import { expect, it } from 'vitest';
import { lowerBackgroundThreads } from '../../src/start/background-threads.ts';
import { isEnabled } from '../../src/start/tunings.ts';

/** Lowers the threads of a process with the number 10. Returns the changed priorities by thread. */
function loweredOf(threads: readonly string[], own = 0, platform: NodeJS.Platform = 'linux') {
  const priorities = new Map<number, number>();
  lowerBackgroundThreads({
    platform,
    pid: 10,
    listThreads: () => threads,
    getPriority: () => own,
    setPriority(thread, priority) {
      if (thread === 13) throw new Error('ESRCH');
      priorities.set(thread, priority);
    },
  });
  return [...priorities];
}

it.runIf(isEnabled('background-threads'))(
  'threads beside the main thread get a lower priority, except threads that have ended',
  () => {
    expect(loweredOf(['10', '11', '12', '13', '14'])).toEqual([
      [11, 6],
      [12, 6],
      [14, 6],
    ]);
    expect(loweredOf(['10', '11'], 5)).toEqual([[11, 11]]);
  },
);

it.runIf(isEnabled('background-threads'))('a priority is at least the lowest one of the system', () => {
  expect(loweredOf(['10', '11'], 15)).toEqual([[11, 19]]);
});

it('threads keep their priority on other systems and in other namespaces', () => {
  expect(loweredOf(['10', '11'], 0, 'darwin')).toEqual([]);
  expect(loweredOf(['1', '2'])).toEqual([]);
});

it('a process that cannot list its threads keeps their priorities', () => {
  const listThreads = (): never => {
    throw new Error('EACCES');
  };
  const setPriority = (): never => expect.unreachable();
  expect(() => lowerBackgroundThreads({ platform: 'linux', listThreads, setPriority })).not.toThrow();
});
