// Compiler outputs that no compiler writes: types that contain each other, invalid references, arbitrary
// names.

import type { TypedData } from '../../../src/wallet/typed-data.ts';
import type { Dice } from '../engines/dice.ts';

type Json = Readonly<Record<string, unknown>>;

/** A compiler run with the bytecodes of its contracts. */
export interface RandomCompilation {
  readonly input: Json;
  readonly output: Json;
  readonly codes: readonly Uint8Array[];
}

const SOLIDITY = 'A.sol';
const VYPER = 'B.vy';

function list<Item>(dice: Dice, most: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: dice.below(most + 1) }, (_, index) => make(index));
}

/** A JSON value of the wrong type. */
function anything(dice: Dice): unknown {
  return dice.pick<() => unknown>([
    () => null,
    () => dice.below(300),
    () => -1,
    () => 2 ** 60,
    () => '',
    () => '__proto__',
    () => 'x'.repeat(dice.below(600)),
    () => [],
    () => [null, {}],
    () => ({}),
    () => true,
  ])();
}

/** The value, or sometimes another one. */
function mostly<Value>(dice: Dice, value: Value): unknown {
  return dice.oneIn(24) ? anything(dice) : value;
}

function number(dice: Dice): string {
  return dice.pick<() => string>([
    () => String(dice.below(40)),
    () => String(dice.word()),
    () => '9'.repeat(78),
    () => '0',
    () => '32',
    () => '64',
  ])();
}

const VALUES = [
  'uint256',
  'uint8',
  'address',
  'bool',
  'bytes32',
  'int16',
  'bytes1',
  'enum E',
  'contract C',
  'function ()',
];

function solcType(dice: Dice, ids: readonly string[], id: string): Json {
  const member = (at: number): Json => ({
    label: mostly(dice, `m${at}`),
    slot: mostly(dice, dice.oneIn(2) ? String(at) : number(dice)),
    offset: mostly(dice, dice.below(36)),
    type: mostly(dice, dice.pick(ids)),
  });
  const encoding = dice.pick(['inplace', 'inplace', 'inplace', 'mapping', 'dynamic_array', 'bytes']);
  return {
    encoding: mostly(dice, encoding),
    label: mostly(dice, dice.oneIn(3) ? dice.pick(VALUES) : `struct ${id}`),
    numberOfBytes: mostly(dice, number(dice)),
    ...(dice.oneIn(2) && encoding === 'inplace' ? { members: mostly(dice, list(dice, 6, member)) } : {}),
    ...(dice.oneIn(3) ? { base: mostly(dice, dice.pick(ids)) } : {}),
    key: mostly(dice, dice.pick(ids)),
    value: mostly(dice, dice.pick(ids)),
  };
}

function chain(dice: Dice): Json {
  const count = 2 + dice.below(50);
  const member = (at: number, type: string): Json => ({ label: `m${at}`, slot: String(at), offset: 0, type });
  const types = Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const next = at === count - 1 ? 't_uint256' : `t_struct(S${at + 1})`;
      const members = [member(0, next), member(1, next)];
      return [
        `t_struct(S${at})`,
        { encoding: 'inplace', label: `struct S${at}`, numberOfBytes: '64', members },
      ];
    }),
  );
  const uint = { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' };
  return { storage: [member(0, 't_struct(S0)')], types: { ...types, t_uint256: uint } };
}

function solcLayout(dice: Dice): unknown {
  if (dice.oneIn(6)) return chain(dice);
  const ids = [
    ...list(dice, 20, (at) => `t_struct(S${at})${dice.below(30)}_storage`),
    `t_array(t_uint8)${number(dice)}_storage`,
    't_uint256',
  ];
  const types = Object.fromEntries(ids.map((id) => [id, mostly(dice, solcType(dice, ids, id))]));
  const storage = list(dice, 8, (at) => ({
    label: mostly(dice, `v${at}`),
    slot: mostly(dice, number(dice)),
    offset: mostly(dice, dice.below(33)),
    type: mostly(dice, dice.pick(ids)),
  }));
  return mostly(dice, { storage: mostly(dice, storage), types: mostly(dice, types) });
}

