// Every method that reads artifact folders returns for any file content.

import { cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { projectPath } from './artifact-reader.ts';

const TOOLS = [
  'hardhat-2/artifacts',
  'hardhat-3/artifacts',
  'foundry/out',
  'truffle/build',
  'ignition',
  'solc/0.8.37-ethdebug',
  'vyper/0.4.3',
] as const;
/** More than one read of a file. The file is sparse, so it uses no disk space. */
const HUGE = 64 * 1024 * 1024;

type Damage =
  | { readonly kind: 'cut'; readonly part: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'folder' | 'huge' | 'loop' | 'gone' }
  | { readonly kind: 'types'; readonly nth: number; readonly value: unknown };

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), part: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  fc.record({ kind: fc.constant('bytes' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  fc.record({ kind: fc.constantFrom('folder' as const, 'huge', 'loop', 'gone') }),
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('types' as const),
      nth: fc.nat({ max: 40 }),
      value: fc.oneof(
        fc.constantFrom(null, true, -1, 2 ** 53, '', '0x', 'x'.repeat(5000), [], {}, [[null]]),
        fc.jsonValue(),
      ),
    }),
  },
);

/** Replaces each `nth` member with the value, at any depth. */
function withWrongTypes(root: unknown, nth: number, value: unknown): unknown {
  let count = 0;
  const changed = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const entries = Object.entries(inner).map(([name, member]) => {
      count++;
      return [name, count % 41 === nth ? value : changed(member)] as const;
    });
    return Array.isArray(inner) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
  };
  return changed(root);
}

/** Parses JSON. Damaged JSON is returned as text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

async function damage(path: string, how: Damage): Promise<void> {
  const text = await readFile(path, 'utf8');
  switch (how.kind) {
    case 'cut':
      return truncate(path, Math.floor(text.length * how.part));
    case 'bytes':
      return writeFile(path, how.bytes);
    case 'types':
      return writeFile(path, JSON.stringify(withWrongTypes(parsed(text), how.nth, how.value)));
    case 'huge':
      return truncate(path, HUGE);
    default:
      await rm(path);
      if (how.kind === 'folder') await mkdir(path);
      if (how.kind === 'loop') await symlink(path, path);
  }
}

async function jsonFilesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

describe('inspect methods with damaged artifacts', () => {
  it.each(TOOLS)('return after any damage to the files of %s', async (tool) => {
    const choices = fc.array(fc.tuple(fc.nat(), damages), { minLength: 1, maxLength: 6 });
    const creation = '0x6005600c60003960056000f360006000fd';
    const isHarmless = fc.asyncProperty(choices, choices, async (before, during) => {
      const root = await temporaryDirectory();
      await cp(projectPath(tool), root, { recursive: true });
      await symlink(root, join(root, 'loop'));
      const files = await jsonFilesOf(root);
      const damageAll = async (list: typeof before): Promise<void> => {
        const all = new Map(list.map(([index, how]) => [files[index % files.length] ?? '', how]));
        // A deleted or replaced file cannot be damaged again.
        for (const [path, how] of all) if ((await jsonFilesOf(root)).includes(path)) await damage(path, how);
      };
      await damageAll(before);
      const node = await createNode({
        artifacts: [root],
        coverage: join(root, 'lcov.info'),
        gasReport: true,
      });
      const call = (method: string, ...params: unknown[]): Promise<unknown> =>
        node.request({ method, params });
      const ask = async (): Promise<void> => {
        const [from] = (await call('eth_accounts')) as string[];
        const hash = await call('eth_sendTransaction', { from, data: creation, gas: '0x186a0' });
        const { contractAddress: to } = (await call('eth_getTransactionReceipt', hash)) as Record<
          string,
          string
        >;
        await call('inspect_transaction', hash);
        await call('inspect_steps', hash, { variables: true });
        await call('inspect_call', { to, data: '0x12345678' }, 'latest');
        await call('inspect_contracts');
        await call('inspect_storage', to, 'latest');
        await call('inspect_source', to);
        await call('inspect_deployments');
        await call('inspect_gasReport');
        await call('inspect_coverage', 'lines');
      };
      const asking = ask();
      // Files change and disappear during the requests.
      await damageAll(during);
      await asking;
      await ask();
      await node.close();
    });
    await fc.assert(isHarmless, { numRuns: 2 });
  });
});
