// From values over the data and the code on the chain back to the values, by the artifact that the code matches.

import type { Abi } from 'abitype';
import fc from 'fast-check';
import { encodeEventTopics, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { AbiTable } from '../../src/artifacts/decoding.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { encoded, type Sample, samples, textOf } from './abi-samples.ts';
import { readFolders } from './artifact-reader.ts';

const SEED = 15;
const LINK = '__$0123456789abcdef0123456789abcdef01$__';
const ADDRESS = 20;
const WORD = 32;

/** A contract that a compiler might have made, and what is filled in when it is deployed. */
interface Made {
  readonly initcode: Uint8Array;
  readonly head: Uint8Array;
  readonly middle: Uint8Array;
  readonly tail: Uint8Array;
  readonly library: Uint8Array;
  readonly immutable: Uint8Array;
  readonly inputs: readonly Sample[];
  readonly outputs: readonly Sample[];
  readonly constructing: readonly Sample[];
}

const bytes = (minLength: number, maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength, maxLength });
const parameters = fc.array(samples, { minLength: 1, maxLength: 3 });

const contracts: fc.Arbitrary<Made> = fc.record({
  initcode: bytes(20, 60),
  head: bytes(40, 120),
  middle: bytes(20, 120),
  tail: bytes(20, 120),
  library: bytes(ADDRESS, ADDRESS),
  immutable: bytes(WORD, WORD),
  inputs: parameters,
  outputs: parameters,
  constructing: parameters,
});

function abiOf({ inputs, outputs, constructing }: Made): Abi {
  const parametersOf = (list: readonly Sample[]) => list.map(({ parameter }) => parameter);
  return [
    { type: 'constructor', stateMutability: 'payable', inputs: parametersOf(constructing) },
    {
      type: 'function',
      name: 'f',
      stateMutability: 'payable',
      inputs: parametersOf(inputs),
      outputs: parametersOf(outputs),
    },
    { type: 'error', name: 'Failed', inputs: parametersOf(inputs) },
    {
      type: 'event',
      name: 'Done',
      inputs: parametersOf(outputs).map((parameter) => ({ ...parameter, indexed: false })),
    },
  ] as Abi;
}

/** The contract as solc writes it, with holes for a library and an immutable variable. */
function compiled(made: Made): object {
  const { initcode, head, middle, tail } = made;
  const digits = (code: Uint8Array): string => toHex(code).slice(2);
  const runtime = `${digits(head)}${LINK}${digits(middle)}${'00'.repeat(WORD)}${digits(tail)}`;
  const links = (before: number) => ({
    'Lib.sol': { Lib: [{ start: before + head.length, length: ADDRESS }] },
  });
  const start = head.length + ADDRESS + middle.length;
  return {
    abi: abiOf(made),
    evm: {
      bytecode: { object: `${digits(initcode)}${runtime}`, linkReferences: links(initcode.length) },
      deployedBytecode: {
        object: runtime,
        linkReferences: links(0),
        immutableReferences: { 7: [{ start, length: WORD }] },
      },
    },
  };
}

function texts(list: readonly Sample[]): unknown[] {
  return list.map(({ text }) => text);
}

describe('what goes out encoded and comes back decoded', () => {
  it('is the same, by the contract that the code on the chain matches', async () => {
    const isSame = fc.asyncProperty(
      fc.uniqueArray(contracts, { minLength: 1, maxLength: 5, selector: ({ head }) => toHex(head) }),
      async (made) => {
        const { artifacts } = await readFolders();
        const named = Object.fromEntries(made.map((each, index) => [`K${index}`, compiled(each)]));
        const count = await artifacts.addCompilation(
          { sources: {} },
          { contracts: { 'K.sol': named } },
          '0.8.28',
        );
        expect(count).toBe(made.length);
        for (const [index, each] of made.entries()) {
          const { initcode, head, middle, tail, library, immutable, inputs, outputs, constructing } = each;
          const code = concatBytes(head, library, middle, immutable, tail);
          const [deployed, ...others] = await artifacts.find('deployed', code);
          expect(others).toEqual([]);
          expect(deployed?.artifact.name).toBe(`K${index}`);
          const table = new AbiTable(deployed?.artifact.abi ?? [], deployed?.artifact.signatures);
          const [selector = ''] = table.functions.keys();
          const call = fromHex(`${selector}${encoded(inputs).slice(2)}` as Hex);
          expect(table.call(call)?.parameters.map(textOf)).toEqual(texts(inputs));
          expect(table.result(call, fromHex(encoded(outputs)))?.map(textOf)).toEqual(texts(outputs));
          const [topic] = encodeEventTopics({ abi: abiOf(each), eventName: 'Done' } as never) as [Hex];
          const log = { topics: [fromHex(topic)], data: fromHex(encoded(outputs)) };
          expect(table.event(log)?.parameters.map(textOf)).toEqual(texts(outputs));
          // A creation has the code with the variable still empty, and its arguments behind it.
          const own = concatBytes(initcode, head, library, middle, new Uint8Array(WORD), tail);
          const [creation] = await artifacts.find(
            'creation',
            concatBytes(own, fromHex(encoded(constructing))),
          );
          expect(creation?.artifact.name).toBe(`K${index}`);
          const size = creation?.artifact.creation?.bytes.length;
          expect(size).toBe(own.length);
          expect(table.constructorArguments(fromHex(encoded(constructing)))?.map(textOf)).toEqual(
            texts(constructing),
          );
          // Another byte is another contract.
          const other = code.slice();
          other[0] = (other[0] ?? 0) ^ 1;
          expect(await artifacts.find('deployed', other)).toEqual([]);
        }
        artifacts.close();
      },
    );
    await fc.assert(isSame, { seed: SEED, numRuns: 100 });
  });
});