function vyperTypeName(dice: Dice, depth: number): string {
  if (depth === 0)
    return dice.pick(['uint256', 'address', 'S0', 'S1', 'S2', 'decimal', 'Bytes[100]', 'String[x]', '']);
  const inner = (): string => vyperTypeName(dice, depth - 1);
  return dice.pick<() => string>([
    inner,
    () => `HashMap[${inner()}, ${inner()}]`,
    () => `DynArray[${inner()}, ${number(dice)}]`,
    () => `${inner()}[${number(dice)}]`,
    () => `S${dice.below(4)}`,
    () => '['.repeat(dice.below(20)),
  ])();
}

function vyperLayout(dice: Dice): unknown {
  const variables = Object.fromEntries(
    list(dice, 8, (at) => [
      `v${at}`,
      mostly(dice, {
        slot: mostly(dice, dice.below(1_000)),
        type: mostly(dice, vyperTypeName(dice, 4)),
        ...(dice.oneIn(2) ? {} : { n_slots: mostly(dice, dice.below(8)) }),
      }),
    ]),
  );
  return { storage_layout: mostly(dice, variables) };
}

const ABI_TYPES = [
  'uint256',
  'uint7',
  'address',
  'bytes',
  'string',
  'bytes33',
  'function',
  'tuple',
  'bool',
  '',
  'S storage',
];

function parameter(dice: Dice, depth: number): unknown {
  const brackets = list(dice, 4, () => dice.pick(['[]', '[2]', '[0]', '[999999999]'])).join('');
  const components = depth > 0 ? list(dice, 4, () => parameter(dice, depth - 1)) : [];
  return mostly(dice, {
    name: mostly(dice, dice.pick(['', 'a', '__proto__', 'constructor'])),
    type: mostly(dice, dice.pick(ABI_TYPES) + brackets),
    indexed: dice.oneIn(3),
    ...(dice.oneIn(2) ? { components: mostly(dice, components) } : {}),
  });
}

function abi(dice: Dice): unknown {
  const deep = (): unknown => {
    let inner: unknown = { name: '', type: 'uint8' };
    for (let depth = dice.below(90); depth > 0; depth--)
      inner = { name: '', type: 'tuple', components: [inner] };
    return inner;
  };
  const parameters = (): unknown => (dice.oneIn(20) ? [deep()] : list(dice, 5, () => parameter(dice, 4)));
  return list(dice, 12, () =>
    mostly(dice, {
      type: mostly(dice, dice.pick(['function', 'event', 'error', 'constructor', 'receive', 'fallback'])),
      name: mostly(dice, dice.pick(['f', 'g', 'h'])),
      inputs: mostly(dice, parameters()),
      outputs: mostly(dice, parameters()),
      anonymous: dice.oneIn(4),
      stateMutability: 'payable',
    }),
  );
}

function program(dice: Dice): unknown {
  const context = (depth: number): unknown =>
    mostly(dice, {
      code: mostly(dice, {
        source: { id: mostly(dice, 0) },
        range: mostly(dice, { offset: mostly(dice, dice.below(50)), length: mostly(dice, dice.below(50)) }),
      }),
      variables: mostly(
        dice,
        list(dice, 3, () => ({
          identifier: mostly(dice, 'v'),
          type: mostly(dice, {}),
          pointer: pointer(dice, 4),
        })),
      ),
      ...(depth > 0
        ? {
            gather: mostly(
              dice,
              list(dice, 4, () => context(depth - 1)),
            ),
          }
        : {}),
    });
  const instructions = list(dice, 10, () => ({ offset: mostly(dice, dice.below(40)), context: context(4) }));
  return mostly(dice, { context: context(3), instructions: mostly(dice, instructions) });
}

/** A pointer of ETHDebug. */
export function pointer(dice: Dice, depth: number): unknown {
  const expression = (left: number): unknown =>
    left === 0 || dice.oneIn(3)
      ? mostly(dice, dice.below(100))
      : dice.pick<() => unknown>([
          () => ({ $sum: list(dice, 4, () => expression(left - 1)) }),
          () => ({ $product: [expression(left - 1), '0xffffffffffffffff'] }),
          () => ({ $read: dice.pick(['a', 'b', 'none']) }),
          () => ({ '.slot': dice.pick(['a', 'b']) }),
        ])();
  const region = (): Json => ({
    name: mostly(dice, dice.pick(['a', 'b'])),
    location: mostly(dice, dice.pick(['memory', 'storage', 'stack', 'calldata'])),
    slot: expression(depth),
    offset: expression(depth),
    length: expression(depth),
  });
  return mostly(dice, dice.oneIn(2) ? region() : { group: mostly(dice, list(dice, 6, region)) });
}

