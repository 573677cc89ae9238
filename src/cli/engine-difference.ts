import type { EngineDifferenceError } from '../evm/shadow/shadow-engine.ts';
import { EXIT_CODES } from './exit.ts';
import type { Host } from './host.ts';

/**
 * Ends the node, as a failure, when the engines differ: what is needed to run the message again goes into a file in the
 * folder that the node runs in, or to the error output where no file can be written.
 */
export function endOnDifference(host: Host): (error: EngineDifferenceError) => void {
  let isEnding = false;
  return (error) => {
    if (isEnding) return;
    isEnding = true;
    const path = `node-cli-difference-${host.clock.now()}.json`;
    const dump = `${JSON.stringify(error.dump, null, 2)}\n`;
    const tell = (rest: string): void => host.errorOutput.write(`node-cli: ${error.message}; ${rest}\n`);
    void host
      .writeFile(path, dump)
      .then(
        () => tell(`what is needed to run it again is in ${path}`),
        () => tell(`what is needed to run it again:\n${dump}`),
      )
      .finally(() => host.exit(EXIT_CODES.failure));
  };
}
