import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { playSeed } from './read-artifact.ts';

const USAGE = `Usage: npm run test:fuzz -- artifacts [--cases <count>] [--seed <first seed>]

Reads random hostile artifacts (layouts, ABIs, syntax trees, source maps, ETHDebug programs, typed data), one for each seed from
the first on. Prints each case that throws another error than a rejection, that exceeds a bound of nodes, that
takes more than a minute, or that needs more than 256 MiB of heap.`;

/** The heap of the thread that plays cases, in MiB. */
const HEAP = 256;
/** Milliseconds after which a case that has not ended is frozen. */
const MAX_CASE_TIME = 60_000;

interface Share {
  readonly first: number;
  readonly end: number;
}

/** A case that has ended. */
interface Played {
  readonly seed: number;
  readonly finding: string | null;
}

async function serveAsWorker({ first, end }: Share): Promise<void> {
  for (let seed = first; seed < end; seed++) {
    const finding = await playSeed(seed);
    parentPort?.postMessage({ seed, finding } satisfies Played);
  }
}

/** Plays cases in a thread. Resolves to the seed after the last case that ended, by itself or not. */
function playShare(share: Share, report: (played: Played) => void): Promise<number> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: share,
      resourceLimits: { maxOldGenerationSizeMb: HEAP },
    });
    let seed = share.first;
    let watchdog = setTimeout(() => undefined, 0);
    const fail = (finding: string): void => {
      clearTimeout(watchdog);
      report({ seed, finding });
      seed++;
      void worker.terminate();
    };
    const watch = (): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => fail(`frozen for ${MAX_CASE_TIME / 1_000} s`), MAX_CASE_TIME);
    };
    watch();
    worker.on('message', (played: Played) => {
      report(played);
      seed = played.seed + 1;
      watch();
    });
    worker.on('error', (error) => fail(String(error)));
    worker.on('exit', () => {
      clearTimeout(watchdog);
      resolve(seed);
    });
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [cases, seed] = [Number(values.cases), Number(values.seed)];
  if (values.help || !Number.isSafeInteger(cases) || !Number.isSafeInteger(seed)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  let findings = 0;
  const report = ({ seed: played, finding }: Played): void => {
    if (finding === null) return;
    findings++;
    process.stdout.write(`seed ${played}: ${finding}\n`);
  };
  const end = seed + cases;
  for (let first = seed; first < end; ) first = await playShare({ first, end }, report);
  process.stdout.write(`${cases} cases from seed ${seed}: ${findings} findings\n`);
  return findings === 0 ? 0 : 1;
}

if (isMainThread) process.exitCode = await main();
else await serveAsWorker(workerData as Share);
