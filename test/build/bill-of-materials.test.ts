import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundledPackages, publishedBill } from '../../src/build/bill-of-materials.ts';
import { REPOSITORY } from '../support/repository.ts';

const DEVELOPMENT = [{ name: 'cdx:npm:package:development', value: 'true' }];

/** A component as npm lists it. */
function component(ref: string, properties: readonly { name: string; value: string }[] = []) {
  const [name = '', version = ''] = ref.split('@');
  return { 'bom-ref': ref, name, version, scope: 'optional', properties: [...properties] };
}

const LISTED = {
  bomFormat: 'CycloneDX',
  metadata: { component: { 'bom-ref': 'node-cli@1.0.0', name: 'x' } },
  components: [
    component('part@1.0.0', DEVELOPMENT),
    component('tool@2.0.0', DEVELOPMENT),
    component('beside@3.0.0'),
  ],
  dependencies: [
    { ref: 'node-cli@1.0.0', dependsOn: ['part@1.0.0', 'tool@2.0.0', 'beside@3.0.0'] },
    { ref: 'tool@2.0.0', dependsOn: ['part@1.0.0'] },
    { ref: 'part@1.0.0' },
  ],
};

describe('the bill of materials', () => {
  it('lists bundled packages and optional dependencies, but no tools', () => {
    expect(publishedBill(LISTED, ['part@1.0.0'])).toEqual({
      ...LISTED,
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      components: [component('beside@3.0.0'), { ...component('part@1.0.0'), scope: 'required' }],
      dependencies: [
        { ref: 'node-cli@1.0.0', dependsOn: ['part@1.0.0', 'beside@3.0.0'] },
        { ref: 'part@1.0.0', dependsOn: [] },
      ],
    });
  });

  it('depends only on the packages, not on the time, the version of npm or the order', () => {
    const { metadata, components, dependencies } = LISTED;
    const later = {
      ...LISTED,
      serialNumber: 'urn:uuid:5b1a1b3c-1111-4222-8333-444444444444',
      metadata: { ...metadata, timestamp: '2030-01-01T00:00:00Z', tools: [{ name: 'npm', version: '99' }] },
      components: components.toReversed(),
      dependencies: dependencies.toReversed(),
    };
    const bill = publishedBill(LISTED, ['part@1.0.0']);
    expect(JSON.stringify(publishedBill(later, ['part@1.0.0']))).toBe(JSON.stringify(bill));
    expect(publishedBill(LISTED, ['part@1.0.0', 'tool@2.0.0']).serialNumber).not.toBe(bill.serialNumber);
  });

  it('throws if npm does not list a bundled package', () => {
    expect(() => publishedBill(LISTED, ['part@1.0.0', 'part@1.0.1'])).toThrow(
      'npm sbom does not list part@1.0.1',
    );
  });

  it('lists the packages of the licence notices and the native packages', () => {
    const bundled = bundledPackages(readFileSync(`${REPOSITORY}/dist/THIRD-PARTY-LICENSES.txt`, 'utf8'));
    expect(bundled).toEqual(
      expect.arrayContaining([expect.stringMatching(/^@noble\/curves@\d/), expect.stringMatching(/^ws@\d/)]),
    );
    const { components } = JSON.parse(readFileSync(`${REPOSITORY}/dist/sbom.json`, 'utf8'));
    const refs = components.map((one: { 'bom-ref': string }) => one['bom-ref']);
    expect(refs).toEqual(expect.arrayContaining(bundled));
    expect(refs.filter((ref: string) => /^(?:secp256k1|classic-level)@/.test(ref))).toHaveLength(2);
    expect(refs.filter((ref: string) => /^(?:vitest|knip|typescript)@/.test(ref))).toEqual([]);
  });
});
