import { describe, expect, it } from 'vitest';
import type { CodeTemplate } from '../../../src/artifacts/artifact.ts';
import { callWithData, writtenValue } from '../../../src/cli/mcp/contract-call.ts';
import {
  constructorInputs,
  linkedCode,
  signatureInputs,
  withArguments,
} from '../../../src/cli/mcp/creation.ts';
import { LongTexts, type Session, ToolError } from '../../../src/cli/mcp/session.ts';
import { adviceOn, nearestMethods } from '../../../src/cli/mcp/tool.ts';
import { CHAIN_TOOLS } from '../../../src/cli/mcp/tools/chain-tools.ts';
import { rejectedExecution } from '../../../src/cli/mcp/tools/contract-tools.ts';
import { sourceExcerpt } from '../../../src/cli/mcp/tools/trace-tools.ts';
import { AnsweredError, type NodeClient } from '../../../src/cli/node-client.ts';
import { argumentValue, type WrittenParameter } from '../../../src/cli/trace/written-call.ts';

const PAIR: WrittenParameter = {
  type: 'tuple',
  components: [
    { name: 'who', type: 'string' },
    { name: 'amounts', type: 'uint256[]' },
  ],
};

describe('JSON arguments of contract functions', () => {
  it.each<[WrittenParameter, unknown, unknown]>([
    [{ type: 'uint256' }, 5, 5n],
    [{ type: 'uint256' }, '1e18', 10n ** 18n],
    [{ type: 'bool' }, true, true],
    [{ type: 'string' }, 'a, "b"', 'a, "b"'],
    [{ type: 'uint8[2]' }, [1, '2'], [1n, 2n]],
    [{ type: 'string[]' }, ['a,b', '[c'], ['a,b', '[c']],
    [{ type: 'uint8[][]' }, [[1], []], [[1n], []]],
    [PAIR, { amounts: [1, 2], who: 'me, (you)' }, ['me, (you)', [1n, 2n]]],
    [PAIR, ['me', ['3']], ['me', [3n]]],
    [{ ...PAIR, type: 'tuple[]' }, [{ who: '', amounts: [] }], [['', []]]],
    [PAIR, '("me",[3])', ['me', [3n]]],
  ])('converts %j %j to its value', (parameter, given, value) => {
    const written = writtenValue(parameter, given, 'it');
    expect(argumentValue(parameter, written, 'it', 'the call')).toEqual(value);
  });

  it.each<[WrittenParameter, unknown, string]>([
    [{ type: 'uint256' }, 1e21, 'it: the number 1e+21 is not exact in JSON; write it as a string'],
    [{ type: 'uint256' }, null, 'it: expected a string, a number or a boolean for uint256, got null'],
    [{ type: 'uint256[]' }, { a: 1 }, 'it: expected an array for uint256[]'],
    [PAIR, { who: 'me' }, 'it: missing member amounts; expected who, amounts'],
    [PAIR, ['me'], 'it: expected 2 members, got 1'],
  ])('rejects %j %j', (parameter, given, words) => {
    expect(() => writtenValue(parameter, given, 'it')).toThrow(words);
  });
});

describe('creation code', () => {
  const creation: CodeTemplate = {
    bytes: new Uint8Array(24),
    holes: [{ start: 2, length: 20, kind: 'library', name: 'lib/Math.sol:Math' }],
    sourceMap: null,
    variables: null,
  };
  const at = `0x${'ab'.repeat(20)}`;

  it.each(['Math', 'lib/Math.sol:Math'])('links the library named %s', (name) => {
    const code = linkedCode({ name: 'Token', creation }, { [name]: at });
    expect(code).toBe(`0x0000${'ab'.repeat(20)}0000`);
    expect(creation.bytes.every((byte) => byte === 0)).toBe(true);
  });

  it('creation code is rejected without the library, and for contracts without code', () => {
    expect(() => linkedCode({ name: 'Token', creation }, {})).toThrow(
      'Token requires the library lib/Math.sol:Math',
    );
    expect(() => linkedCode({ name: 'Token', creation: null }, {})).toThrow(
      'Token has no code: it is an interface or an abstract contract',
    );
  });

  it('includes the constructor arguments by ABI or signature', () => {
    const encoded = `0x00${'7'.padStart(64, '0')}`;
    const abi = [{ type: 'constructor', inputs: [{ name: 'supply', type: 'uint256' }] }];
    expect(withArguments('0x00', constructorInputs(abi), ['7'])).toBe(encoded);
    expect(withArguments('0x00', signatureInputs('constructor(uint256 supply)'), [7])).toBe(encoded);
    expect(withArguments('0x00', constructorInputs([]), [])).toBe('0x00');
    expect(() => withArguments('0x00', constructorInputs(abi), [])).toThrow(
      'the constructor: expected 1 argument (uint256), got 0',
    );
    expect(() => withArguments('0x00', constructorInputs(abi), ['x'])).toThrow('supply of the constructor');
    expect(() => withArguments('0x00', [], ['x'])).toThrow('the constructor: expected 0 arguments');
  });
});