function typeName(dice: Dice, depth: number): unknown {
  const nodeType = dice.pick([
    'ElementaryTypeName',
    'UserDefinedTypeName',
    'UserDefinedTypeName',
    'Mapping',
    'ArrayTypeName',
  ]);
  const inner = (): unknown => (depth > 0 ? typeName(dice, depth - 1) : {});
  const id = dice.below(6);
  return mostly(dice, {
    nodeType: mostly(dice, nodeType),
    referencedDeclaration: mostly(dice, 10 + id),
    typeDescriptions: mostly(dice, {
      typeString: mostly(
        dice,
        nodeType === 'UserDefinedTypeName' ? `struct S${id} storage ref` : dice.pick(VALUES),
      ),
      typeIdentifier: mostly(dice, `t_array$_t_uint8_$${number(dice)}_storage`),
    }),
    keyType: inner(),
    valueType: inner(),
    baseType: inner(),
    length: dice.oneIn(2) ? null : {},
  });
}

function tree(dice: Dice): unknown {
  const src = (): string => `${dice.below(60)}:${dice.below(60)}:0`;
  const statement = (depth: number): unknown =>
    mostly(dice, {
      nodeType: dice.pick([
        'IfStatement',
        'ForStatement',
        'Block',
        'VariableDeclaration',
        'Conditional',
        'Return',
      ]),
      src: mostly(dice, src()),
      typeName: typeName(dice, 1),
      typeDescriptions: { typeString: 'uint256', typeIdentifier: 't_uint256' },
      ...(depth > 0
        ? {
            condition: statement(depth - 1),
            trueBody: statement(depth - 1),
            statements: mostly(
              dice,
              list(dice, 3, () => statement(depth - 1)),
            ),
          }
        : {}),
    });
  const struct = (at: number): unknown => ({
    nodeType: 'StructDefinition',
    id: mostly(dice, 10 + at),
    name: mostly(dice, `S${at}`),
    canonicalName: mostly(dice, `S${at}`),
    documentation: dice.oneIn(4) ? { text: '@custom:storage-location erc7201:a.b' } : null,
    members: mostly(
      dice,
      list(dice, 4, () => ({ name: mostly(dice, 'm'), typeName: typeName(dice, 2) })),
    ),
  });
  const variable = (): unknown => ({
    nodeType: 'VariableDeclaration',
    id: dice.below(50),
    name: mostly(dice, 'v'),
    mutability: 'mutable',
    storageLocation: dice.pick(['default', 'transient']),
    typeName: typeName(dice, 3),
  });
  const method = (): unknown => ({
    nodeType: dice.pick(['FunctionDefinition', 'ModifierDefinition']),
    src: src(),
    name: mostly(dice, 'f'),
    parameters: mostly(dice, { parameters: mostly(dice, list(dice, 3, variable)) }),
    returnParameters: mostly(dice, { parameters: mostly(dice, list(dice, 2, variable)) }),
    body: { ...(statement(3) as Json), nodeType: 'Block' },
    modifiers: mostly(dice, []),
  });
  const contract = (id: number): unknown => ({
    nodeType: 'ContractDefinition',
    id,
    name: id === 1 ? 'A' : 'Base',
    contractKind: dice.pick(['contract', 'library']),
    linearizedBaseContracts: mostly(
      dice,
      list(dice, 6, () => 1 + dice.below(2)),
    ),
    baseContracts: mostly(dice, []),
    storageLayout: dice.oneIn(8)
      ? { baseSlotExpression: { nodeType: 'Literal', value: number(dice) } }
      : null,
    nodes: mostly(dice, [
      ...Array.from({ length: 6 }, (_, at) => struct(at)),
      ...list(dice, 3, variable),
      ...list(dice, 3, method),
    ]),
    src: src(),
  });
  return mostly(dice, {
    nodeType: 'SourceUnit',
    src: '0:60:0',
    nodes: mostly(dice, [contract(1), contract(2)]),
  });
}

