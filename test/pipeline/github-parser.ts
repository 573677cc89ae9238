import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The used functions of GitHub's parsers for workflows and actions. */
export interface GitHubParser {
  /** Returns the faults of a workflow as text. */
  workflow(content: string): string[];
  /** Returns the faults of an `action.yml` as text. */
  action(content: string): string[];
}

const ENTRY = `
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/index';
const check = (parse) => (content) =>
  parse({ name: 'file.yml', content }, new NoOperationTraceWriter()).context.errors.getErrors().map(({ message }) => message);
export const workflow = check(parseWorkflow);
export const action = check(parseAction);`;

/** Loads the parsers. They are bundled first, because Node rejects their JSON imports. */
export async function loadGitHubParser(): Promise<GitHubParser> {
  const folder = await mkdtemp(join(tmpdir(), 'node-cli-parser-'));
  const outfile = join(folder, 'parser.mjs');
  try {
    const resolveDir = fileURLToPath(new URL('../..', import.meta.url));
    await build({
      stdin: { contents: ENTRY, resolveDir },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
