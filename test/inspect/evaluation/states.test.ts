// View functions on the states of forks and of Rootstock, and invalid expressions.

import { getAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { serviceScene } from '../../fork/service-scene.ts';
import { Dice } from '../../fuzz/engines/dice.ts';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { compiled, compiledFile, sceneOf, sceneOn } from './scene.ts';

describe('inspect_evaluate on a fork', () => {
  it('fetches the state that the transaction did not read', async () => {
    const project = compiledFile();
    const node = await createRpcHarness({ compat: 'service' }, { ruleSet: 'cancun' });
    const origin = await sceneOn(node, project);
    const holder = '0x0000000000000000000000000000000000000005';
    const { address: token } = await origin.deploy('Token', [holder]);
    const { address } = await origin.deploy('Evaluated', [token]);
    const { scene: fork } = await serviceScene({ node, chain: { ruleSet: 'cancun' } });
    const scene = await sceneOn(fork, project);
    const hash = await scene.invoke('Evaluated', address, 'shadow', [3n]);
    const step = await scene.stepOf(hash, 'shadow');
    const value = async (expression: string) => (await scene.evaluate(hash, step, expression)).value;
    expect(await value('token.balanceOf(address(5))')).toBe('1000');
    expect(await value('long')).toContain('several slots');
    expect(await value('orders[1].note')).toBe('second');
    expect(await value('this.orderAt(0).parts[1]')).toBe('9');
    expect(await value('fixedItems')).toMatchObject([{ value: '1' }, {}, {}, {}, { value: '5' }]);
    expect(await value('address(token).code.length > 100')).toBe(true);
    expect(await value('whoAmI()')).toBe(getAddress(scene.from));
  });
});

describe('inspect_evaluate on an account that delegates', () => {
  it('runs the code that an authorization of the transaction set', async () => {
    const scene = await sceneOf(compiledFile(), 'prague');
    const { address: target } = await scene.deploy('Delegated');
    const authority = privateKeyToAccount(`0x${'11'.repeat(32)}`);
    const signed = await authority.signAuthorization({
      address: target as `0x${string}`,
      chainId: 33,
      nonce: 0,
    });
    const authorization = {
      address: target,
      chainId: '0x21',
      nonce: '0x0',
      yParity: `0x${(signed.yParity ?? 0).toString(16)}`,
      r: signed.r,
      s: signed.s,
    };
    const hash = await scene.invoke('Delegated', authority.address, 'raise', [4n], {
      authorizationList: [authorization],
    });
    const step = await scene.stepOf(hash, 'delegated');
    const value = async (expression: string) => (await scene.evaluate(hash, step, expression)).value;
    expect(await value('count')).toBe('4');
    expect(await value('this')).toBe(authority.address);
    expect(await value('this.count()')).toBe('4');
    expect(await value('this.sender()')).toBe(authority.address);
    expect(await value('sender()')).toBe(getAddress(scene.from));
    expect(await value('address(this).code.length')).toBe('23');
  });
});

describe("inspect_evaluate under Rootstock's rules", () => {
  it('runs calls with the gas prices of the transaction', async () => {
    const source = `pragma solidity ^0.8.28; contract Prices {
      event Ran();
      function run() external { emit Ran(); // @step run
      }
      function prices() external view returns (uint256, uint256, uint256, address) {
        return (tx.gasprice, block.basefee, block.difficulty, tx.origin);
      } }`;
    const scene = await sceneOf(compiled('Prices.sol', source, { evmVersion: 'london' }), 'rootstock');
    const { address } = await scene.deploy('Prices');
    const hash = await scene.invoke('Prices', address, 'run', [], { gasPrice: '0x5f5e100' });
    const step = await scene.stepOf(hash, 'run');
    const value = async (expression: string) => (await scene.evaluate(hash, step, expression)).value;
    const prices = (await value('this.prices()')) as readonly { readonly value: string }[];
    expect(prices.map((each) => each.value)).toEqual([
      '100000000',
      await value('block.basefee'),
      await value('block.difficulty'),
      getAddress(scene.from),
    ]);
    expect(await value('tx.gasprice')).toBe('100000000');
  });
});

describe('invalid expressions', () => {
  const PARTS = [
    ...[
      'total',
      'orders',
      'order',
      'balances',
      'this',
      'msg',
      'block',
      'Level',
      'token',
      'uint8',
      'bytes',
      'type',
    ],
    ...[
      'LIMIT',
      'price',
      'Price',
      'Sums',
      'list',
      'sum',
      '0',
      '1',
      '0xff',
      '1e9',
      '"key"',
      'true',
      'ether',
      'sender',
    ],
    ...[
      '(',
      ')',
      '[',
      ']',
      '.',
      ',',
      '?',
      ':',
      '+',
      '-',
      '*',
      '/',
      '%',
      '**',
      '<<',
      '&&',
      '!',
      '==',
      '=',
      '{',
      '}',
      'length',
    ],
  ];

  it('have an error of their own', async () => {
    const scene = await sceneOf(compiledFile());
    const { address: token } = await scene.deploy('Token', [scene.from]);
    const { address } = await scene.deploy('Evaluated', [token]);
    const hash = await scene.invoke('Evaluated', address, 'shadow', [3n]);
    const step = await scene.stepOf(hash, 'shadow');
    const dice = new Dice(7);
    const faults: string[] = [];
    for (let count = 0; count < 3_000; count++) {
      const text = Array.from({ length: 1 + dice.below(7) }, () => dice.pick(PARTS)).join(
        dice.pick(['', ' ']),
      );
      await scene
        .evaluate(hash, step, text)
        .catch((error: { code?: number; data?: { start: number; end: number } }) => {
          const { start = -1, end = -1 } = error.data ?? {};
          if (error.code !== -32000 || start < 0 || end < start || end > text.length)
            faults.push(`${text}: ${String(error)}`);
        });
    }
    expect(faults).toEqual([]);
  });

  it('are rejected above the limits', async () => {
    const scene = await sceneOf(compiled('Empty.sol', 'contract Empty {}'));
    const hash = await scene.send({ data: '0x600160015500' });
    const reject = (text: string) => expect(scene.evaluate(hash, 0, text)).rejects;
    await reject('('.repeat(100)).toThrow('at most 64 nested levels');
    await reject('- '.repeat(100)).toThrow('at most 64 nested levels');
    await reject(`1${' + 1'.repeat(600)}`).toThrow('at most 2000 characters');
    await reject('2 ** 5000').toThrow('at most 4096 bits');
    await reject('2 ** 4000 * 2 ** 4000').toThrow('at most 4096 bits');
    await reject('1e2000').toThrow('an exponent is at most 1000');
    await reject('1 << 5000').toThrow('cannot be applied');
    expect((await scene.evaluate(hash, 0, `1${' + 1'.repeat(450)}`)).value).toBe('451');
  });
});
