// Preloaded into every process of tests with probes. Appends to REACHED_FILE the regions that a test file reaches, in its own
// thread or in its child processes.
import { appendFileSync } from 'node:fs';

const { REACHED_FILE, REACHED_COUNT } = process.env;

if (REACHED_FILE !== undefined) {
  const seen = new Uint8Array(Number(REACHED_COUNT));
  let where = 'program';

  globalThis.reached = (region) => {
    if (seen[region] === 1) return;
    seen[region] = 1;
    const { REACHED_BY } = process.env;
    if (REACHED_BY !== undefined) appendFileSync(REACHED_FILE, `${where} ${region} ${REACHED_BY}\n`);
  };

  /** Called before the tests of each file, because a thread runs several files. */
  globalThis.reachFor = (path) => {
    where = 'thread';
    process.env.REACHED_BY = path;
    seen.fill(0);
  };
}
