#!/usr/bin/env node
// Runs the compiler of the npm package with the options of the Solidity command that forge uses.
import { text } from 'node:stream/consumers';
import manifest from 'solc/package.json' with { type: 'json' };

if (process.argv.includes('--standard-json')) {
  // forge requests the version more often than a compilation, and the compiler takes long to load.
  const { default: solc } = await import('solc');
  process.stdout.write(solc.compile(await text(process.stdin)));
} else {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${manifest.version}\n`);
}
