import { readFileSync } from 'node:fs';

/** The interface and the code of a contract of the project, as Hardhat has built it. */
export function readArtifact(name) {
  const file = new URL(`./artifacts/contracts/Tokens.sol/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}
