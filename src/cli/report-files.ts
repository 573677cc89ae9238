import { dirname } from 'node:path';
import { printable, SaveError, StartError } from '../config/errors.ts';
import { flagOf } from '../config/options.ts';
import type { ReportFiles } from '../node/reports.ts';
import { makeDirectories, systemMessage } from '../primitives/file-system.ts';
import type { ServingHost } from './host.ts';

/** Readable for all users, unless the umask forbids it. */
const FILE_MODE = 0o666;

/** Returns the file access for reports. Loads the code for paths when it is needed. */
export function reportFilesOf({ fileSystem, workingDirectory, processId }: ServingHost): ReportFiles {
  return {
    workingDirectory,
    processId,
    async check(option, path) {
      const { checkSavable } = await import('./state/state-path.ts');
      if (option === 'coverage') {
        try {
          makeDirectories(dirname(path));
        } catch (error) {
          throw new StartError(
            `--coverage: cannot create the directory of ${printable(path)}: ${systemMessage(error)}`,
          );
        }
      }
      await checkSavable(fileSystem, option, path);
    },
    async readBaseline(path) {
      const { readNamedFile } = await import('./state/state-path.ts');
      return readNamedFile(fileSystem, 'gasBaseline', path);
    },
    async write(option, path, content) {
      try {
        await fileSystem.writeSynced(path, Buffer.from(content), FILE_MODE);
      } catch (error) {
        throw new SaveError(`${flagOf(option)}: cannot write ${printable(path)}: ${systemMessage(error)}`);
      }
    },
  };
}
