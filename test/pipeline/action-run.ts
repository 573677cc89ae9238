import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';
import { z } from 'zod';

const words = z.record(z.string(), z.string());

const action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({
    steps: z.array(
      z.object({
        name: z.string(),
        id: z.string().optional(),
        if: z.string().optional(),
        uses: z.string().optional(),
        with: words.default({}),
        env: words.default({}),
        run: z.string().optional(),
      }),
    ),
  }),
});

/** A pipeline job: the shared state of its steps. */
export interface Job {
  /** `RUNNER_TEMP`, an empty folder. */
  readonly folder: string;
  /** Base folder of the user's relative paths. */
  readonly cwd: string;
  /** The environment of the next step. Steps add variables. */
  environment: Record<string, string>;
}

/** The outcome of an action. */
export interface ActionResult {
  /** False if a step failed; the steps after it did not run. */
  readonly succeeded: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  /** Third-party actions that it uses, in order, with their inputs. They are not run. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
  /** The output of its scripts. */
  readonly printed: string;
}

type Contexts = Readonly<Record<string, unknown>>;

/** Returns a value as GitHub's evaluator represents it. */
function dataOf(value: unknown): data.ExpressionData {
  if (typeof value !== 'object' || value === null) return new data.StringData(String(value ?? ''));
  const pairs = Object.entries(value).map(([key, one]) => ({ key, value: dataOf(one) }));
  return new data.Dictionary(...pairs);
}

function evaluated(expression: string, contexts: Contexts): data.ExpressionData {
  const { tokens } = new Lexer(expression).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), []).parse();
  const all = dataOf(contexts);
  if (!(all instanceof data.Dictionary)) throw new TypeError('contexts are a dictionary');
  return new Evaluator(parsed, all).evaluate();
}

/** Returns a text with evaluated expressions. */
function filledIn(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression) =>
    evaluated(expression, contexts).coerceString(),
  );
}

/** Parses the lines that a script wrote with `echo name=value >> file`. */
function assignments(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/**
 * Runs the scripts of a composite action in the job like a GitHub runner, with GitHub's expression evaluator
 * and bash. Third-party actions are recorded, but not run.
 */
export async function runAction(
  path: string,
  inputs: Readonly<Record<string, string>>,
  job: Job,
): Promise<ActionResult> {
  const described = action.parse(parse(readFileSync(path, 'utf8')));
  const unknown = Object.keys(inputs).filter((name) => !(name in described.inputs));
  if (unknown.length > 0) throw new Error(`${path} has no input ${unknown.join(', ')}`);
  const defaults = Object.fromEntries(
    Object.entries(described.inputs).map(([name, one]) => [name, one.default]),
  );
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const contexts = {
    inputs: { ...defaults, ...inputs },
    github: { action_path: dirname(path), run_id: '7', run_attempt: '1' },
    runner: { temp: job.folder },
    steps,
  };
  const used: { uses: string; with: Record<string, string> }[] = [];
  const filled = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filledIn(text, contexts)]));
  let printed = '';
  let succeeded = true;
  for (const step of described.runs.steps) {
    if (step.if !== undefined && evaluated(step.if, contexts).coerceString() !== 'true') continue;
    if (step.uses !== undefined) used.push({ uses: step.uses, with: filled(step.with) });
    if (step.run === undefined) continue;
    const files = { GITHUB_OUTPUT: '', GITHUB_ENV: '', GITHUB_PATH: '', GITHUB_STEP_SUMMARY: '' };
    for (const name of ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'] as const) {
      files[name] = join(job.folder, name);
      writeFileSync(files[name], '', { flag: name === 'GITHUB_STEP_SUMMARY' ? 'a' : 'w' });
    }
    const script = join(job.folder, 'script.sh');
    writeFileSync(script, step.run);
    const env = { ...job.environment, ...files, RUNNER_TEMP: job.folder, ...filled(step.env) };
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], { cwd: job.cwd, env });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    const [code] = await once(child, 'close');
    if (code !== 0) {
      succeeded = false;
      break;
    }
    if (step.id !== undefined) steps[step.id] = { outputs: assignments(files.GITHUB_OUTPUT) };
    const paths = readFileSync(files.GITHUB_PATH, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const { PATH = '' } = job.environment;
    job.environment = {
      ...job.environment,
      ...assignments(files.GITHUB_ENV),
      PATH: [...paths, PATH].join(delimiter),
    };
  }
  const outputs = succeeded
    ? Object.fromEntries(
        Object.entries(described.outputs).map(([name, { value }]) => [name, filledIn(value, contexts)]),
      )
    : {};
  return { succeeded, outputs, used, printed };
}
