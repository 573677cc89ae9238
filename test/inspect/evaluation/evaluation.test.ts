import { encodeAbiParameters, encodeFunctionData, getAddress, keccak256, parseAbi } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiled, compiledFile, type Evaluated, sceneOf } from './scene.ts';

type Scene = Awaited<ReturnType<typeof sceneOf>>;

let scene: Scene;
let token: string;
let contract: string;
let deployment: string;

beforeAll(async () => {
  scene = await sceneOf(compiledFile());
  // The token of the contract is created first, so the next address is its holder.
  const made = await scene.deploy('Token', [`0x${'00'.repeat(19)}01`]);
  token = made.address;
  const evaluated = await scene.deploy('Evaluated', [token], '0x64');
  contract = evaluated.address;
  deployment = evaluated.hash;
}, 60_000);

/** Returns a function that evaluates at the marked statement of a transaction. */
async function at(hash: string, mark: string): Promise<(expression: string) => Promise<Evaluated>> {
  const step = await scene.stepOf(hash, mark);
  return (expression) => scene.evaluate(hash, step, expression);
}

async function funded(): Promise<void> {
  // Slot 0 of the token maps holders to balances.
  const slot = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [contract as `0x${string}`, 0n]),
  );
  await scene.call('hardhat_setStorageAt', [token, slot, `0x${(1000).toString(16).padStart(64, '0')}`]);
}

