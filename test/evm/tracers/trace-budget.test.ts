import { describe, expect, it } from 'vitest';
import { TraceTooLargeError } from '../../../src/evm/errors.ts';
import { PrestateTracer } from '../../../src/evm/tracers/prestate-tracer.ts';
import { StructLogger } from '../../../src/evm/tracers/struct-logger.ts';
import type { TraceSubject } from '../../../src/evm/tracers/tracer.ts';
import { TraceBudget } from '../../../src/evm/tracers/tracer.ts';
import { CONTRACT, code } from '../../reference/scene.ts';
import { setTraceScene } from './trace-scene.ts';

describe('TraceBudget', () => {
  it('throws TraceTooLargeError above its limit', () => {
    const budget = new TraceBudget(10);
    budget.spend(4);
    budget.spend(6);
    expect(() => budget.spend(1)).toThrow(TraceTooLargeError);
  });
});

describe('trace size limit', () => {
  it('a trace above the limit is rejected, and the next trace is not', async () => {
    const scene = await setTraceScene();
    const create = ({ budget }: TraceSubject): StructLogger =>
      new StructLogger({ memory: true, stack: false, storage: false, returnData: false, limit: 0 }, budget);
    // An endless loop with one megabyte of memory: 2.2 million characters for each step.
    scene.state.setCode(CONTRACT, code('6001 620f ffff 53 5b 6007 56'));
    await expect(scene.trace(create, { gasLimit: 5_000_000n })).rejects.toThrow(TraceTooLargeError);
    scene.state.setCode(CONTRACT, code('00'));
    expect((await scene.trace(create)).trace).toMatchObject({ failed: false });
  });

  it.each([
    ['accounts', '5a 31'],
    ['slots', '5a 54'],
  ])('a trace that touches too many %s without a result is rejected', async (_what, reading) => {
    const scene = await setTraceScene();
    const options = { diffMode: true, disableCode: false, disableStorage: false };
    const create = (subject: TraceSubject): PrestateTracer =>
      new PrestateTracer({ ...subject, budget: new TraceBudget(100_000) }, options);
    // Reads a new account or slot (GAS) in each round, endlessly or ten times.
    scene.state.setCode(CONTRACT, code(`5b ${reading} 50 5f 56`));
    await expect(scene.trace(create, { gasLimit: 5_000_000n })).rejects.toThrow(TraceTooLargeError);
    scene.state.setCode(CONTRACT, code(`${`${reading} 50`.repeat(10)} 00`));
    expect((await scene.trace(create)).result.outcome).toBe('success');
  });
});
