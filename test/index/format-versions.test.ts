import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { DATA_VERSION } from '../../src/persistence/durable/chain-record.ts';
import { decodeRlp, encodeRlp } from '../../src/primitives/rlp.ts';
import {
  type DataDirectoryFixture,
  dataDirectoryFixture,
  writeDataDirectory,
} from '../support/data-directory-fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const VERSIONS = Array.from({ length: DATA_VERSION }, (_, index) => index + 1);

function recordOf({ records }: DataDirectoryFixture, key: string): Uint8Array {
  return Buffer.from(records[key] ?? '', 'base64');
}

/** The record of a trie node with another tag, in base64. */
function withTag(record: Uint8Array, tag: number): string {
  const item = decodeRlp(record);
  if (item instanceof Uint8Array) throw new TypeError('a node is a list');
  return Buffer.from(encodeRlp([Uint8Array.of(tag), ...item.slice(1)])).toString('base64');
}

/** The keys of the records of trie nodes with this tag as their first item. */
function taggedNodes(fixture: DataDirectoryFixture, tag: number): string[] {
  return Object.keys(fixture.records).filter((key) => {
    if (!key.startsWith('n')) return false;
    const [first, , , more] = decodeRlp(recordOf(fixture, key));
    return more === undefined && first instanceof Uint8Array && first[0] === tag;
  });
}

describe.each(VERSIONS)('data directory of format version %i', (version) => {
  it('the directory can be opened, and its chain gives the same results as before', async () => {
    const fixture = dataDirectoryFixture(version);
    const directory = await temporaryDirectory();
    await writeDataDirectory(directory, fixture);
    const node = await createNode({ ...fixture.options, dataDir: directory });
    for (const { method, params, result } of fixture.questions)
      expect({ method, params, result: await node.request({ method, params: [...params] }) }).toMatchObject({
        method,
        params,
        result,
      });
    await node.close();
  });

  it('a trie node of unknown kind is rejected as damaged, and every known kind occurs', async () => {
    const fixture = dataDirectoryFixture(version);
    expect(taggedNodes(fixture, 1)).not.toEqual([]);
    const extensions = taggedNodes(fixture, 2);
    expect(extensions).not.toEqual([]);
    const records = { ...fixture.records };
    for (const key of extensions) records[key] = withTag(recordOf(fixture, key), 3);
    const directory = await temporaryDirectory();
    await writeDataDirectory(directory, { records });
    const node = await createNode({ ...fixture.options, dataDir: directory });
    const refusals: unknown[] = [];
    for (const { method, params } of fixture.questions)
      await node
        .request({ method, params: [...params] })
        .catch((error: Error) => refusals.push(error.message));
    expect(refusals).toContainEqual(expect.stringContaining('a trie node has an unknown kind'));
    await node.close();
  });
});
