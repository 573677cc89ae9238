// Writes the schemas of a checkout of github.com/ethereum/execution-apis for the tests:
// `npm run tool -- execution-apis:schemas <checkout> <commit>`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSchemas } from '../read-schemas.ts';

const [checkout, commit] = process.argv.slice(2);
if (checkout === undefined || commit === undefined) {
  process.stderr.write('usage: npm run tool -- execution-apis:schemas <checkout> <commit>\n');
  process.exitCode = 1;
} else {
  const path = join('test', 'conformance', 'execution-apis', 'schemas.json');
  writeFileSync(path, `${JSON.stringify(readSchemas(checkout, commit), null, 2)}\n`);
  process.stdout.write(`wrote ${path}\n`);
}
