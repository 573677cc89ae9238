// Writes the published package's bill of materials (CycloneDX 1.5): `npm run tool -- sbom [<file>]`. The build
// writes dist/sbom.json.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { bundledPackages, publishedBill } from './bill-of-materials.ts';

// Without --legacy-peer-deps, npm lists nothing if the version of any peer dependency does not match.
const options = [
  'sbom',
  '--sbom-format',
  'cyclonedx',
  '--sbom-type',
  'application',
  '--legacy-peer-deps',
  '--no-global',
];
const listed = execFileSync('npm', options, {
  encoding: 'utf8',
  maxBuffer: 64 * 2 ** 20,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const bundled = bundledPackages(readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8'));
const bill = publishedBill(JSON.parse(listed), bundled);
bill.metadata.component.name = 'node-cli';
const text = `${JSON.stringify(bill, null, 2)}\n`;
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else {
  writeFileSync(file, text);
  process.stdout.write(`${bill.components.length} packages, ${bundled.length} of them bundled, in ${file}\n`);
}
