import { describe, expect, it } from 'vitest';
import { ENTER, type TracedFunction, withEntryCalls } from './entry-calls.ts';
import { walkOf } from './walk.ts';

function traced(source: string): { readonly functions: readonly TracedFunction[]; readonly text: string } {
  const functions: TracedFunction[] = [];
  const text = withEntryCalls('src/chain/x.ts', source, (each) => functions.push(each) - 1);
  return { functions, text };
}

/** Runs the source with calls, and returns the names of the functions in the order of their calls. */
function calledBy(source: string): string[] {
  const { functions, text } = traced(source);
  const called: string[] = [];
  new Function(ENTER, text)((number: number) => called.push(functions[number]?.name ?? ''));
  return called;
}

describe('withEntryCalls', () => {
  it('reports each kind of function when it is called', () => {
    const source = `
class Base { constructor() { this.value = 1; } }
class Derived extends Base {
  constructor() { super(); }
  get doubled() { return 2 * this.value; }
  method() { return [1].map((x) => x + this.doubled); }
}
function* steps() { yield 1; }
const object = { run: () => ({ a: 1 }) };
[...steps()];
object.run();
new Derived().method();`;
    expect(calledBy(source)).toEqual([
      'steps:8',
      'run:9',
      'constructor:4',
      'constructor:2',
      'method:6',
      '(anonymous):6',
      'doubled:5',
    ]);
  });

  it('keeps the results of arrow functions', () => {
    const { text } = traced('return ((x) => (y) => ({ sum: x + y }))(1)(2);');
    expect(new Function(ENTER, text)(() => undefined)).toEqual({ sum: 3 });
  });
});

describe('walkOf', () => {
  const entered = [
    'src/rpc/a.ts',
    'src/chain/b.ts',
    'src/primitives/hex.ts',
    'src/chain/b.ts',
    'src/evm/c.ts',
  ].map((file) => ({ file, name: 'f:1' }));

  it('counts files, modules, functions, calls and moves without the base layer', () => {
    expect(walkOf(entered)).toEqual({ files: 4, modules: 4, functions: 4, entries: 5, moves: 2 });
  });

  it('counts moves between the modules of the old names', () => {
    const oldNameOf = (file: string): string => file.replace('/evm/', '/chain/');
    expect(walkOf(entered, oldNameOf).moves).toBe(1);
  });
});
