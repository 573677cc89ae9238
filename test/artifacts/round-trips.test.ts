// Encodes values, finds the artifact by the deployed code, and decodes the values.

import type { Abi } from 'abitype';
import fc from 'fast-check';
import { encodeEventTopics, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { AbiTable } from '../../src/artifacts/decoding.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import { encoded, type Sample, samples, textOf } from './abi-samples.ts';
import { readFolders } from './artifact-reader.ts';

/** Library placeholders in compiler output: a hash of the library name, or the name itself before 0.5. */
const MARKS = ['__$0123456789abcdef0123456789abcdef01$__', '__Lib.sol:Lib___________________________'];
const ADDRESS = 20;
const WORD = 32;

/** A part of a code: bytes, or a hole that is filled at deployment. */
type Part =
  | { readonly kind: 'code'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'library';
      readonly address: Uint8Array;
      readonly mark: string;
      readonly isListed: boolean;
    }
  | { readonly kind: 'immutable'; readonly value: Uint8Array };

/**
 * The metadata at the end of a code: with a hash, without a hash (`bytecodeHash: none`), or absent
 * (`appendCBOR: false`).
 */
type Metadata = 'ipfs' | 'swarm' | 'versionOnly' | 'none';

/** A random contract with the values of its holes. */
interface Made {
  readonly initcode: Uint8Array;
  readonly head: Uint8Array;
  readonly parts: readonly Part[];
  readonly metadata: Metadata;
  /** Metadata hashes of the known build and of the deployed build. */
  readonly hashes: readonly [known: Uint8Array, deployed: Uint8Array];
  readonly inputs: readonly Sample[];
  readonly outputs: readonly Sample[];
  readonly constructing: readonly Sample[];
}

const bytes = (minLength: number, maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength, maxLength });
const parameters = fc.array(samples, { minLength: 1, maxLength: 3 });

const parts: fc.Arbitrary<readonly Part[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('code' as const), bytes: bytes(20, 120) }),
    fc.record({
      kind: fc.constant('library' as const),
      address: bytes(ADDRESS, ADDRESS),
      mark: fc.constantFrom(...MARKS),
      isListed: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('immutable' as const), value: bytes(WORD, WORD) }),
  ),
  { maxLength: 7 },
);

const contracts: fc.Arbitrary<Made> = fc.record({
  initcode: bytes(20, 60),
  head: bytes(40, 120),
  parts,
  metadata: fc.constantFrom('ipfs' as const, 'swarm', 'versionOnly', 'none'),
  hashes: fc.oneof(
    bytes(WORD, WORD).map((hash) => [hash, hash] as const),
    fc.tuple(bytes(WORD, WORD), bytes(WORD, WORD)),
  ),
  inputs: parameters,
  outputs: parameters,
  constructing: parameters,
});

/** Metadata in solc format (Solidity documentation, Encoding of the Metadata Hash in the Bytecode). */
function metadataOf(kind: Metadata, hash: Uint8Array): Uint8Array {
  const digits = toHex(hash).slice(2);
  const version = '64736f6c634300081c';
  switch (kind) {
    case 'ipfs':
      return fromHex(`0xa2646970667358221220${digits}${version}0033`);
    case 'swarm':
      return fromHex(`0xa265627a7a72315820${digits}${version}0032`);
    case 'versionOnly':
      return fromHex(`0xa1${version}000a`);
    default:
      return new Uint8Array();
  }
}

/** The code of the account with filled holes. */
function deployedCode({ head, parts: list, metadata, hashes }: Made, hash = hashes[1]): Uint8Array {
  const filled = list.map((part) =>
    part.kind === 'code' ? part.bytes : part.kind === 'library' ? part.address : part.value,
  );
  return concatBytes(head, ...filled, metadataOf(metadata, hash));
}

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

/** The contract in solc output format, with holes for libraries and immutable variables. */
function compiled(made: Made): object {
  const { initcode, head, parts: list, metadata, hashes } = made;
  const digits = (code: Uint8Array): string => toHex(code).slice(2);
  let runtime = digits(head);
  const places = { library: [] as object[], immutable: [] as object[] };
  const inCreation: object[] = [];
  for (const part of list) {
    const start = runtime.length / 2;
    if (part.kind === 'code') runtime += digits(part.bytes);
    else if (part.kind === 'immutable') {
      places.immutable.push({ start, length: WORD });
      runtime += '00'.repeat(WORD);
    } else {
      if (part.isListed) {
        places.library.push({ start, length: ADDRESS });
        inCreation.push({ start: start + initcode.length, length: ADDRESS });
      }
      runtime += part.mark;
    }
  }
  runtime += digits(metadataOf(metadata, hashes[0]));
  const links = (all: readonly object[]) => ({ 'Lib.sol': { Lib: all } });
  return {
    abi: abiOf(made),
    evm: {
      bytecode: { object: `${digits(initcode)}${runtime}`, linkReferences: links(inCreation) },
      deployedBytecode: {
        object: runtime,
        linkReferences: links(places.library),
        immutableReferences: { 7: places.immutable },
      },
    },
  };
}

function texts(list: readonly Sample[]): unknown[] {
  return list.map(({ text }) => text);
}

describe('random contracts and values', () => {
  it('match deployed code, and decode calls, results and events to the same values', async () => {
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
          const { initcode, metadata, hashes, inputs, outputs, constructing } = each;
          const code = deployedCode(each);
          const [deployed, ...others] = await artifacts.find('deployed', code);
          expect(others).toEqual([]);
          expect(deployed?.artifact.name).toBe(`K${index}`);
          const hasHash = metadata === 'ipfs' || metadata === 'swarm';
          const isOther = hasHash && toHex(hashes[0]) !== toHex(hashes[1]);
          expect(deployed?.fit).toBe(isOther ? 'similar' : 'exact');
          const { abi = [], signatures = [] } = deployed?.artifact ?? {};
          const table = finish(AbiTable.read(abi, signatures));
          const [selector = ''] = table.functions.keys();
          const call = fromHex(`${selector}${encoded(inputs).slice(2)}` as Hex);
          expect(table.call(call)?.parameters.map(textOf)).toEqual(texts(inputs));
          expect(table.result(call, fromHex(encoded(outputs)))?.map(textOf)).toEqual(texts(outputs));
          const [topic] = encodeEventTopics({ abi: abiOf(each), eventName: 'Done' } as never) as [Hex];
          const log = { topics: [fromHex(topic)], data: fromHex(encoded(outputs)) };
          expect(table.event(log)?.parameters.map(textOf)).toEqual(texts(outputs));
          // Creation code contains empty immutable variables, followed by the arguments.
          const empty = each.parts.map((part) =>
            part.kind === 'immutable' ? { ...part, value: new Uint8Array(WORD) } : part,
          );
          const own = concatBytes(initcode, deployedCode({ ...each, parts: empty }));
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
          // Code with a different byte matches no contract.
          const other = code.slice();
          other[0] = (other[0] ?? 0) ^ 1;
          expect(await artifacts.find('deployed', other)).toEqual([]);
        }
        artifacts.close();
      },
    );
    await fc.assert(isSame, { numRuns: 100 });
  });
});
