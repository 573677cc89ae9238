/**
 * Generates contracts whose function `fill` sets variables of random types to random values, with the
 * expected values.
 */

import { getAddress } from 'viem';

export interface RandomStorage {
  readonly source: string;
  /** The values by variable, as inspections return them. Zeros are omitted. */
  readonly expected: Readonly<Record<string, string | boolean>>;
}

interface Value {
  readonly literal: string;
  /** The same key in a form whose value the optimizer cannot fold. */
  readonly key: string;
  readonly shown: string | boolean;
}

interface Scene {
  readonly statements: string[];
  readonly expected: Record<string, string | boolean>;
}

type Assign = (scene: Scene, expression: string, path: string) => void;

/** A type with the code that assigns a variable of the type. */
interface RandomType {
  readonly name: string;
  readonly assign: Assign;
}

const COLORS = ['Red', 'Green', 'Blue'];

/** Generates a contract. `next` returns random numbers from 0 up to 1. */
export function randomStorage(name: string, next: () => number): RandomStorage {
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const structs: string[] = [];
  const bits = (count: number): bigint => {
    let value = 0n;
    for (let left = count; left > 0; left -= 8) value = (value << 8n) | BigInt(below(256));
    return next() < 0.1 ? 0n : value;
  };
  const hex = (value: bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');

  const values: readonly (() => { readonly name: string; readonly value: () => Value })[] = [
    () => {
      const size = 8 * (1 + below(32));
      return {
        name: `uint${size}`,
        value: () => {
          const value = bits(size);
          return { literal: `${value}`, key: `uint${size}(mixed(${value}))`, shown: `${value}` };
        },
      };
    },
    () => {
      const size = 8 * (1 + below(32));
      return {
        name: `int${size}`,
        value: () => {
          const value = BigInt.asIntN(size, bits(size));
          const literal = value === -(2n ** BigInt(size - 1)) ? `type(int${size}).min` : `${value}`;
          const key = `int${size}(int256(mixed(${BigInt.asUintN(256, value)})))`;
          return { literal, key, shown: `${value}` };
        },
      };
    },
    () => {
      const size = 1 + below(32);
      return {
        name: `bytes${size}`,
        value: () => {
          const digits = hex(bits(8 * size), size);
          const word = BigInt(`0x${digits.padEnd(64, '0')}`);
          const key = `bytes${size}(bytes32(mixed(${word})))`;
          return { literal: `bytes${size}(hex"${digits}")`, key, shown: `0x${digits}` };
        },
      };
    },
    () => ({
      name: 'bool',
      value: () => {
        const value = next() < 0.7;
        return { literal: `${value}`, key: `mixed(${value ? 1 : 0}) != 0`, shown: value };
      },
    }),
    () => ({
      name: 'address',
      value: () => {
        const address = getAddress(`0x${hex(bits(160), 20)}`);
        const key = `address(uint160(mixed(${BigInt(address)})))`;
        return { literal: `address(uint160(${BigInt(address)}))`, key, shown: address };
      },
    }),
    () => ({
      name: 'Color',
      value: () => {
        const color = pick(COLORS);
        return { literal: `Color.${color}`, key: `Color(mixed(${COLORS.indexOf(color)}))`, shown: color };
      },
    }),
    () => ({
      name: 'Price',
      value: () => {
        const value = bits(96);
        return {
          literal: `Price.wrap(${value})`,
          key: `Price.wrap(uint96(mixed(${value})))`,
          shown: `${value}`,
        };
      },
    }),
    () => ({
      name: 'IThing',
      value: () => {
        const address = getAddress(`0x${hex(bits(160), 20)}`);
        const key = `IThing(address(uint160(mixed(${BigInt(address)}))))`;
        return { literal: `IThing(address(uint160(${BigInt(address)})))`, key, shown: address };
      },
    }),
  ];

  const isZero = (shown: string | boolean): boolean =>
    shown === false ||
    shown === '' ||
    shown === 'Red' ||
    (typeof shown === 'string' && /^(?:0x)?0+$/.test(shown));
  const note = (scene: Scene, path: string, shown: string | boolean): void => {
    if (!isZero(shown)) scene.expected[path] = shown;
  };

  const valueType = (): RandomType => {
    const made = pick(values)();
    return {
      name: made.name,
      assign: (scene, expression, path) => {
        const { literal, shown } = made.value();
        scene.statements.push(`${expression} = ${literal};`);
        note(scene, path, shown);
      },
    };
  };
  const textType = (): RandomType => {
    const isText = next() < 0.5;
    return {
      name: isText ? 'string' : 'bytes',
      assign: (scene, expression, path) => {
        const length = pick([0, 1, 5, 31, 32, 33, 64, 100]);
        const bytes = Array.from({ length }, () => (isText ? 97 + below(26) : below(256)));
        const digits = Buffer.from(bytes).toString('hex');
        const text = Buffer.from(bytes).toString();
        scene.statements.push(`${expression} = ${isText ? `"${text}"` : `hex"${digits}"`};`);
        if (length > 0) scene.expected[path] = isText ? text : `0x${digits}`;
      },
    };
  };
  const arrayType = (depth: number): RandomType => {
    const item = type(depth + 1);
    const count = 1 + below(5);
    if (next() < 0.5) {
      return {
        name: `${item.name}[${count}]`,
        assign: (scene, expression, path) => {
          for (let index = 0; index < count; index++)
            item.assign(scene, `${expression}[${index}]`, `${path}[${index}]`);
        },
      };
    }
    return {
      name: `${item.name}[]`,
      assign: (scene, expression, path) => {
        for (let index = 0; index < count; index++) {
          scene.statements.push(`${expression}.push();`);
          item.assign(scene, `${expression}[${index}]`, `${path}[${index}]`);
        }
        scene.expected[`${path}.length`] = `${count}`;
      },
    };
  };
  const mappingType = (depth: number): RandomType => {
    const item = type(depth + 1);
    const isText = next() < 0.25;
    const key = isText ? null : pick(values)();
    return {
      name: `mapping(${key?.name ?? 'string'} => ${item.name})`,
      assign: (scene, expression, path) => {
        const known = new Set<string>();
        for (let left = 1 + below(2); left > 0; left--) {
          const text = Array.from({ length: 1 + below(40) }, () => String.fromCharCode(97 + below(26))).join(
            '',
          );
          const value =
            key === null ? { key: `mixedText("${text}")`, shown: JSON.stringify(text) } : key.value();
          if (known.has(String(value.shown))) continue;
          known.add(String(value.shown));
          item.assign(scene, `${expression}[${value.key}]`, `${path}[${value.shown}]`);
        }
      },
    };
  };
  const structType = (depth: number): RandomType => {
    const members = Array.from({ length: 1 + below(4) }, () => type(depth + 1));
    const struct = `S${structs.length}`;
    structs.push(`struct ${struct} { ${members.map((member, at) => `${member.name} m${at};`).join(' ')} }`);
    return {
      name: struct,
      assign: (scene, expression, path) => {
        for (const [at, member] of members.entries())
          member.assign(scene, `${expression}.m${at}`, `${path}.m${at}`);
      },
    };
  };
  const type = (depth: number): RandomType => {
    if (depth > 2 || next() < 0.4) return valueType();
    return pick([
      () => textType(),
      () => structType(depth),
      () => arrayType(depth),
      () => mappingType(depth),
    ])();
  };

  const scene: Scene = { statements: [], expected: {} };
  const variables = Array.from({ length: 5 }, (_, at) => {
    const made = type(0);
    made.assign(scene, `v${at}`, `v${at}`);
    return `${made.name} internal v${at};`;
  });
  // Several functions, because the stack is limited.
  const parts: string[] = [];
  for (let at = 0; at < scene.statements.length; at += 20)
    parts.push(`function part${at}() private { ${scene.statements.slice(at, at + 20).join(' ')} }`);
  const calls = parts.map((_, index) => `part${20 * index}();`).join(' ');
  const lines = [
    `contract ${name} {`,
    'enum Color { Red, Green, Blue } type Price is uint96;',
    ...structs,
    ...variables,
    'uint256 internal zero; string internal empty;',
    'function mixed(uint256 number) private view returns (uint256) { return number + zero; }',
    'function mixedText(string memory text) private view returns (string memory) {',
    'return bytes(empty).length == 0 ? text : empty; }',
    ...parts,
    `function fill() external { ${calls} } }`,
  ];
  return { source: lines.join('\n'), expected: scene.expected };
}
