import { createHash } from 'node:crypto';
import { z } from 'zod';

const property = z.object({ name: z.string(), value: z.string() });

/** The used fields of CycloneDX 1.5, as written by npm. All other fields stay unchanged. */
const billOfMaterials = z.looseObject({
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      name: z.string(),
      version: z.string(),
      properties: z.array(property),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
});

export type BillOfMaterials = z.infer<typeof billOfMaterials>;

/** npm's property of packages that only the development needs. */
const FOR_DEVELOPMENT = 'cdx:npm:package:development';

/** Returns the bundled packages (`viem@2.55.0`) in the licence notices of the built package. */
export function bundledPackages(notices: string): string[] {
  const [list = ''] = notices.split('\nIt puts the compiled code');
  return Array.from(list.matchAll(/^ {2}(\S+) (\d\S*) \(/gm), ([, name, version]) => `${name}@${version}`);
}

/** Returns a serial number (a UUID as URN) that depends only on the contents. */
function serialNumberOf(contents: unknown): string {
  const digits = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
  return `urn:uuid:${digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')}`;
}

function byReference(left: { readonly 'bom-ref': string }, right: { readonly 'bom-ref': string }): number {
  return left['bom-ref'] < right['bom-ref'] ? -1 : 1;
}

/**
 * Returns the contents of the published package: the bundled packages and its optional dependencies. npm
 * lists the bundled ones as development packages, because they are not installed with it. Equal packages give
 * equal bills: the time, the version of npm and the random serial number are excluded. Throws an `Error` for a
 * bundled package that npm does not list.
 */
export function publishedBill(given: unknown, bundled: readonly string[]): BillOfMaterials {
  const bill = billOfMaterials.parse(given);
  const root = bill.metadata.component['bom-ref'];
  const parts = new Set(bundled);
  const components = bill.components.flatMap((component) => {
    const isBundled = parts.has(`${component.name}@${component.version}`);
    const others = component.properties.filter(({ name }) => name !== FOR_DEVELOPMENT);
    if (isBundled) return [{ ...component, scope: 'required', properties: others }];
    return others.length === component.properties.length ? [component] : [];
  });
  const known = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const missing = bundled.filter((part) => !known.has(part));
  if (missing.length > 0)
    throw new Error(`npm sbom does not list ${missing.join(', ')}, which the package holds`);
  const refs = new Set([root, ...components.map((component) => component['bom-ref'])]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((one) => ({ ...one, dependsOn: (one.dependsOn ?? []).filter((ref) => refs.has(ref)) }));
  const { timestamp: _time, tools: _tools, ...metadata } = bill.metadata;
  const contents = {
    metadata,
    components: components.toSorted(byReference),
    dependencies: dependencies.toSorted((left, right) => (left.ref < right.ref ? -1 : 1)),
  };
  return { ...bill, serialNumber: serialNumberOf(contents), ...contents };
}