const WORDS = [
  'contract',
  'A',
  '{',
  '}',
  'function',
  'f',
  '(',
  ')',
  ';',
  'if',
  'for',
  '"',
  '/*',
  '*/',
  '//',
  '\n',
  'payable',
  'é',
  '\\',
];

function text(dice: Dice): string {
  return list(dice, 60, () => dice.pick(WORDS)).join(dice.pick([' ', '']));
}

function sourceMap(dice: Dice): string {
  const field = (): string => dice.pick(['', '0', '5', '-1', '99999999999', 'i', 'o', 'x']);
  return list(dice, 40, () => list(dice, 6, field).join(':')).join(';');
}

function code(dice: Dice, bytes: Uint8Array): Json {
  const places = (): unknown =>
    list(dice, 3, () => ({ start: mostly(dice, dice.below(40)), length: mostly(dice, dice.below(60)) }));
  return {
    object: mostly(
      dice,
      Buffer.from(bytes).toString('hex') + (dice.oneIn(8) ? `__$${'a'.repeat(34)}$__` : ''),
    ),
    sourceMap: mostly(dice, sourceMap(dice)),
    linkReferences: mostly(dice, dice.oneIn(3) ? { 'L.sol': { L: mostly(dice, places()) } } : {}),
    immutableReferences: mostly(dice, dice.oneIn(3) ? { 7: mostly(dice, places()) } : {}),
    ...(dice.oneIn(3) ? { ethdebug: program(dice) } : {}),
  };
}

/** Makes a compilation with contracts of Solidity or Vyper. */
export function randomCompilation(dice: Dice): RandomCompilation {
  const isVyper = dice.oneIn(4);
  const file = isVyper ? VYPER : SOLIDITY;
  const codes = ['A', ...list(dice, 2, () => 'A')].map(() => dice.bytes(4 + dice.below(60)));
  const contracts = Object.fromEntries(
    codes.map((bytes, at) => [
      at === 0 ? 'A' : `A${at}`,
      {
        abi: abi(dice),
        evm: {
          bytecode: code(dice, bytes),
          deployedBytecode: code(dice, bytes),
          methodIdentifiers: mostly(dice, {}),
        },
        ...(dice.oneIn(4)
          ? {}
          : { storageLayout: solcLayout(dice), transientStorageLayout: solcLayout(dice) }),
        ...(isVyper ? { layout: vyperLayout(dice) } : {}),
      },
    ]),
  );
  const structs = list(
    dice,
    4,
    (at) => `struct S${at}:\n${list(dice, 4, (m) => `    m${m}: ${vyperTypeName(dice, 2)}\n`).join('')}`,
  );
  const content = isVyper ? structs.join('') + text(dice) : text(dice);
  const optimizer = { enabled: dice.oneIn(2) };
  return {
    input: {
      language: isVyper ? 'Vyper' : 'Solidity',
      sources: { [file]: { content } },
      settings: { optimizer },
    },
    output: { contracts: { [file]: contracts }, sources: { [file]: { id: 0, ast: tree(dice) } } },
    codes,
  };
}

/** Makes typed data whose types refer to each other. */
export function randomTypedData(dice: Dice): TypedData {
  const names = Array.from({ length: 1 + dice.below(12) }, (_, at) => `T${at}`);
  const type = (): string =>
    dice.pick([...names, 'uint256', 'string', 'bytes4', 'nothing']) +
    dice.pick(['', '', '[]', '[2]', '[][]']);
  const types = Object.fromEntries(
    names.map((name) => [name, list(dice, 5, (at) => ({ name: `f${at}`, type: type() }))]),
  );
  const value = (depth: number): unknown =>
    depth === 0
      ? dice.pick([null, 1, '0x', 'x', []])
      : dice.oneIn(3)
        ? list(dice, 3, () => value(depth - 1))
        : Object.fromEntries(list(dice, 5, (at) => [`f${at}`, value(depth - 1)]));
  const message = Object.fromEntries(list(dice, 5, (at) => [`f${at}`, value(5)]));
  return { types, primaryType: 'T0', domain: { name: 'fuzz' }, message };
}
