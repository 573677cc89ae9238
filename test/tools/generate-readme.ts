import { readFileSync, writeFileSync } from 'node:fs';
import { PAGES, withTables } from './readme-tables.ts';

// npm scripts run in the project folder.
for (const page of Object.keys(PAGES)) writeFileSync(page, withTables(page, readFileSync(page, 'utf8')));
