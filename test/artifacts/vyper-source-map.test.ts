import { describe, expect, it } from 'vitest';
import { SourceMap, vyperSourceMap } from '../../src/artifacts/source-map.ts';
import { finish } from '../../src/primitives/steps.ts';
import { contractNamed, projectPath, readFolders, readProject } from './artifact-reader.ts';

describe('the source map of Vyper', () => {
  it.each(['0.3.10', '0.4.3'])('of %s maps each raise to its line', async (version) => {
    const read = await readFolders(projectPath(`vyper/${version}`));
    const contract = contractNamed(read, 'Failing');
    const { deployed } = await contract.load();
    const sources = await contract.sources();
    const map = deployed === null ? null : finish(SourceMap.read(deployed));
    if (deployed === null || map === null) throw new Error('no source map');
    const texts = new Map<number, Buffer>();
    for (const [id, name] of sources?.names ?? [])
      texts.set(id, Buffer.from((await sources?.content(name)) ?? ''));
    const places = Array.from(deployed.bytes, (_, pc) => map.rangeAt(pc)).flatMap((range) => {
      const text = range === null ? undefined : texts.get(range.file);
      return text === undefined || range === null
        ? []
        : [text.toString('utf8', range.start, range.start + range.length)];
    });
    expect(places.length).toBeGreaterThan(100);
    for (const keyword of ['assert amount > 1', 'raise']) {
      expect(places.some((place) => place.startsWith(keyword))).toBe(true);
    }
    read.artifacts.close();
  });

  it('is ignored for code of more than 1 MiB', () => {
    const map = { pc_pos_map: {} };
    const ofCode = (size: number): string | null => finish(vyperSourceMap(map, '00'.repeat(size), new Map()));
    expect(ofCode(2 ** 20)?.length).toBeGreaterThan(2 ** 20);
    expect(ofCode(2 ** 20 + 1)).toBeNull();
  });

  it('converts character offsets of Python to bytes', () => {
    const text = '# Grüße 😀\nx = "😀" + y\n';
    const map = { pc_pos_map: { 0: [2, 0, 2, 3], 2: [2, 10, 2, 11] }, pc_ast_map: { 0: [0, 1], 2: [0, 2] } };
    // PUSH1 1, ADD, JUMP, JUMPDEST
    const compressed = finish(vyperSourceMap(map, '0x600101565b', new Map([[0, text]])));
    const line = Buffer.byteLength('# Grüße 😀\n');
    const y = line + Buffer.byteLength('x = "😀" + ');
    expect(compressed).toBe([`${line}:3:0:-`, `${y}:1:0:-`, `${y}:1:0:-`, '-1:-1:-1:-'].join(';'));
    expect(Buffer.from(text).toString('utf8', y, y + 1)).toBe('y');
  });

  it('contains the file names of imported modules', () => {
    const output = readProject<{
      contracts: Record<
        string,
        Record<string, { evm: { deployedBytecode: { sourceMap: unknown; object: string } } }>
      >;
    }>('vyper/0.4.3/output.json');
    const code = output.contracts['vyper-0.4/Failing.vy']?.Failing?.evm.deployedBytecode;
    const texts = new Map([0, 1].map((id) => [id, `${'.'.repeat(200)}\n`.repeat(200)]));
    const short = finish(vyperSourceMap(code?.sourceMap, code?.object ?? '', texts));
    const files = (short ?? '').split(';').map((entry) => entry.split(':')[2]);
    expect(new Set(files)).toEqual(new Set(['-1', '0', '1']));
    const compressed = { pc_pos_map_compressed: '1:2:0:-' };
    expect(finish(vyperSourceMap('none', '6001', texts))).toBeNull();
    expect(finish(vyperSourceMap(compressed, '6001', texts))).toBe('1:2:0:-');
  });
});
