import { expect, it } from 'vitest';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { finish } from '../../src/primitives/steps.ts';
import { syntaxItems } from '../../src/reports/coverage/syntax-items.ts';

it('the functions of a solc 0.4 syntax tree are read, although it marks only constructors', () => {
  const sources = ['function Old() public {}', 'function () public {}', 'function a() public {}'];
  const text = `contract Old {\n${sources.join('\n')}\n}\n`;
  const placeOf = (part: string): string => `${text.indexOf(part)}:${part.length}:0`;
  const functionOf = (source: string, name: string, isConstructor: boolean): object => ({
    nodeType: 'FunctionDefinition',
    name,
    isConstructor,
    src: placeOf(source),
    body: { nodeType: 'Block', src: `${text.indexOf(source) + source.length - 2}:2:0`, statements: [] },
  });
  const [first = '', second = '', third = ''] = sources;
  const nodes = [functionOf(first, '', true), functionOf(second, '', false), functionOf(third, 'a', false)];
  const contract = { nodeType: 'ContractDefinition', id: 1, name: 'Old', src: placeOf(text), nodes };
  const tree = { nodeType: 'SourceUnit', nodes: [contract] };
  const outline = finish(SourceOutline.read(text, null));
  const items = finish(syntaxItems(tree, outline));
  expect(items?.functions.map(({ name, kind, line }) => ({ name, kind, line }))).toEqual([
    { name: 'Old.constructor', kind: 'constructor', line: 2 },
    { name: 'Old.fallback', kind: 'fallback', line: 3 },
    { name: 'Old.a', kind: 'function', line: 4 },
  ]);
});
