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

/** Returns the flags of a process, and the actions that wait for a time. */
function flagsWith(given = '', heapSize = () => 0) {
  const waiting: (() => void)[] = [];
  const later = (action: () => void) => {
    waiting.push(action);
    return { unref: () => undefined };
  };
  return { flags: new ServingFlags({ given, heapSize, later }), waiting };
}

it.runIf(isEnabled('small-heap'))('a serving node limits its new space until its heap is large', () => {
  let size = 0;
  const { flags, waiting } = flagsWith(`${USER_FLAGS.optimization} ${USER_FLAGS.loops}`, () => size);
  expect(hasDefaultFlags()).toBe(true);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  waiting.shift()?.();
  expect(hasDefaultFlags()).toBe(false);
  size = 40 * 2 ** 20;
  waiting.shift()?.();
  expect(hasDefaultFlags()).toBe(true);
  expect(waiting).toEqual([]);
});

it.runIf(isOptimizedEarly)('a serving node optimizes functions early', () => {
  const { flags, waiting } = flagsWith(`${USER_FLAGS.heap} ${USER_FLAGS.loops}`);
  flags.begin();
  expect(hasDefaultFlags()).toBe(false);
  expect(waiting).toEqual([]);
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
