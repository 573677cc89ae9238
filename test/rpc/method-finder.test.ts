import { describe, expect, it } from 'vitest';
import type { Method } from '../../src/rpc/method.ts';
import { MethodFinder } from '../../src/rpc/method-finder.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { USUAL_METHODS } from '../../src/rpc/usual-methods.ts';

/** A finder with the loads of the method table. */
function createFinder(load = async (): Promise<readonly Method[]> => METHODS): {
  finder: MethodFinder;
  loads: () => number;
} {
  let loads = 0;
  const finder = new MethodFinder(() => {
    loads++;
    return load();
  });
  return { finder, loads: () => loads };
}

describe('method finder', () => {
  it('the usual methods are part of the method table', () => {
    expect(METHODS).toEqual(expect.arrayContaining([...USUAL_METHODS]));
  });

  it('finds usual methods and their aliases without the method table', () => {
    const { finder, loads } = createFinder();
    for (const method of USUAL_METHODS)
      for (const name of [method.name, ...method.aliases]) expect(finder.find(name)).toBe(method);
    expect(loads()).toBe(0);
  });

  it('loads the method table once, for the first unusual name', async () => {
    const { finder, loads } = createFinder();
    const found = [finder.find('debug_traceCall'), finder.find('trace_call')];
    expect((await Promise.all(found)).map((method) => method?.name)).toEqual([
      'debug_traceCall',
      'trace_call',
    ]);
    expect(finder.find('debug_traceCall')).toMatchObject({ name: 'debug_traceCall' });
    expect(loads()).toBe(1);
  });

  it('returns undefined for an unknown name, and has all names then', async () => {
    const { finder } = createFinder();
    expect(await finder.find('eth_unknown')).toBeUndefined();
    expect(finder.find('eth_unknown')).toBeUndefined();
    expect(finder.registry.methods).toEqual(METHODS);
  });

  it('keeps the order of calls while the method table is loaded', async () => {
    const { finder } = createFinder();
    const order: string[] = [];
    const names = ['tenderly_setBalance', 'eth_getBalance', 'net_version'];
    await Promise.all(names.map(async (name) => order.push((await finder.find(name))?.name ?? '')));
    expect(order).toEqual(names);
  });

  it('loads the method table again after a failure', async () => {
    const answers = [Promise.reject(new Error('the file is missing')), Promise.resolve(METHODS)];
    const { finder, loads } = createFinder(async () => (await answers.shift()) ?? []);
    await expect(finder.find('debug_traceCall')).rejects.toThrow('the file is missing');
    expect(finder.find('eth_chainId')).toMatchObject({ name: 'eth_chainId' });
    expect(await finder.find('debug_traceCall')).toMatchObject({ name: 'debug_traceCall' });
    expect(loads()).toBe(2);
  });
});
