import { spawn } from 'node:child_process';

export interface ProgramRun {
  readonly directory: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Maximum milliseconds. A late program ends with its children. */
  readonly limit?: number;
}

/** The output of a program that has ended. */
export interface ProgramResult {
  /** null if a signal ended the program. */
  readonly code: number | null;
  /** stdout */
  readonly output: string;
  /** stderr */
  readonly complaints: string;
  readonly isLate: boolean;
}

/** Runs a program in its own process group, so that a late program ends with its children. */
export function runProgram(
  program: string,
  args: readonly string[],
  { directory, env = process.env, limit = Number.POSITIVE_INFINITY }: ProgramRun,
): Promise<ProgramResult> {
  const child = spawn(program, args, {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const printed = { output: '', complaints: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed.output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    printed.complaints += chunk;
  });
  let isLate = false;
  const timer = Number.isFinite(limit)
    ? setTimeout(() => {
        isLate = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, limit)
    : undefined;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...printed, isLate });
    });
  });
}

/** Runs a program that must succeed. Throws with its output if it fails. */
export async function runToSuccess(
  program: string,
  args: readonly string[],
  run: ProgramRun,
): Promise<string> {
  const { code, output, complaints } = await runProgram(program, args, run);
  if (code !== 0)
    throw new Error(`${[program, ...args].join(' ')} ended with ${code}: ${output}${complaints}`);
  return output;
}