describe('inspect_evaluate in a function', () => {
  let value: (expression: string) => Promise<unknown>;
  let evaluate: (expression: string) => Promise<Evaluated>;

  beforeAll(async () => {
    await funded();
    const hash = await scene.invoke('Evaluated', contract, 'run', [40n, -3, 'title', [8n, 9n]], {
      value: '0x7',
    });
    evaluate = await at(hash, 'run');
    value = async (expression) => (await evaluate(expression)).value;
  });

  it.each([
    // locals and parameters
    ['amount', '40'],
    ['delta', '-3'],
    ['narrow', (2n ** 127n).toString()],
    ['title', 'title'],
    ['bytes(title).length', '5'],
    ['list.length', '2'],
    ['list[1]', '9'],
    ['made[2] + list[0]', '88'],
    ['copied.amount', '5'],
    ['copied.note', 'first'],
    ['copied.parts[1]', '9'],
    ['stored.note', 'second'],
    ['stored.level == Level.Low', true],
    ['data.length', '32'],
    ['uint256(bytes32(data))', '40'],
    // state variables
    ['total', '40'],
    ['small', '200'],
    ['negative', '-5'],
    ['flag', true],
    ['sig', '0x12345678'],
    ['sig[1]', '0x34'],
    ['short', 'short'],
    ['long', 'a text of more than thirty-one bytes, in several slots'],
    ['blob', '0x0102030405'],
    ['blob[4]', '0x05'],
    ['order.amount', '5'],
    ['order.level', 'High'],
    ['orders.length', '2'],
    ['orders[0].parts[1]', '9'],
    ['balances[who]', '90'],
    ['nested[who]["key"].amount', '77'],
    ['byLevel[Level.High]', '88'],
    ['byLevel[level]', '0'],
    ['fixedItems[4]', '5'],
    ['packed[11]', '11000'],
    ['counter', '1'],
    ['inherited', '12'],
    ['hidden', '11'],
    // constants and immutable variables
    ['LIMIT', '1000003000'],
    ['INHERITED', '13'],
    ['NAME', 'Evaluated'],
    ['KEY == keccak256("key")', true],
    ['Sums.START', '5'],
    ['born', '42'],
    // types
    ['Price.unwrap(price) + 1', '100'],
    ['type(uint8).max', '255'],
    ['type(int16).min', '-32768'],
    ['uint8(int8(-1))', '255'],
    ['Level(1)', 'Middle'],
    ['uint256(level)', '1'],
    // globals
    ['msg.value', '7'],
    ['msg.data.length > 4', true],
    ['msg.sig == this.run.selector', true],
    ['block.chainid', '33'],
    ['address(this).balance', '107'],
    ['address(token).code.length > 0', true],
    ['IToken.balanceOf.selector', '0x70a08231'],
    [
      'keccak256(abi.encode(who, uint256(3))) == keccak256(abi.encodePacked(bytes32(uint256(uint160(who))), uint256(3)))',
      true,
    ],
    ['abi.encodeWithSignature("balanceOf(address)", who).length', '36'],
    ['abi.encodeWithSelector(0x70a08231, "ab").length', '100'],
    ['addmod(type(uint256).max, 2, 10)', '7'],
    ['mulmod(type(uint256).max, 2, 10)', '0'],
    ['gasleft() > 1000', true],
    // arithmetic
    ['1 ether + 2 gwei', '1000000002000000000'],
    ['1 / 2 * 4', '2'],
    ['7 / 2', '7/2'],
    ['amount / 7', '5'],
    ['2 ** 8 - 1', '255'],
    ['-2 ** 2', '4'],
    ['amount > 30 && delta < 0 ? amount : total', '40'],
    ['false && secret() == 1', false],
    ['~uint8(1) & 0xf0', '240'],
    ['uint8(1) << 9', '0'],
    // functions
    ['sum(1, amount)', '41'],
    ['sum(list)', '17'],
    ['sum([1, 2, 3])', '6'],
    ['this.sum(made)', '80'],
    ['whoAmI()', 'FROM'],
    ['this.whoAmI()', 'SELF'],
    ['token.balanceOf(who)', '10'],
    ['IToken(address(token)).balanceOf(address(this))', '990'],
    ['Token(address(token)).balances(who)', '10'],
    ['this.total()', '40'],
    ['this.levelOf(copied)', 'High'],
    ['this.orderAt(1).note', 'second'],
    ['this.priced(price)', '99'],
  ])('returns the value of %s', async (expression, expected) => {
    const known =
      expected === 'FROM' ? getAddress(scene.from) : expected === 'SELF' ? getAddress(contract) : expected;
    expect(await value(expression)).toBe(known);
  });

  it('returns types and raw words', async () => {
    expect(await evaluate('delta')).toEqual({ type: 'int8', value: '-3', raw: `0x${'f'.repeat(63)}d` });
    expect(await evaluate('token')).toMatchObject({ type: 'contract IToken', value: getAddress(token) });
    expect(await evaluate('level')).toMatchObject({ type: 'enum Level', value: 'Middle' });
    expect(await evaluate('sig')).toMatchObject({ raw: `0x12345678${'0'.repeat(56)}` });
    expect(await evaluate('"text"')).toMatchObject({
      type: 'literal string',
      value: 'text',
      raw: '0x74657874',
    });
  });

  it('returns the parts of structs, arrays and tuples', async () => {
    const parts = (await value('copied')) as readonly { readonly name: string; readonly value: unknown }[];
    expect(parts.map(({ name, value: inner }) => [name, inner])).toEqual([
      ['amount', '5'],
      ['owner', getAddress(scene.from)],
      ['level', 'High'],
      ['parts', [expect.objectContaining({ value: '0' }), expect.objectContaining({ value: '9' })]],
      ['note', 'first'],
    ]);
    expect(await value('order')).toEqual(parts);
    expect(await value('this.orderAt(0)')).toMatchObject(parts);
    expect(await value('this.now_()')).toMatchObject([{ value: '40' }, { value: '1' }]);
    expect(await value('packed')).toMatchObject([
      { name: '', type: 'uint24', value: '0' },
      { value: '1000' },
      ...Array.from({ length: 10 }, () => ({})),
    ]);
    expect(await evaluate('balances')).toMatchObject({
      hasUnknownKeys: true,
      value: [{ name: `[${getAddress(scene.from)}]`, value: '90' }],
    });
  });

  it('runs calls with the origin and the fees of the transaction', async () => {
    const [sender, origin, gasPrice, baseFee] = (await value('Token(address(token)).caller()')) as readonly {
      readonly value: string;
    }[];
    expect([sender?.value, origin?.value]).toEqual([getAddress(contract), getAddress(scene.from)]);
    expect([gasPrice?.value, baseFee?.value]).toEqual([
      await value('tx.gasprice'),
      await value('block.basefee'),
    ]);
    expect(BigInt(gasPrice?.value ?? 0n)).toBeGreaterThan(0n);
  });

  it.each([
    ['amout + 1', 0, 5, 'did you mean amount?'],
    ['amount + flag', 0, 13, 'operator + cannot be applied to uint256 and bool'],
    ['1 + order.amont', 10, 15, 'did you mean amount?'],
    ['small + small', 0, 13, 'overflow: the result of + is above the maximum of uint8'],
    ['amount - 41', 0, 11, 'underflow'],
    ['-negative * type(int16).min', 0, 27, 'underflow'],
    ['amount / (delta == -3 ? 0 : 1)', 0, 30, 'division or modulo by zero'],
    ['list[2]', 0, 7, 'index 2 is out of range: the length is 2'],
    ['balances["a"]', 0, 13, 'expected a key of type address'],
    ['secret()', 0, 8, 'secret is an internal function'],
    ['this.write()', 0, 12, 'write writes (SSTORE at'],
    ['this.log()', 0, 10, 'log writes (LOG1 at'],
    ['token.move(who, 1)', 0, 18, 'move writes (SSTORE at'],
    ['this.loop()', 0, 11, 'loop failed: out of gas'],
    [
      'Token(address(token)).check(address(2))',
      0,
      39,
      'reverted with Poor(owner: 0x0000000000000000000000000000000000000002, has: 0)',
    ],
    ['this.sum.selector', 9, 17, 'several functions are named sum'],
    ['Sums.twice(1)', 0, 13, 'like an internal function'],
    ['this.sum(1)', 0, 11, 'expected the arguments of sum('],
    ['amount = 1', 7, 8, 'an expression cannot write (=)'],
    ['amount +', 8, 8, 'expected a value, got the end'],
    ['amount @ 1', 7, 8, 'unexpected character'],
    ['msg', 0, 3, 'name one of its members'],
    ['msg.sendr', 4, 9, 'did you mean sender?'],
    ['address(1).foo()', 0, 16, 'there is no contract at'],
    ['uint8(300)', 0, 10, 'cannot convert int_const 300 to uint8'],
    ['bytes4(1)', 0, 9, 'cannot convert'],
    ['Level(3)', 0, 8, 'out of range'],
    ['Level.Mddle', 6, 11, 'did you mean Middle?'],
    [`0x${'aB'.repeat(20)}`, 0, 42, 'checksum'],
    ['(((1', 4, 4, 'expected )'],
    ['"open', 0, 5, 'no closing quote'],
  ])('rejects %s', async (expression, start, end, reason) => {
    await expect(evaluate(expression)).rejects.toMatchObject({
      message: expect.stringContaining(reason),
      data: { expression, start, end, reason: expect.stringContaining(reason) },
    });
  });
});

