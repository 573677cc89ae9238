import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, sampleLine } from './curve.ts';
import { soak } from './soak.ts';

const USAGE = `Usage: npm run test:soak -- [--minutes <number>] [--samples <count>] [--seed <number>]

Creates and drops lanes on a built node for an hour (--minutes). Prints its live heap after garbage collection,
without lanes. Exits with code 1 if the heap without compiled code does not level off. The seed determines the
requests. Needs a build.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      samples: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [minutes, samples, seed] = [Number(values.minutes), Number(values.samples), Number(values.seed)];
  const isRight = minutes >= 0 && Number.isSafeInteger(samples) && samples > 0 && Number.isSafeInteger(seed);
  if (values.help || !isRight) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  let most = 0;
  const curve = await soak({
    scripts: { executable: resolve('bin/node-cli.js'), probe: resolve('test/soak/memory-probe.mjs') },
    duration: minutes * 60_000,
    samples,
    seed,
    onSample(sample) {
      // The first sample sets the scale, with room for 50% growth.
      if (most === 0) most = sample.live * 1.5;
      process.stdout.write(`${sampleLine(sample, most)}\n`);
    },
  });
  const { levelsOff, growth, codeGrowth } = judge(curve);
  const kibibytes = (bytes: number): string => (bytes / 1024).toFixed(0);
  const words = levelsOff === null ? 'too few samples to tell' : levelsOff ? 'it levels off' : 'it GROWS';
  process.stdout.write(
    `seed ${seed}: ${words}; the last third has ${kibibytes(growth)} KiB more data than the middle third, ` +
      `and ${kibibytes(codeGrowth)} KiB more compiled code\n`,
  );
  return levelsOff === false ? 1 : 0;
}

process.exitCode = await main();
