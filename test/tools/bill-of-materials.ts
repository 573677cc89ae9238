import { z } from 'zod';

const property = z.object({ name: z.string(), value: z.string() });

/** The fields of CycloneDX 1.5, as npm writes it, that are read here; all others stay as they are. */
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

/** The property by which npm marks a package that only work on the project needs. */
const FOR_DEVELOPMENT = 'cdx:npm:package:development';

/** Returns the packages (`viem@2.55.0`) that the notices of the built package list as parts of it. */
export function bundledPackages(notices: string): string[] {
  const [list = ''] = notices.split('\nIt puts the compiled code');
  return Array.from(list.matchAll(/^ {2}(\S+) (\d\S*) \(/gm), ([, name, version]) => `${name}@${version}`);
}

/**
 * Returns what the published package consists of: of all packages that npm knows, those that are bundled, and those that are
 * installed beside it where that works. npm takes the bundled ones for tools of the project, as they are installed for nobody
 * else. Throws an `Error` that names a bundled package that npm does not know.
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
  return { ...bill, components, dependencies };
}
