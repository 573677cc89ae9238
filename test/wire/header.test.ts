import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import {
  type BlockHeader,
  ETHEREUM_FIELDS,
  type EthereumHeaderFields,
  HEADER_FIELDS,
  MERGED_MINING_FIELDS,
  type MergedMining,
} from '../../src/protocol/block.ts';
import { blockView } from '../../src/wire/block.ts';
import { HEADER_PROPERTIES, headerJson, readForeignHeader, readHeader } from '../../src/wire/header.ts';
import { StrictValue } from '../../src/wire/strict-value.ts';
import { fixtureBlock, fixtureHeader } from '../rpc/views/fixture-block.ts';

const NO_BLOOM = new Uint8Array(256);
const ETHEREUM: EthereumHeaderFields = {
  baseFeePerGas: 7n,
  mixHash: new Uint8Array(32).fill(0x21),
  withdrawalsRoot: new Uint8Array(32).fill(0x22),
  blobGasUsed: 8n,
  excessBlobGas: 9n,
  parentBeaconBlockRoot: new Uint8Array(32).fill(0x23),
  requestsHash: new Uint8Array(32).fill(0x24),
  blockAccessListHash: new Uint8Array(32).fill(0x25),
  slotNumber: 10n,
};
const HEADER: BlockHeader = { ...fixtureHeader(), ethereum: ETHEREUM };

describe('header fields', () => {
  it('describes exactly the fields of the header type', () => {
    const own = HEADER_FIELDS satisfies Record<keyof Omit<BlockHeader, 'mergedMining' | 'ethereum'>, string>;
    const mergedMining = MERGED_MINING_FIELDS satisfies Record<keyof MergedMining, string>;
    const ethereum = ETHEREUM_FIELDS satisfies Record<keyof EthereumHeaderFields, string>;
    expect([...Object.keys(own), 'mergedMining', 'ethereum'].sort()).toEqual(Object.keys(HEADER).sort());
    expect(Object.keys(mergedMining).sort()).toEqual(Object.keys(HEADER.mergedMining).sort());
    expect(Object.keys(ethereum).sort()).toEqual(Object.keys(HEADER.ethereum).sort());
  });

  it('round-trips every field through a dump', () => {
    const json: unknown = JSON.parse(JSON.stringify(headerJson(HEADER, NO_BLOOM)));
    expect(readHeader(new StrictValue(json, 'header'), NO_BLOOM)).toEqual(HEADER);
  });

  it('reads every field except the uncle count from the response of another node', () => {
    const rules = { encoding: 'network' } as const;
    const options = { full: false, isPending: false, fieldNames: 'native', rules } as const;
    const answer = blockView({ ...fixtureBlock(), header: HEADER }, options);
    const { uncleCount: _, ...rest } = HEADER;
    const read = readForeignHeader((name, codec) => codec.tolerate(answer[name]) ?? codec.blank);
    expect(read).toEqual(rest);
  });

  it('allows null in the schema for no field', () => {
    const areNull = Object.entries(HEADER_PROPERTIES).filter(([, schema]) => 'anyOf' in schema);
    expect(areNull.map(([name]) => name).sort()).toMatchInlineSnapshot(`[]`);
  });

  it('includes the path of an invalid field in the error', () => {
    const json = { ...headerJson(HEADER, NO_BLOOM), ethereum: { mixHash: toHex(new Uint8Array(31)) } };
    expect(() => readHeader(new StrictValue(json, 'header'), NO_BLOOM)).toThrow(
      'header.ethereum.mixHash: expected DATA of 32 bytes',
    );
  });
});
