/** Generates contracts with variables of random types, up to the supported depth of layouts. */

/** Returns numbers from 0 up to 1, reproducible by seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KEYS = [
  'address',
  'uint256',
  'uint8',
  'int128',
  'bytes4',
  'bytes32',
  'bool',
  'string',
  'bytes',
  'Color',
  'Price',
];

/**
 * A source with `count` contracts. Each contract may inherit from earlier contracts and use their structs.
 */
export function randomContracts(seed: number, count: number): string {
  const next = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  const structs = ['Plain'];
  const value = (): string =>
    pick([
      () => `uint${8 * (1 + below(32))}`,
      () => `int${8 * (1 + below(32))}`,
      () => `bytes${1 + below(32)}`,
      () => pick(['bool', 'address', 'address payable', 'Color', 'Price', 'Id', 'Small', 'IThing']),
      () => pick(['function() external', 'function(uint256) internal view returns (bool)']),
    ])();
  const type = (depth: number): string => {
    if (depth > 3 || next() < 0.45) return value();
    return pick([
      () => pick(['string', 'bytes']),
      () => pick(structs),
      () => `${type(depth + 1)}[]`,
      () => `${type(depth + 1)}[${1 + below(9)}]`,
      () => `mapping(${pick(KEYS)} => ${type(depth + 1)})`,
    ])();
  };
  const lines = [
    'pragma solidity ^0.8.28;',
    'enum Color { Red, Green, Blue }',
    'type Price is uint128; type Id is bytes32; type Small is int16;',
    'interface IThing {}',
    'struct Plain { uint8 a; address b; Plain[] children; mapping(uint256 => Plain) named; }',
  ];
  for (let index = 0; index < count; index++) {
    const name = `S${index}`;
    const members = Array.from({ length: 1 + below(6) }, (_, at) => `${type(1)} m${at};`);
    lines.push(`struct ${name} { ${members.join(' ')} }`);
    structs.push(name);
    const bases = index > 0 && next() < 0.5 ? ` is C${below(index)}` : '';
    const variables = Array.from({ length: 1 + below(8) }, (_, at) => {
      const prefix = pick(['', '', '', 'transient', 'constant']);
      const own = `v${index}_${at}`;
      if (prefix === 'constant') return `uint256 constant ${own} = ${at};`;
      if (prefix === 'transient') return `uint${8 * (1 + below(32))} transient ${own};`;
      return `${type(0)} internal ${own};`;
    });
    lines.push(`contract C${index}${bases} { ${variables.join(' ')} }`);
  }
  return lines.join('\n');
}
