import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { crashAgainAndAgain } from './crash-rounds.ts';

const USAGE = `Usage: npm run test:crash -- [--rounds <count>] [--seed <number>]

Kills a node with kill -9 under load once per round, and restarts it on the same data directory. Each acknowledged
change must exist after the restart. The seed determines the number of replies before each crash. Needs a build.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
  if (values.help || !Number.isSafeInteger(rounds) || !Number.isSafeInteger(seed)) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const directory = await mkdtemp(join(tmpdir(), 'node-cli-crash-'));
  const started = performance.now();
  let acknowledged = 0;
  const faults = await crashAgainAndAgain({
    executable: resolve('bin/node-cli.js'),
    directory: join(directory, 'data'),
    rounds,
    seed,
    onRound(round, count) {
      acknowledged = count;
      if (round % 20 === 0) process.stdout.write(`${round} crashes, ${count} answers, nothing lost\n`);
    },
  });
  await rm(directory, { recursive: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(
    `seed ${seed}: ${rounds} rounds in ${seconds} s, ${acknowledged} answers, ${faults.length} faults\n`,
  );
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();
