import { readFileSync, writeFileSync } from 'node:fs';
import { PAGES, withTables } from './readme-tables.ts';

// npm runs scripts in the project's own folder.
for (const path of Object.keys(PAGES) as (keyof typeof PAGES)[])
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), path));
