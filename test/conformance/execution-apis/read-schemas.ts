/** Reads the schemas of a checkout of github.com/ethereum/execution-apis. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ExecutionSchemas, Schema } from './schema-faults.ts';

interface MethodText {
  readonly name: string;
  readonly result?: { readonly schema: Schema };
}

/** Members of schemas that describe them for people. */
const TEXTS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'example',
  'summary',
  'deprecated',
]);

/** The Engine API, which the node does not serve, is left out. */
const LEFT_OUT = 'engine';

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return yamlFiles(path);
    return entry.name.endsWith('.yaml') ? [path] : [];
  });
}

/** Returns the schema without texts. The names of properties are kept. */
function withoutTexts(value: unknown, arePropertyNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => arePropertyNames || !TEXTS.has(name))
      .map(([name, member]) => [
        name,
        withoutTexts(member, name === 'properties' || name === 'patternProperties'),
      ]),
  );
}

/** The names of the schemas that a schema refers to. */
function referencesIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return Array.from(text.matchAll(/"#\/components\/schemas\/([^"/]+)/g), ([, name]) => name ?? '');
}

/** Returns the named schemas and all schemas that they refer to, by name. */
function reachable(all: Readonly<Record<string, Schema>>, from: unknown): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const left = referencesIn(from);
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const schema = all[name];
    if (schema === undefined || found.has(name)) continue;
    found.set(name, schema);
    left.push(...referencesIn(schema));
  }
  return Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Returns the schemas of the results of all methods, without texts. */
export function readSchemas(checkout: string, commit: string): ExecutionSchemas {
  const schemas: Record<string, Schema> = {};
  const results: Record<string, Schema> = {};
  for (const file of yamlFiles(join(checkout, 'src'))) {
    const content: unknown = parse(readFileSync(file, 'utf8'));
    if (Array.isArray(content)) {
      if (file.includes(`/${LEFT_OUT}/`)) continue;
      for (const { name, result } of content as MethodText[])
        if (result !== undefined) results[name] = withoutTexts(result.schema) as Schema;
    } else if (file.includes('/schemas/')) {
      for (const [name, schema] of Object.entries(content as Record<string, unknown>))
        schemas[name] = withoutTexts(schema) as Schema;
    }
  }
  const names = Object.keys(results).sort();
  const sorted = Object.fromEntries(names.map((name) => [name, results[name] ?? {}]));
  return { commit, schemas: reachable(schemas, sorted), results: sorted };
}