describe('inspect_evaluate', () => {
  it('reads the state of a frame that fails later', async () => {
    await funded();
    const before = await scene.call('eth_call', [{ to: contract, data: '0x2ddbd13a' }, 'latest']);
    const hash = await scene.invoke('Evaluated', contract, 'outer', []);
    const inside = await at(hash, 'inner');
    expect((await inside('this.now_()')).value).toMatchObject([{ value: '5' }, { value: '5' }]);
    expect((await inside('counter')).value).toBe('5');
    expect((await inside('token.balanceOf(address(this))')).value).toBe('995');
    const caught = await at(hash, 'caught');
    expect((await caught('this.now_()')).value).toMatchObject([
      { value: BigInt(before as string).toString() },
      { value: '0' },
    ]);
    expect((await caught('counter')).value).toBe('0');
    expect((await caught('token.balanceOf(address(this))')).value).toBe('1000');
  });

  it('evaluates at the steps of a failure and of a call', async () => {
    const abi = parseAbi(['function shadow(uint256 total) returns (uint256)']);
    const data = encodeFunctionData({ abi, functionName: 'shadow', args: [150n] });
    const call = { from: scene.from, to: contract, data };
    await expect(scene.call('eth_call', [call, 'latest'])).rejects.toThrow('limited');
    for (const target of [{ failure: 'last' }, { call, block: 'latest' }]) {
      const { statements } = (await scene.call('inspect_steps', [target, { count: 0 }])) as {
        statements: readonly (readonly [number, number, number, number])[];
      };
      const line = scene.lines.findIndex((text) => text.includes('// @step modifier')) + 1;
      const step = statements.find(([, , file, at]) => file >= 0 && at === line)?.[0] ?? 0;
      const value = (expression: string) => scene.call('inspect_evaluate', [target, step, expression]);
      expect(await value('total')).toMatchObject({ value: '151' });
      expect(await value('msg.sender')).toMatchObject({ value: getAddress(scene.from) });
      expect(await value('this.now_()')).toMatchObject({ value: [{ value: expect.any(String) }, {}] });
    }
  });

  it('prefers parameters to state variables of the same name', async () => {
    const hash = await scene.invoke('Evaluated', contract, 'shadow', [3n]);
    const inside = await at(hash, 'shadow');
    expect((await inside('total')).value).toBe('3');
    expect((await inside('small')).value).toBe('0');
    const modifier = await at(hash, 'modifier');
    expect((await modifier('total')).value).toBe('4');
    expect((await modifier('small')).value).toBe('200');
  });

  it('reads a constructor, whose functions cannot be called yet', async () => {
    const inside = await at(deployment, 'constructor');
    expect((await inside('given')).value).toBe(getAddress(token));
    expect((await inside('total')).value).toBe('7');
    expect((await inside('msg.value')).value).toBe('100');
    expect((await inside('msg.data.length')).value).toBe('0');
    await expect(inside('born')).rejects.toThrow('no value while its constructor runs');
    await expect(inside('sum(1, 2)')).rejects.toThrow('while the constructor of the contract runs');
    await expect(inside('this.whoAmI()')).rejects.toThrow('while the constructor of the contract runs');
  });

  it('reads the storage of the proxy in a delegate call', async () => {
    const { address: target } = await scene.deploy('Delegated');
    const { address: proxy } = await scene.deploy('Proxy', [target]);
    const hash = await scene.invoke('Delegated', proxy, 'raise', [4n]);
    const inside = await at(hash, 'delegated');
    expect((await inside('count')).value).toBe('4');
    expect((await inside('implementation')).value).toBe(getAddress(target));
    expect((await inside('this')).value).toBe(getAddress(proxy));
    expect((await inside('sender()')).value).toBe(getAddress(scene.from));
    expect((await inside('this.sender()')).value).toBe(getAddress(proxy));
    expect((await inside('this.count()')).value).toBe('4');
  });

  it('reads contracts and balances that the transaction made before the step', async () => {
    const { address } = await scene.deploy('Parent');
    const hash = await scene.invoke('Parent', address, 'make', [], { value: '0x63' });
    const made = await at(hash, 'made');
    expect((await made('child.value()')).value).toBe('33');
    expect((await made('child.locked()')).value).toBe('34');
    expect((await made('address(child).code.length > 0')).value).toBe(true);
    expect((await made('to.balance')).value).toBe('99');
    expect((await made('address(child).balance + address(this).balance')).value).toBe('0');
    const child = (await made('child')).value;
    const failing = await at(hash, 'failing');
    expect((await failing('child.value()')).value).toBe('44');
    expect((await failing('child.locked()')).value).toBe('45');
    const other = (await failing('child')).value;
    const undone = await at(hash, 'undone');
    expect((await undone('child')).value).toBe(child);
    expect((await undone('child.locked()')).value).toBe('34');
    expect((await undone(`address(${String(other)}).code.length`)).value).toBe('0');
    await expect(undone(`Child(${String(other)}).value()`)).rejects.toThrow('there is no contract at');
  });

  it('rejects a step after the last one', async () => {
    const hash = await scene.invoke('Evaluated', contract, 'shadow', [3n]);
    await expect(scene.evaluate(hash, 1_000_000, '1')).rejects.toThrow(
      /expected one of the \d+ steps, counted from 0, got 1000000/,
    );
  });

  it('evaluates literals and globals without an artifact', async () => {
    const other = await sceneOf(compiled('Empty.sol', 'contract Empty {}'));
    const creation = await other.send({ data: '0x600160015500' });
    expect((await other.evaluate(creation, 0, 'msg.sender')).value).toBe(getAddress(other.from));
    await expect(other.evaluate(creation, 0, 'total')).rejects.toThrow(
      'no artifact describes the contract at 0x',
    );
  });
});

