import { expect, it } from 'vitest';
import { Hashrates } from '../../../src/chain/mining/mining-work.ts';
import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const miner = (number: number) => bigIntToFixedBytes(BigInt(number), 32);

it('the total hashrate adds the latest report of each miner', () => {
  const hashrates = new Hashrates(createManualClock());
  expect(hashrates.total()).toBe(0n);
  hashrates.report(miner(1), 100n);
  hashrates.report(miner(2), 20n);
  hashrates.report(miner(1), 3n);
  expect(hashrates.total()).toBe(23n);
});

it('a hashrate expires ten seconds after its last report', () => {
  const clock = createManualClock();
  const hashrates = new Hashrates(clock);
  hashrates.report(miner(1), 100n);
  clock.advance(6_000);
  hashrates.report(miner(2), 20n);
  hashrates.report(miner(3), 4n);
  clock.advance(3_999);
  expect(hashrates.total()).toBe(124n);
  hashrates.report(miner(2), 20n);
  clock.advance(1);
  expect(hashrates.total()).toBe(24n);
  clock.advance(6_000);
  expect(hashrates.total()).toBe(20n);
  clock.advance(4_000);
  expect(hashrates.total()).toBe(0n);
});

it('the oldest reports are evicted above ten thousand miners', () => {
  const hashrates = new Hashrates(createManualClock());
  for (let number = 0; number < 10_005; number++) hashrates.report(miner(number), 1n);
  expect(hashrates.total()).toBe(10_000n);
});
