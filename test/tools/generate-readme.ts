import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './readme-tables.ts';

// npm runs scripts in the project's own folder.
writeFileSync('README.md', withTables(readFileSync('README.md', 'utf8')));
