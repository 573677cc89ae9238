import { describeValue } from '../rpc/codecs/codec.ts';
import { InvalidParamsError } from '../rpc/errors.ts';
import type { ForkOptions, ListenOptions } from './local-node.ts';

/** What the value of an option must be: a test, and in words. */
type Demand = readonly [isMet: (value: unknown) => boolean, expected: string];

const LAST_PORT = 65_535;

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

const FORK_DEMANDS: Readonly<Record<keyof ForkOptions, Demand>> = {
  block: [
    (value) => Number.isSafeInteger(typeof value === 'bigint' ? Number(value) : value),
    'the number of a block',
  ],
};

const LISTEN_DEMANDS: Readonly<Record<keyof ListenOptions, Demand>> = {
  port: [(value) => isWhole(value, 0, LAST_PORT), `a whole number from 0 to ${LAST_PORT}`],
  host: [(value) => typeof value === 'string' && value !== '', 'a name or an address of this machine'],
  lanes: [(value) => typeof value === 'boolean', 'true or false'],
  laneLimit: [(value) => isWhole(value, 1), 'a whole number from 1 on'],
  laneTimeout: [
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    'a number of seconds, not negative',
  ],
};

/** Throws {@link InvalidParamsError} unless `options` has nothing but what is demanded; `undefined` is left out. */
function check(options: unknown, demands: Readonly<Record<string, Demand>>): void {
  const names = Object.keys(demands).join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InvalidParamsError('options', `an object with ${names}`, describeValue(options));
  for (const [name, value] of Object.entries(options)) {
    const demand = Object.hasOwn(demands, name) ? demands[name] : undefined;
    const [isMet, expected] = demand ?? [() => false, `only ${names}`];
    if (value !== undefined && !isMet(value))
      throw new InvalidParamsError(name, expected, describeValue(value));
  }
}

/** Checks options that no compiler may have seen. Throws {@link InvalidParamsError}. */
export function checkForkOptions(options: ForkOptions): void {
  check(options, FORK_DEMANDS);
}

/** Checks options that no compiler may have seen. Throws {@link InvalidParamsError}. */
export function checkListenOptions(options: ListenOptions): void {
  check(options, LISTEN_DEMANDS);
}
