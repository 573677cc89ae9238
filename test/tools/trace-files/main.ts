import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { ENTER, type TracedFunction, withEntryCalls } from './entry-calls.ts';
import type { traceRequests } from './requests.ts';
import { walkOf } from './walk.ts';

const USAGE = `Usage: npm run tool -- trace:files [--root <checkout>] [--modules-of <commit>] [--list]

Builds src so that each function reports its call. Prints the files, modules and functions of three requests:
a raw transfer, an eth_call with one SLOAD, and an eth_getStorageAt that a fork must fetch. Both nodes run in one process.

--root <checkout>        Trace the sources of another checkout with installed packages (default: this one)
--modules-of <commit>    Count moves between the modules that the files were in at that commit
--list                   Print the functions of each file as well`;

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '.' },
    'modules-of': { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Returns a function that names a file of src as it was named at the commit. */
function oldNames(root: string, commit: string): (file: string) => string {
  const changes = execFileSync(
    'git',
    ['-C', root, 'diff', '--name-status', '--find-renames=40%', '-l0', commit, '--', 'src'],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  const renamed = new Map<string, string>();
  for (const line of changes.split('\n')) {
    const [status = '', before, after] = line.split('\t');
    if (status.startsWith('R') && before !== undefined && after !== undefined) renamed.set(after, before);
  }
  return (file) => renamed.get(file) ?? file;
}

async function trace(root: string): Promise<ReadonlyMap<string, readonly TracedFunction[]>> {
  const functions: TracedFunction[] = [];
  const add = (traced: TracedFunction): number => functions.push(traced) - 1;
  const outfile = resolve(root, 'node_modules/.cache/node-cli/traced.mjs');
  await build({
    stdin: {
      contents: `export { createNode } from ${JSON.stringify(resolve(root, 'src/index.ts'))};
export { traceRequests } from ${JSON.stringify(resolve('test/tools/trace-files/requests.ts'))};`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'warning',
    banner: { js: `globalThis.${ENTER} ??= () => {};` },
    plugins: [
      {
        name: 'entry-calls',
        setup: ({ onLoad }) =>
          onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
            const file = relative(root, path).replaceAll('\\', '/');
            const source = await readFile(path, 'utf8');
            return {
              contents: /generated|assembly/.test(file) ? source : withEntryCalls(file, source, add),
              loader: 'ts',
            };
          }),
      },
    ],
  });
  let recorded: number[] | null = null;
  Object.assign(globalThis, { [ENTER]: (number: number) => recorded?.push(number) });
  const bundle: {
    readonly createNode: Parameters<typeof traceRequests>[0];
    readonly traceRequests: typeof traceRequests;
  } = await import(pathToFileURL(outfile).href);
  const traces = await bundle.traceRequests(bundle.createNode, () => {
    const numbers: number[] = [];
    recorded = numbers;
    return () => {
      recorded = null;
      return numbers;
    };
  });
  return new Map(
    Array.from(traces, ([name, numbers]) => [name, numbers.flatMap((number) => functions[number] ?? [])]),
  );
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else {
  const root = resolve(values.root);
  const commit = values['modules-of'];
  const oldNameOf = commit === undefined ? undefined : oldNames(root, commit);
  const traces = await trace(root);
  for (const [name, entered] of values.list ? traces : []) {
    process.stdout.write(`${name}\n`);
    for (const file of [...new Set(entered.map((traced) => traced.file))]) {
      const names = entered.filter((traced) => traced.file === file).map((traced) => traced.name);
      process.stdout.write(`  ${file}: ${[...new Set(names)].join(', ')}\n`);
    }
  }
  process.stdout.write(
    '| request | files | modules | functions | calls | moves |\n|---|---|---|---|---|---|\n',
  );
  for (const [name, entered] of traces) {
    const { files, modules, functions, entries, moves } = walkOf(entered, oldNameOf);
    process.stdout.write(`| ${name} | ${files} | ${modules} | ${functions} | ${entries} | ${moves} |\n`);
  }
}
