import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ReportFiles, ReportOutput } from '../node/reports.ts';
import { makeDirectories } from '../primitives/file-system.ts';

/** Writes no file: only `inspect_gasReport` returns the report. */
const NO_FILE = '-';

/** Returns the file access for reports of an in-process node. Writing rejects with the system's error. */
export function localReportFiles(): ReportFiles {
  return {
    workingDirectory: process.cwd(),
    processId: process.pid,
    check: () => Promise.resolve(),
    // Only the command line has `gasBaseline`.
    readBaseline: () => Promise.resolve(null),
    async write(option, path, content) {
      if (path === NO_FILE) return;
      if (option === 'coverage') makeDirectories(dirname(path));
      await writeFile(path, content);
    },
  };
}

export const localReportOutput: ReportOutput = {
  notice: () => undefined,
  report: () => undefined,
  printsFiles: false,
  isJson: false,
  onIncompleteProfile: (note) => process.emitWarning(note),
};
