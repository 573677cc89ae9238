import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installPackages } from '../support/installed-packages.ts';

const text = readFileSync(new URL('../../fixtures/container/kubernetes/lanes.yaml', import.meta.url), 'utf8');
const nginx = readFileSync(new URL('../../fixtures/nginx/lanes.conf', import.meta.url), 'utf8');

type Validate = (manifest: unknown) => boolean;

/** The packages of this test only. */
const packages = fileURLToPath(new URL('kubernetes/', import.meta.url));
installPackages(packages);
const require = createRequire(packages);
const schemas = join(dirname(require.resolve('kubernetes-models')), '_schemas');

/** Returns a schema of the package, which exports schemas only as parts of its classes. */
function schemaOf(name: string): Validate {
  const { validate } = require(join(schemas, `IoK8sApi${name}.js`)) as { readonly validate: Validate };
  return validate;
}

/** The compiled Kubernetes schemas. Each returns false for an invalid value, and reads its known members. */
const SCHEMAS: Readonly<Record<string, Validate>> = {
  'v1 ConfigMap': schemaOf('CoreV1ConfigMap'),
  'v1 Service': schemaOf('CoreV1Service'),
  'apps/v1 Deployment': schemaOf('AppsV1Deployment'),
  'apps/v1 StatefulSet': schemaOf('AppsV1StatefulSet'),
  'policy/v1 PodDisruptionBudget': schemaOf('PolicyV1PodDisruptionBudget'),
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

const manifests = (yaml = text): Manifest[] => parseAllDocuments(yaml).map((document) => document.toJS());

/** Returns a value that records reads of its objects, and a list of the unread members. */
function watched(value: unknown): { readonly value: unknown; unread(): string[] } {
  const unread = new Set<string>();
  const watch = (found: unknown, path: string): unknown => {
    if (typeof found !== 'object' || found === null) return found;
    for (const name of Object.keys(found)) unread.add(`${path}.${name}`);
    return new Proxy(found, {
      get(target, name, receiver) {
        unread.delete(`${path}.${String(name)}`);
        return (
          watched.get(`${path}.${String(name)}`) ??
          keep(`${path}.${String(name)}`, Reflect.get(target, name, receiver))
        );
      },
    });
  };
  const watched = new Map<string, unknown>();
  const keep = (path: string, found: unknown): unknown => {
    if (typeof found !== 'object' || found === null) return found;
    const kept = watch(found, path);
    watched.set(path, kept);
    return kept;
  };
  return { value: watch(value, ''), unread: () => [...unread] };
}

/** Returns the faults of a manifest: schema errors and unknown members. */
function faultsOf(manifest: Manifest): string[] {
  const validate = SCHEMAS[`${manifest.apiVersion} ${manifest.kind}`];
  if (validate === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
  const { value, unread } = watched(manifest);
  return validate(value) ? unread().filter((path) => !FREE.test(path)) : ['does not fit'];
}

/** Maps with user-defined keys, which schemas need not read. */
const FREE = /[.](?:matchLabels|labels|data|selector|requests|limits)[.]/;

describe('the manifests for Kubernetes', () => {
  it.each(manifests().map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s matches its schema',
    (_, manifest) => {
      expect(faultsOf(manifest)).toEqual([]);
    },
  );

  it('fail the schema with a member of another name or type', () => {
    const faults = (from: string, to: string): string[] =>
      manifests(text.replace(from, to)).flatMap(faultsOf);
    expect(faults('replicas: 4', 'replicaz: 4')).toEqual(['.spec.replicaz']);
    expect(faults('replicas: 4', 'replicas: four')).toEqual(['does not fit']);
    expect(faults('periodSeconds: 2', 'periodSecond: 2')).toHaveLength(1);
    expect(faults('kind: StatefulSet', 'kind: StatefulSets')).toEqual(['no schema of apps/v1 StatefulSets']);
  });

  it('distribute keys over all nodes by name', () => {
    const nodes = [...text.matchAll(/server (lanes-\d+)[.]lanes-nodes[.]/g)].map(([, name]) => name);
    const set = manifests().find(({ kind }) => kind === 'StatefulSet');
    expect(nodes).toEqual(Array.from({ length: Number(set?.spec.replicas) }, (_, place) => `lanes-${place}`));
    expect(set).toMatchObject({ metadata: { name: 'lanes' }, spec: { serviceName: 'lanes-nodes' } });
  });

  it('give lanes enough time to finish, and contain the tested nginx rules', () => {
    const drain = Number(/--drain-timeout=(\d+)/.exec(text)?.[1]);
    const grace = Number(/terminationGracePeriodSeconds: (\d+)/.exec(text)?.[1]);
    expect(grace).toBeGreaterThan(drain);
    const rules = nginx
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^(?:proxy_|hash|keepalive|~|client_max)/.test(line));
    expect(rules.length).toBeGreaterThan(6);
    for (const rule of rules) expect(text).toContain(rule);
  });
});
