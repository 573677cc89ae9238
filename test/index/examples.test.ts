import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';

/** The files whose functions must have an example in their documentation. */
const FILES = ['src/index.ts', 'src/library/local-node.ts'];

/** Each example in the documentation comments of a file, with the name of its function. */
function examplesIn(path: string): (readonly [name: string, code: string])[] {
  const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const comments = source.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*?@example(?:(?!\*\/)[\s\S])*)\*\/\s*(?:export async function )?(\w+)/g,
  );
  return Array.from(comments, ([, comment = '', name = '']) => {
    const [, code = ''] = comment.split('@example');
    return [name, code.replaceAll(/^\s*\* ?/gm, '')] as const;
  });
}

const EXAMPLES = FILES.flatMap(examplesIn);

it('each function of the library has an example', () => {
  expect(EXAMPLES.map(([name]) => name)).toEqual([
    'createNode',
    ...['revert', 'fork', 'release'],
    'close',
    ...['request', 'on', 'removeListener', 'fork', 'snapshot', 'listen', 'close'],
  ]);
});

it.each(EXAMPLES)('the example of %s runs', async (_, code) => {
  const node = await createNode();
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  await new AsyncFunction('node', 'createNode', 'console', `{${code}}`)(node, createNode, {
    log: () => undefined,
  });
  await node.close();
});
