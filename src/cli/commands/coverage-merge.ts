import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { printable, StartError } from '../../config/errors.ts';
import { makeDirectories, systemMessage, withoutByteOrderMark } from '../../primitives/file-system.ts';
import { finish } from '../../primitives/steps.ts';
import { coverageTable } from '../../reports/coverage/coverage-reports.ts';
import { LcovError, type LcovFile, lcovText, mergeLcov, parseLcov } from '../../reports/coverage/lcov.ts';
import { type Command, EXIT_CODES } from '../command.ts';
import type { Host } from '../host.ts';

async function readTracefile(path: string, { workingDirectory }: Host): Promise<LcovFile[]> {
  try {
    const bytes = withoutByteOrderMark(await readFile(resolve(workingDirectory, path)));
    return parseLcov(Buffer.from(bytes).toString());
  } catch (error) {
    const words = error instanceof LcovError ? error.message : systemMessage(error);
    throw new StartError(`cannot read coverage file ${printable(path)}: ${words}`);
  }
}

/** Sums tracefiles. Prints the sum, or with `--coverage` writes it to a file and prints a table. */
export const mergeCoverage: Command = async ({ operands, options }, host) => {
  const files: LcovFile[] = [];
  for (const path of operands) files.push(...(await readTracefile(path, host)));
  const merged = finish(mergeLcov(files));
  const text = finish(lcovText(merged));
  if (options.coverage === null) {
    await host.print(text);
    return EXIT_CODES.success;
  }
  const target = resolve(host.workingDirectory, options.coverage);
  try {
    makeDirectories(dirname(target));
    await writeFile(target, text);
  } catch (error) {
    throw new StartError(
      `--coverage: cannot write ${printable(options.coverage)}: ${systemMessage(error)}; pass a writable file`,
    );
  }
  await host.print(`${coverageTable(merged).join('\n')}\n`);
  return EXIT_CODES.success;
};