describe('inspect_evaluate of optimized code', () => {
  it.each([
    ['the optimizer', { optimizer: { enabled: true, runs: 200 } }],
    ['the IR pipeline', { viaIR: true, optimizer: { enabled: true, runs: 200 } }],
  ])('returns no local variable, but all other values, with %s', async (_name, settings) => {
    const optimized = await sceneOf(compiledFile(settings));
    const { address: erc20 } = await optimized.deploy('Token', [optimized.from]);
    const { address } = await optimized.deploy('Evaluated', [erc20]);
    const hash = await optimized.invoke('Evaluated', address, 'shadow', [3n]);
    const { count } = (await optimized.call('inspect_steps', [hash, { count: 0 }])) as { count: number };
    const step = await optimized.stepOf(hash, 'shadow').catch(() => count - 1);
    await expect(optimized.evaluate(hash, step, 'total + 1')).rejects.toMatchObject({
      data: { start: 0, end: 5, reason: 'total: <not available: optimized>' },
    });
    expect((await optimized.evaluate(hash, step, 'long')).value).toContain('several slots');
    expect((await optimized.evaluate(hash, step, 'born + LIMIT')).value).toBe('1000003042');
    expect((await optimized.evaluate(hash, step, 'token.balanceOf(msg.sender)')).value).toBe('1000');
  });

  it('does not confuse a local variable with a state variable without a syntax tree', async () => {
    const bare = await sceneOf(compiledFile({}, false));
    const { address: erc20 } = await bare.deploy('Token', [bare.from]);
    const { address } = await bare.deploy('Evaluated', [erc20]);
    const hash = await bare.invoke('Evaluated', address, 'shadow', [3n]);
    const step = await bare.stepOf(hash, 'shadow');
    await expect(bare.evaluate(hash, step, 'total')).rejects.toThrow('the build output has no syntax tree');
    expect((await bare.evaluate(hash, step, 'long')).value).toContain('several slots');
  });
});
