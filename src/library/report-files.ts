import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ReportFiles, ReportOutput } from '../node/reports.ts';
import { makeDirectories } from '../primitives/file-system.ts';

/** The file name for no file: only `inspect_gasReport` returns the report. */
const NO_FILE = '-';

/** Returns the files of the reports of a node in this process. Writing rejects with the error of the system. */
export function localReportFiles(): ReportFiles {
  return {
    workingDirectory: process.cwd(),
    processId: process.pid,
    check: () => Promise.resolve(),
    // `gasBaseline` is an option of the command line only.
    readBaseline: () => Promise.resolve(null),
    async write(option, path, content) {
      if (path === NO_FILE) return;
      if (option === 'coverage') makeDirectories(dirname(path));
      await writeFile(path, content);
    },
  };
}

/** The output of the reports of a node in this process. */
export const localReportOutput: ReportOutput = {
  notice: () => undefined,
  report: () => undefined,
  printsFiles: false,
  isJson: false,
  onIncompleteProfile: (note) => process.emitWarning(note),
};
