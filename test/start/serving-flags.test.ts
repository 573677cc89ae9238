import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { ServingFlags } from '../../src/start/serving-flags.ts';
import { isEnabled, TUNINGS, type TuningName } from '../../src/start/tunings.ts';

let files = 0;

/** True if V8 has its default flags: it rejects code of other flags. */
function hasDefaultFlags(): boolean {
  const script = new Script('1 + 1', { cachedData, filename: `file-${files++}` });
  return script.cachedDataRejected === false;
}

const cachedData = new Script('1 + 1').createCachedData();

/** The user's flags with the purposes of the tunings. */
const USER_FLAGS = {
  heap: '--max-semi-space-size=64',
  growth: '--heap-growing-percent=50',
  optimization: '--interrupt-budget=1000',
  loops: '--turbo-loop-rotation',
};

const isOptimizedEarly = isEnabled('early-optimization');
const arePlacedWell = isEnabled('loop-placement');

afterEach(() => {
  for (const [name, { flags }] of Object.entries(TUNINGS)) {
    if (!isEnabled(name as TuningName)) continue;
    for (const flag of flags) setFlagsFromString(flag.default);
  }
});

/** Sizes of a large heap and of a large new space, in bytes. */
const LARGE_HEAP = 40 * 2 ** 20;
const LARGE_NEW_SPACE = 16 * 2 ** 20;

/** Returns the flags of a process, the actions that wait for a time, and the checks after collections. */
function flagsWith(given = '', sizes = { heap: 0, newSpace: 0 }) {
  const waiting: (() => void)[] = [];
  const checks: (() => boolean)[] = [];
  const flags = new ServingFlags({
    given,
    heapSize: () => sizes.heap,
    newSpaceSize: () => sizes.newSpace,
    afterCollections: (check) => checks.push(check),
    later: (action) => {
      waiting.push(action);
      return { unref: () => undefined };
    },
  });
  return { flags, waiting, checks };
}

it.runIf(isEnabled('small-heap'))('a serving node limits its new space until its heap is large', () => {
  const sizes = { heap: 0, newSpace: 0 };
  const given = [USER_FLAGS.growth, USER_FLAGS.optimization, USER_FLAGS.loops].join(' ');
  const { flags, waiting } = flagsWith(given, sizes);
  expect(hasDefaultFlags()).toBe(true);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  waiting.shift()?.();
  expect(hasDefaultFlags()).toBe(false);
  sizes.heap = LARGE_HEAP;
  waiting.shift()?.();
  expect(hasDefaultFlags()).toBe(true);
  expect(waiting).toEqual([]);
});

it.runIf(isEnabled('large-heap'))('a large heap is collected when it has doubled', () => {
  const given = [USER_FLAGS.optimization, USER_FLAGS.loops].join(' ');
  const { flags, waiting } = flagsWith(given, { heap: LARGE_HEAP, newSpace: 0 });
  flags.begin();
  waiting.shift()?.();
  expect(hasDefaultFlags()).toBe(false);
  expect(waiting).toEqual([]);
});

it.runIf(isEnabled('large-new-space'))('a large heap limits its new space again at 16 MB', () => {
  const sizes = { heap: LARGE_HEAP, newSpace: LARGE_NEW_SPACE - 1 };
  const given = [USER_FLAGS.growth, USER_FLAGS.optimization, USER_FLAGS.loops].join(' ');
  const { flags, waiting, checks } = flagsWith(given, sizes);
  flags.begin();
  waiting.shift()?.();
  expect(checks.map((check) => check())).toEqual([false]);
  expect(hasDefaultFlags()).toBe(true);
  sizes.newSpace = LARGE_NEW_SPACE;
  expect(checks.map((check) => check())).toEqual([true]);
  expect(hasDefaultFlags()).toBe(false);
});

it.runIf(isOptimizedEarly)('a serving node optimizes functions early', () => {
  const { flags, waiting } = flagsWith(`${USER_FLAGS.heap} ${USER_FLAGS.loops}`);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  expect(waiting).toEqual([]);
});

it.runIf(isEnabled('late-optimization'))('a node optimizes late until it is busy', () => {
  const { flags } = flagsWith(`${USER_FLAGS.heap} ${USER_FLAGS.loops} --max-inlined-bytecode-size=460`);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  flags.optimizeEarly();
  expect(hasDefaultFlags()).toBe(true);
});

it.runIf(isEnabled('late-optimization'))('the limits of memory stay when a node is busy', () => {
  const { flags } = flagsWith(`${USER_FLAGS.optimization} ${USER_FLAGS.loops}`);
  flags.begin();
  flags.optimizeEarly();
  expect(hasDefaultFlags()).toBe(!isEnabled('small-heap'));
});

it.runIf(arePlacedWell)('a serving node does not rotate loops', () => {
  const { flags, waiting } = flagsWith(`${USER_FLAGS.heap} ${USER_FLAGS.optimization}`);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  expect(waiting).toEqual([]);
});

it('an action for the code cache runs with the default flags', () => {
  const { flags } = flagsWith();
  flags.begin();
  expect(flags.withDefaults(hasDefaultFlags)).toBe(true);
  expect(hasDefaultFlags()).toBe(!isEnabled('small-heap') && !isOptimizedEarly && !arePlacedWell);
});

it('the user can set the flags', () => {
  const { flags, waiting } = flagsWith(Object.values(USER_FLAGS).join(' '));
  flags.begin();
  expect(hasDefaultFlags()).toBe(true);
  expect(waiting).toEqual([]);
});

it('a tuning is switched off by its name, and for other Node versions', () => {
  const versions = { ...process.versions, node: '20.15.0' };
  expect(isEnabled('small-heap', { env: {}, versions })).toBe(true);
  expect(isEnabled('small-heap', { env: { NODECLI_TUNINGS_OFF: 'warm-up,small-heap' }, versions })).toBe(
    false,
  );
  expect(isEnabled('code-cache', { env: { NODECLI_TUNINGS_OFF: 'warm-up' }, versions })).toBe(true);
  expect(isEnabled('small-heap', { env: {}, versions: { ...versions, node: '27.0.0' } })).toBe(false);
});
