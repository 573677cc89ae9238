import { beforeAll, describe, expect, it } from 'vitest';
import { compiled, sceneOf } from '../../inspect/evaluation/scene.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Inner {
  error Broken(uint256 code);

  function fail(uint256 code) external pure {
    revert Broken(code);
  }
}

contract Outer {
  event Passed(uint256 value);

  uint256 public total;
  uint256[] public items;
  mapping(address => uint256) public balances;
  uint256 transient lock;
  Inner immutable inner = new Inner();

  function caught(uint256 value) external {
    lock = 7;
    total += value;
    items.push(value);
    balances[msg.sender] = value;
    emit Passed(value);
    try inner.fail(value) {} catch {}
    log("done");
    last(value);
  }

  function last(uint256 value) internal pure {
    uint256 zero = value - value;
    value / zero;
  }

  function log(string memory text) internal view {
    (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(
      abi.encodeWithSignature("log(string)", text)
    );
    ok;
  }
}
`;

interface StepEvent {
  readonly step: number;
  readonly kind: string;
  readonly text: string;
  readonly contract: string | null;
  readonly error?: string;
}

interface Outline {
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly definitions: readonly number[];
  readonly events: readonly StepEvent[];
  readonly failedAt: number;
}

interface State {
  readonly contract: string | null;
  readonly state: readonly { readonly name: string; readonly type: string; readonly value: unknown }[] | null;
  readonly transient: readonly { readonly name: string; readonly value: unknown }[];
  readonly transientSlots: readonly (readonly [string, string])[];
  readonly omittedTransientSlots: number;
}

const lines = SOURCE.split('\n');
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;

describe('events of inspect_steps', () => {
  let hash: string;
  let outline: Outline;
  let call: (method: string, params: unknown[]) => Promise<unknown>;

  beforeAll(async () => {
    const scene = await sceneOf(compiled('Outer.sol', SOURCE));
    call = scene.call;
    const { address } = await scene.deploy('Outer');
    hash = await scene.invoke('Outer', address, 'caught', [5n]);
    outline = (await call('inspect_steps', [hash, { count: 0, depths: true, events: true }])) as Outline;
  });

  const lineAt = (step: number): number =>
    outline.statements.findLast(([first, , , line]) => first <= step && line > 0)?.[3] ?? 0;

  it('lists events, failures and console output by step', () => {
    expect(outline.events.map(({ kind, text, contract, error }) => [kind, text, contract, error])).toEqual([
      ['event', 'Passed(value: 5)', 'Outer', undefined],
      ['failure', "reverted with custom error 'Broken(code: 5)'", 'Inner', 'Broken'],
      ['console', 'done', 'Outer', undefined],
      ['failure', 'reverted with panic code 0x12 (division or modulo by zero)', 'Outer', 'Panic'],
    ]);
    expect(outline.events.map(({ step }) => lineAt(step)).slice(0, 2)).toEqual([
      lineOf('emit Passed'),
      lineOf('revert Broken'),
    ]);
    expect(outline.events.at(-1)?.step).toBe(outline.failedAt);
  });

  it('lists the statements at function definitions', () => {
    const defined = outline.definitions.map((index) => outline.statements[index]?.[3]);
    expect(new Set(defined)).toEqual(
      new Set([
        lineOf('function fail'),
        lineOf('function caught'),
        lineOf('function log'),
        lineOf('function last'),
      ]),
    );
  });

  it('returns the state variables before the failing step', async () => {
    const found = (await call('inspect_state', [hash, outline.failedAt])) as State;
    expect(found.contract).toBe('Outer');
    expect(found.state?.map(({ name, type, value }) => [name, type, value])).toEqual([
      ['total', 'uint256', '5'],
      ['items', 'uint256[]', [{ name: '', type: 'uint256', value: '5' }]],
      ['balances', 'mapping(address => uint256)', [expect.objectContaining({ type: 'uint256', value: '5' })]],
    ]);
    expect(found.transient).toMatchObject([{ name: 'lock', value: '7' }]);
    expect(found.transientSlots).toEqual([[`0x${'00'.repeat(32)}`, `0x${'07'.padStart(64, '0')}`]]);
  });

  it('returns the state variables before any change', async () => {
    const found = (await call('inspect_state', [hash, 0])) as State;
    expect(found.state?.map(({ value }) => value)).toEqual(['0', [], []]);
    expect(found.transientSlots).toEqual([]);
  });
});

describe('inspect_state', () => {
  it('returns at most 1,000 slots of transient storage', async () => {
    const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
contract Writer {
  function write(uint256 count) external {
    for (uint256 slot = 0; slot < count; slot++) {
      assembly { tstore(slot, 1) }
    }
    revert("written");
  }
}
`;
    const { call, deploy, invoke } = await sceneOf(compiled('Writer.sol', source));
    const { address } = await deploy('Writer');
    const hash = await invoke('Writer', address, 'write', [1_003n]);
    const { failedAt } = (await call('inspect_steps', [hash, { count: 0 }])) as Outline;

    const found = (await call('inspect_state', [hash, failedAt])) as State;

    expect(found.transientSlots).toHaveLength(1_000);
    expect(found.omittedTransientSlots).toBe(3);
  });
});
