// Expressions in code of each compiler of the fixtures.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Compiled, sceneOf } from './scene.ts';

function build(path: string, file: string): Compiled {
  const read = (name: string) =>
    JSON.parse(
      readFileSync(new URL(`../../../fixtures/projects/${path}/${name}.json`, import.meta.url), 'utf8'),
    );
  const input = read('input');
  const content: string = input.sources[file].content;
  return { input, output: read('output'), lines: content.split('\n'), file };
}

/** Resolves to the values of the expressions at the last statement of a line. */
async function valuesAt(
  compiledProject: Compiled,
  [name, creation, call, args]: readonly [string, readonly unknown[], string, readonly unknown[]],
  line: string,
  expressions: readonly string[],
): Promise<readonly unknown[]> {
  const scene = await sceneOf(compiledProject);
  const { address } = await scene.deploy(name, creation);
  const hash = await scene.invoke(name, address, call, args);
  const at = scene.lines.findIndex((text) => text.includes(line)) + 1;
  const steps = (await scene.statementsOf(hash)).filter(([, , file, of]) => file >= 0 && of === at);
  const step = steps.at(-1)?.[0] ?? 0;
  const values: unknown[] = [];
  for (const expression of expressions)
    values.push(
      await scene.evaluate(hash, step, expression).then(
        ({ value }) => value,
        (error: { data: { reason: string } }) => error.data.reason,
      ),
    );
  return values;
}

describe('expressions of solc', () => {
  it.each([
    ['0.4.22', '<not available: the compiler settings are unknown>'],
    ['0.4.26', '<not available: the compiler settings are unknown>'],
    ['0.5.17', null],
    ['0.6.12', '<not available: the build output has no syntax tree>'],
    ['0.7.6', '<not available: optimized>'],
    ['0.8.0', null],
  ])('are evaluated with %s', async (version, reason) => {
    const values = await valuesAt(
      build(`solc/${version}`, 'legacy/Legacy.sol'),
      ['LegacyBare', [7n, true], 'store', [9n]],
      'stored = value;',
      ['value * 2', 'stored', 'this.stored() + 1', 'msg.sig == this.store.selector'],
    );
    expect(values).toEqual([reason === null ? '18' : `value: ${reason}`, '7', '8', true]);
  });

  it.each(['0.8.37-via-ir', '0.8.37-ethdebug', '0.8.19-optimized'])(
    'have no value for local variables with %s',
    async (version) => {
      const project = build(`solc/${version}`, 'Checks.sol');
      const values = await valuesAt(project, ['Checks', [], 'notZero', [5n]], "require(value != 0, 'zero')", [
        'value',
        'msg.data.length',
      ]);
      expect(values).toEqual([expect.stringContaining('not available'), '36']);
    },
  );
});

describe('expressions of Vyper', () => {
  const expressions = ['self.total + 1', 'self.is_set', 'self', 'yes', 'total'];

  it('read state variables by self', async () => {
    const project = build('vyper/0.4.3', 'vyper-0.4/Odd.vy');
    const call = ['Odd', [8n, false], 'set_flag', [true]] as const;
    const values = await valuesAt(project, call, 'self.is_set = yes', expressions);
    expect(values.slice(0, 2)).toEqual(['9', false]);
    expect(values[2]).toMatch(/^0x/);
    expect(values.slice(3)).toEqual([expect.stringContaining('yes'), expect.stringContaining('total')]);
  });

  it('report a missing storage layout', async () => {
    const project = build('vyper/0.3.10', 'vyper-0.3/Odd.vy');
    const call = ['Odd', [8n, false], 'set_flag', [true]] as const;
    const [value] = await valuesAt(project, call, 'self.is_set = yes', expressions);
    expect(value).toBe('total: the build output has no storage layout of Odd');
  });
});
