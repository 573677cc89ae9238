import { describe, expect, it } from 'vitest';
import { MachinePool } from '../../../src/evm/interpreter/execution-driver.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';

function poolOfCancun(): MachinePool {
  return new MachinePool({
    ruleSet: ruleSetNamed('cancun'),
    limits: { code: 24_576, initcode: 49_152 },
    precompiles: new Map(),
    memoryBound: 2 ** 28,
  });
}

describe('MachinePool', () => {
  it('returns the machine that was last used for the state', () => {
    const pool = poolOfCancun();
    const [one, other] = [{}, {}];
    const machines = [pool.take(one), pool.take(other)] as const;
    pool.giveBack(machines[0], one);
    pool.giveBack(machines[1], other);
    expect(pool.take(one)).toBe(machines[0]);
    expect(pool.take(other)).toBe(machines[1]);
  });

  it('keeps two machines after five were used at the same time', () => {
    const pool = poolOfCancun();
    const stamps = Array.from({ length: 5 }, () => ({}));
    const machines = stamps.map((stamp) => pool.take(stamp));
    for (const [index, machine] of machines.entries()) pool.giveBack(machine, stamps[index] ?? {});
    const kept = stamps.map((stamp) => pool.take(stamp)).filter((machine) => machines.includes(machine));
    expect(new Set(kept)).toEqual(new Set(machines.slice(-2)));
  });
});