describe('calls of tools', () => {
  const to = `0x${'cd'.repeat(20)}`;
  const from = `0x${'ab'.repeat(20)}`;
  const node = {
    ask: async (method: string) => (method === 'eth_accounts' ? [from] : []),
  } as unknown as NodeClient;

  it('encodes the function, or uses the given data, or no data', async () => {
    const { call, item } = await callWithData(
      { to, function: 'transfer(address,uint256)', args: [from, '5'], value: '1gwei', gas: '21000' },
      node,
    );
    const words = `${'ab'.repeat(20).padStart(64, '0')}${'5'.padStart(64, '0')}`;
    expect(call).toEqual({ from, to, data: `0xa9059cbb${words}`, value: '0x3b9aca00', gas: '0x5208' });
    expect(item).toMatchObject({ name: 'transfer' });
    expect(await callWithData({ to, from: to, data: '0x1234' }, node)).toEqual({
      item: null,
      call: { from: to, to, data: '0x1234' },
    });
    expect(await callWithData({ to }, node)).toEqual({ item: null, call: { from, to } });
  });

  it('rejects data together with a function, and arguments without a function', async () => {
    await expect(callWithData({ to, function: 'f()', data: '0x' }, node)).rejects.toThrow(
      'data cannot be used with function',
    );
    await expect(callWithData({ to, args: [1] }, node)).rejects.toThrow('args requires function');
  });
});

describe('remedies for errors', () => {
  const names = ['eth_call', 'evm_mine', 'hardhat_mine', 'evm_increaseTime'];

  it.each([
    ['eth_mine', ['evm_mine', 'hardhat_mine']],
    ['evm_mien', ['evm_mine']],
    ['nothing_like_it', []],
  ])('suggests methods similar to %s', (method, near) => {
    expect(nearestMethods(method, names)).toEqual(near);
  });

  it.each<[number, unknown, string]>([
    [-32601, undefined, 'method_docs lists the methods'],
    [-32602, undefined, 'method_docs {"name": "eth_call"}'],
    [-32015, '0x', 'explain_failure with the same'],
    [3, { txHash: '0x12' }, 'explain_failure {"hash": "0x12"}'],
    [-32012, undefined, 'less data in one call'],
    [-32000, undefined, 'help_topic {"topic": "errors"}'],
  ])('remedies for an error with code %i and data %j contain %s', (code, data, words) => {
    expect(adviceOn(new AnsweredError(code, 'it', data), 'eth_call', [])).toContain(words);
  });
});

describe('rejectedExecution', () => {
  it('returns code, message and remedy of a rejected transaction, and rethrows other errors', () => {
    const answer = rejectedExecution(new AnsweredError(-32015, 'it reverts', '0x'), 'eth_call');
    expect(JSON.stringify(answer)).toMatch(/the node returned error -32015: it reverts.*explain_failure/);
    const fault = new TypeError('a fault');
    expect(() => rejectedExecution(fault, 'eth_call')).toThrow(fault);
  });
});

describe('create_lane tool', () => {
  const tool = CHAIN_TOOLS.find(({ name }) => name === 'create_lane');
  const scene = (
    ask: (method: string) => Promise<unknown>,
    laneUrl = (key: string) => `http://node/${key}`,
  ) => {
    const node = { ask } as unknown as NodeClient;
    return { node: async () => node, laneUrl } as unknown as Session;
  };

  it('reports the lane as created even if its status cannot be read', async () => {
    const session = scene(async (method) => {
      if (method === 'lane_create') return 'work';
      throw new AnsweredError(-32603, 'out of order', undefined);
    });
    expect(await tool?.run({ name: 'work' }, session)).toEqual({
      text: 'Lane work is at http://node/work. Pass "lane": "work" to the tools. The lane exists, but its status cannot be read: out of order',
      content: { lane: 'work', url: 'http://node/work' },
    });
  });

  it('creates no lane if the lane could not be called', async () => {
    const asked: string[] = [];
    const refused = new ToolError('the URL names a lane', 'Leave out lane.');
    const session = scene(
      async (method) => asked.push(method),
      () => {
        throw refused;
      },
    );
    await expect(tool?.run({ name: 'work' }, session)).rejects.toBe(refused);
    expect(asked).toEqual([]);
  });
});

describe('sourceExcerpt', () => {
  const content = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\r\n');

  it('returns the surrounding lines with a mark', () => {
    expect(sourceExcerpt(content, 10, 3)?.split('\n')).toEqual([
      '   6 | line 6',
      '   7 | line 7',
      '   8 | line 8',
      '   9 | line 9',
      '> 10 | line 10',
      '     |   ^',
      '  11 | line 11',
      '  12 | line 12',
      '  13 | line 13',
      '  14 | line 14',
    ]);
  });

  it('the excerpt is limited to the lines of the source', () => {
    expect(sourceExcerpt(content, 1, null)).toMatch(/^> 1 \| line 1\n {2}2/);
    expect(sourceExcerpt(content, 20, null)).toMatch(/> 20 \| line 20$/);
    expect(sourceExcerpt(content, 21, null)).toBeNull();
  });
});

describe('LongTexts', () => {
  it('returns long texts in parts and evicts the oldest texts', () => {
    const texts = new LongTexts();
    expect(texts.cut('short')).toEqual({ text: 'short', isCut: false });
    const { text, isCut } = texts.cut('x'.repeat(30_000));
    expect(isCut).toBe(true);
    expect(text).toMatch(/^x{24000}\n\n\[characters 0 to 24000 of 30000; .* id "1" and offset 24000\]$/);
    expect(texts.rest('1', 24_000)).toMatch(
      /^x{6000}\n\n\[characters 24000 to 30000 of 30000; end of the response\]$/,
    );
    for (let count = 0; count < 8; count++) texts.cut('y'.repeat(30_000));
    expect(texts.rest('1', 0)).toBeNull();
    expect(texts.rest('9', 0)).toContain('y');
  });
});
