import { createRequire } from 'node:module';
import { encodeDeployData, encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SourceOutline } from '../../../src/artifacts/source-outline.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Linked {
    function check(uint256 value) external pure returns (uint256) {
        require(value != 3, "three");
        return value;
    }
}

contract Inner {
    constructor(uint256 value) {
        Linked.check(value);
    }
}

contract Outer {
    modifier counted(uint256 value) {
        uint256 next = value + 1;
        _;
        next;
    }

    function first(uint256 value) external returns (address) {
        return second(value + 1);
    }

    function second(uint256 value) internal counted(value) returns (address) {
        return address(new Inner(value + 1));
    }

    function deep(uint256 depth) public returns (uint256) {
        if (depth == 0) return gasleft();
        return deep(depth - 1);
    }
}

contract Recursive {
    function go(uint256 calls) external {
        inner(100, calls);
    }

    function inner(uint256 left, uint256 calls) internal {
        if (left > 0) return inner(left - 1, calls);
        require(calls > 0, "end");
        this.go(calls - 1);
    }
}
`;
const LINES = SOURCE.split('\n');

interface Frame {
  readonly kind: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly definedIn: string | null;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly frame: number;
  readonly depth: number;
  readonly firstStep: number | null;
  readonly gas: number | null;
}

interface Steps {
  readonly count: number;
  readonly failedAt: number;
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly depths: readonly number[];
  readonly steps: readonly { readonly gas: number; readonly frame: number }[];
}

interface FailedStack {
  readonly step: number;
  readonly count: number;
  readonly frames: readonly (Frame & {
    readonly excerpt?: { readonly first: number; readonly lines: string[] };
  })[];
}

/** The source text at the position of a frame. */
function marked({ line, column, endLine, endColumn }: Frame): string {
  const lines = LINES.slice(line - 1, endLine);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, endColumn - 1);
  lines[0] = (lines[0] ?? '').slice(column - 1);
  return lines.join('\n');
}

describe('inspect_frames', () => {
  let harness: RpcHarness;
  let hash: unknown;
  let deepHash: unknown;
  let recursion: object;
  let frames: (step: number, target?: unknown) => Promise<readonly Frame[]>;
  let steps: (page: object, target?: unknown) => Promise<Steps>;

  beforeAll(async () => {
    harness = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    const { call } = harness;
    const [from] = (await call('eth_accounts')) as string[];
    const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }]);
    const compile = (libraries: object) => {
      const input = {
        language: 'Solidity',
        sources: { 'Outer.sol': { content: SOURCE } },
        settings: {
          evmVersion: 'cancun',
          libraries: { 'Outer.sol': libraries },
          outputSelection: {
            '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'], '': ['ast'] },
          },
        },
      };
      return { input, output: JSON.parse(solc.compile(JSON.stringify(input))) };
    };
    const deploy = async ({ output }: ReturnType<typeof compile>, name: string): Promise<string> => {
      const { abi, evm } = output.contracts['Outer.sol'][name];
      const creation = await send({ data: encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}` }) });
      const receipt = await call('eth_getTransactionReceipt', [creation]);
      return (receipt as { contractAddress: string }).contractAddress;
    };
    const library = await deploy(compile({}), 'Linked');
    const compiled = compile({ Linked: library });
    await call('inspect_addArtifacts', [compiled.input, compiled.output]);
    const to = await deploy(compiled, 'Outer');
    const { abi } = compiled.output.contracts['Outer.sol'].Outer;
    hash = await send({ to, data: encodeFunctionData({ abi, functionName: 'first', args: [1n] }) });
    deepHash = await send({ to, data: encodeFunctionData({ abi, functionName: 'deep', args: [3n] }) });
    const recursive = await deploy(compiled, 'Recursive');
    const { abi: recursiveAbi } = compiled.output.contracts['Outer.sol'].Recursive;
    const data = encodeFunctionData({ abi: recursiveAbi, functionName: 'go', args: [24n] });
    recursion = { call: { to: recursive, data, gas: '0x3b9aca00' } };
    frames = async (step, target = hash) =>
      ((await call('inspect_frames', [target, step])) as { frames: Frame[] }).frames;
    steps = async (page, target = hash) => (await call('inspect_steps', [target, page])) as Steps;
  });

  it('returns external calls and internal functions with their kinds, innermost first', async () => {
    const { failedAt } = await steps({ count: 0 });
    const stack = await frames(failedAt);
    const facts = stack.map(({ kind, contract, function: name, definedIn, frame, depth }) =>
      [kind, contract, name, definedIn, frame, depth].join(' '),
    );
    expect(facts).toEqual([
      'library Linked check Linked 2 2',
      'creation Inner constructor Inner 1 1',
      'internal Outer second Outer 0 0',
      'call Outer first Outer 0 0',
    ]);
    expect(stack.map(marked)).toEqual([
      'require(value != 3, "three")',
      'Linked.check(value)',
      'new Inner(value + 1)',
      'second(value + 1)',
    ]);
  });

  it('returns the first step of each function and the gas there', async () => {
    const { failedAt } = await steps({ count: 0 });
    const { steps: all } = await steps({ count: 2000 });
    const stack = await frames(failedAt);
    const [, , second, first] = stack;
    expect(second?.gas).toBe(all[second?.firstStep ?? -1]?.gas);
    expect(first?.firstStep).toBe(0);
    expect(first?.gas).toBe(all[0]?.gas);
    for (const { firstStep, frame } of stack)
      if (firstStep !== null) expect(all[firstStep]?.frame).toBe(frame);
  });

  it('returns the stack trace of a failure with the failed step, and the lines around each position', async () => {
    const { call } = harness;
    const { failedAt } = await steps({ count: 0 });
    const failed = (await call('inspect_frames', [hash, 'failed', { lines: 1 }])) as FailedStack;
    expect(failed.step).toBe(failedAt);
    expect(failed.count).toBe(4);
    const there = await frames(failedAt);
    expect(failed.frames.map(marked)).toEqual(there.map(marked));
    for (const { excerpt, line } of failed.frames)
      expect(excerpt).toEqual({ first: line - 1, lines: LINES.slice(line - 2, line + 1) });
    const page = (await call('inspect_frames', [hash, 'failed', { first: 1, count: 2 }])) as FailedStack;
    expect(page.count).toBe(4);
    expect(page.frames.map(marked)).toEqual(there.slice(1, 3).map(marked));
    expect(page.frames[0]).not.toHaveProperty('excerpt');
  });

  it('rejects the failed step of a successful execution', async () => {
    await expect(harness.call('inspect_frames', [deepHash, 'failed'])).rejects.toThrow(
      'the execution succeeded, so no step failed',
    );
    await expect(harness.call('inspect_frames', [deepHash, 'first'])).rejects.toThrow(
      'the number of a step, from 0, or "failed"',
    );
  });

  it('decodes only the lines of the excerpts, not the whole file', async () => {
    const text = vi.spyOn(SourceOutline.prototype, 'text', 'get');
    const { frames: found } = (await harness.call('inspect_frames', [
      deepHash,
      1,
      { lines: 3 },
    ])) as FailedStack;
    expect(found[0]?.excerpt?.lines).toHaveLength(7);
    expect(text).not.toHaveBeenCalled();
    text.mockRestore();
  });

  it('returns at most 2,000 functions with excerpts, and all functions without', async () => {
    const count = 25 * 102;
    const all = (await harness.call('inspect_frames', [recursion, 'failed'])) as FailedStack;
    expect([all.count, all.frames.length]).toEqual([count, count]);
    const shown = (await harness.call('inspect_frames', [recursion, 'failed', { lines: 0 }])) as FailedStack;
    expect([shown.count, shown.frames.length]).toEqual([count, 2_000]);
  });

  it('returns a modifier without an entry', async () => {
    const { statements } = await steps({ count: 0 });
    const line = LINES.findIndex((text) => text.includes('uint256 next')) + 1;
    const [step = -1] = statements.find(([, , , at]) => at === line) ?? [];
    const [modifier, around] = await frames(step);
    expect(modifier).toMatchObject({
      kind: 'internal',
      function: 'counted',
      line,
      firstStep: null,
      gas: null,
    });
    expect(around).toMatchObject({ kind: 'internal', function: 'second' });
    expect(around?.firstStep).not.toBeNull();
  });

  it('has as many functions as the depths of inspect_steps, in a recursion', async () => {
    const { statements, depths } = await steps({ count: 0, depths: true }, deepHash);
    expect(depths).toHaveLength(statements.length);
    const line = LINES.findIndex((text) => text.includes('if (depth == 0)')) + 1;
    const seen = new Set<string>();
    for (const [index, [step, , , at]] of statements.entries()) {
      if (at !== line) continue;
      const stack = await frames(step, deepHash);
      seen.add(`${depths[index]} ${stack.map(({ function: name }) => name).join(' ')}`);
    }
    expect([...seen]).toEqual(['1 deep', '2 deep deep', '3 deep deep deep', '4 deep deep deep deep']);
  });

  it('lists the line of the statement at each step of a function', async () => {
    const { statements } = await steps({ count: 0 });
    for (const [step, frame, file, line] of statements) {
      const [innermost] = await frames(step);
      expect(innermost?.frame).toBe(frame);
      if (file >= 0) expect(innermost?.line).toBe(line);
    }
  });

  it('rejects a step after the end', async () => {
    const { count } = await steps({ count: 0 });
    await expect(frames(count)).rejects.toMatchObject({
      code: -32602,
      message: `invalid params: step: expected one of the ${count} steps, counted from 0, got ${count}`,
    });
  });
});
