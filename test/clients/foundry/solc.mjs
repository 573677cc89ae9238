#!/usr/bin/env node
// Plays the command of the Solidity compiler, as far as forge calls it, by the package of npm.
import { text } from 'node:stream/consumers';
import solc from 'solc';

if (process.argv.includes('--standard-json')) process.stdout.write(solc.compile(await text(process.stdin)));
else process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);
