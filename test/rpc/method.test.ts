import { describe, expect, it } from 'vitest';
import type { BlockSelector } from '../../src/chain/block-selector.ts';
import { LATEST } from '../../src/chain/block-selector.ts';
import { blockSelector } from '../../src/rpc/codecs/block-selector.ts';
import { address, hash32 } from '../../src/rpc/codecs/hex-values.ts';
import { type CompatName, compatNamed } from '../../src/rpc/compat.ts';
import { defineMethod, type ForkRule, optional, param, peerOptional } from '../../src/rpc/method.ts';
import type { RpcContext } from '../../src/rpc/rpc-context.ts';
import { createRpcHarness } from './rpc-harness.ts';

const account = `0x${'12'.repeat(20)}`;

const OWN: ForkRule = { kind: 'own', because: 'the answer is of the parameters alone' };

const echo = defineMethod({
  name: 'test_echo',
  summary: 'Gives its parameters back',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  fork: OWN,
  result: { description: 'The parameters' },
  handler: (_context: RpcContext, holder: Uint8Array, block: BlockSelector) => [holder.length, block],
});

// The handler above does not use its context.
const context = {} as RpcContext;

describe('defineMethod', () => {
  it('reads parameters by position or by name, with defaults', () => {
    const expected = [20, { tag: 'latest' }];
    expect(echo.answer(context, [account])).toEqual(expected);
    expect(echo.answer(context, [account, null])).toEqual(expected);
    expect(echo.answer(context, { address: account })).toEqual(expected);
    expect(echo.answer(context, { block: '0x1', address: account })).toEqual([20, { number: 1n }]);
  });

  it('makes peerOptional parameters optional in compat modes anvil and hardhat', () => {
    const { answer } = defineMethod({
      name: 'test_block',
      summary: 'Gives its parameter back',
      params: [peerOptional('block', blockSelector, LATEST)],
      fork: OWN,
      result: { description: 'The parameter' },
      handler: (_context: RpcContext, block: BlockSelector) => block,
    });
    const contextOf = (name: CompatName) => ({ settings: { compat: compatNamed(name) } }) as RpcContext;
    expect(() => answer(contextOf('service'), [])).toThrow(/^invalid params: block: .* got nothing$/);
    for (const name of ['anvil', 'hardhat'] as const) {
      expect(answer(contextOf(name), [])).toEqual({ tag: 'latest' });
      expect(answer(contextOf(name), ['0x1'])).toEqual({ number: 1n });
    }
  });

  it('accepts null after the last parameter', () => {
    expect(echo.answer(context, [account, 'latest', null, null])).toEqual([20, { tag: 'latest' }]);
  });

  it.each([
    [undefined, /^invalid params: address: expected an address.*, got nothing$/],
    [[], /^invalid params: address: .* got nothing$/],
    [[null], /^invalid params: address: .* got null$/],
    [{}, /^invalid params: address: .* got nothing$/],
    [[account, 'latest', 1], /^invalid params: params\[2\]: expected only address, block, got 1$/],
    [{ address: account, size: 1 }, /^invalid params: size: expected only address, block, got 1$/],
    [JSON.parse('{"__proto__":{"address":"0x"}}'), /^invalid params: __proto__/],
    ['latest', /^invalid params: params: expected an array/],
    [[account, 'newest'], /^invalid params: block: /],
  ])('rejects %j and reports the parameter', (params, message) => {
    expect(() => echo.answer(context, params)).toThrow(message);
  });

  it('rejects parameters of a method without parameters', async () => {
    const { call } = await createRpcHarness();
    await expect(call('eth_chainId', [1])).rejects.toMatchObject({
      code: -32602,
      message: 'invalid params: params[0]: expected no parameters, got 1',
    });
  });

  it('requires a fork rule if a parameter is a block or a transaction', () => {
    const shared = { name: 'test_any', summary: 'Any', result: { description: 'Any' }, handler: () => null };
    // @ts-expect-error a block can be the upstream's
    defineMethod({ ...shared, params: [optional('block', blockSelector, LATEST)] });
    // @ts-expect-error and so can a transaction
    defineMethod({ ...shared, params: [param('address', address), param('transactionHash', hash32)] });
    const { fork } = defineMethod({ ...shared, params: [param('transactionHash', hash32)], fork: OWN });
    expect(fork).toBe(OWN);
    expect(defineMethod({ ...shared, params: [param('address', address)] }).fork).toBeUndefined();
  });
});
