import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { EngineComparison } from './compare.ts';

const USAGE = `Usage: npm run test:fuzz -- engines [--cases <count>] [--seed <first seed>]

Runs random scenes on both engines, one per seed. In a scene, contracts call, create and destroy each other under
any rule set, and the state is reverted and changed between messages. Prints differences in results, gas, logs,
return data, final state and observer events. Some scenes run on the wasm engine only: all messages run
concurrently on a state with asynchronous reads, and the results must equal a synchronous run.`;

interface Share {
  readonly first: number;
  readonly end: number;
  readonly stride: number;
}

interface Finding {
  readonly seed: number;
  readonly difference: string;
}

async function serveAsWorker({ first, end, stride }: Share): Promise<void> {
  const comparison = new EngineComparison();
  for (let seed = first; seed < end; seed += stride) {
    const difference = await comparison
      .compareSeed(seed)
      .catch((error: unknown) => `threw ${error instanceof Error ? error.stack : String(error)}`);
    if (difference !== null) parentPort?.postMessage({ seed, difference } satisfies Finding);
  }
}

function runShare(share: Share, tell: (finding: Finding) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.on('message', tell);
    worker.on('error', reject);
    worker.on('exit', () => resolve());
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
  const started = performance.now();
  const stride = availableParallelism();
  let differences = 0;
  const tell = ({ seed: found, difference }: Finding): void => {
    differences++;
    process.stdout.write(`seed ${found}: ${difference}\n`);
  };
  const shares = Array.from({ length: stride }, (_, index) => ({
    first: seed + index,
    end: seed + cases,
    stride,
  }));
  await Promise.all(shares.map((share) => runShare(share, tell)));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(
    `${cases} cases from seed ${seed} in ${seconds} s: ${differences} ${differences === 1 ? 'differs' : 'differ'}\n`,
  );
  return differences > 0 ? 1 : 0;
}

if (isMainThread) process.exitCode = await main();
else await serveAsWorker(workerData as Share);
