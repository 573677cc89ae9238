import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import { createForkScene } from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { word } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { receiptOf, SENDER } from './contract.ts';

const BRIDGE = toHex(precompileAddress('BRIDGE'));
const ECRECOVER = `0x${'1'.padStart(40, '0')}`;
const SHA256 = `0x${'2'.padStart(40, '0')}`;
const CALLER = `0x${'ca'.repeat(20)}`;
const MOVED_TO = `0x${'ab'.repeat(20)}`;

/** Code that returns the word that the opcodes leave on the stack. */
const returning = (digits: string) => `0x${digits}60005260206000f3`;
/** Code that returns 42. */
const CODE = returning('602a');
/** Code that calls the address and returns the word that the call returns. */
const calling = (address: string) => `0x60206000600060006000${'73'}${address.slice(2)}5af15060206000f3`;

const SCENES = [
  ['hardhat_setCode', 'wasm', 'rootstock', BRIDGE],
  ['anvil_setCode', 'reference', 'rootstock', BRIDGE],
  ['hardhat_setCode', 'wasm', 'rootstock', ECRECOVER],
  ['anvil_setCode', 'reference', 'rootstock', ECRECOVER],
  ['hardhat_setCode', 'wasm', 'osaka', ECRECOVER],
  ['anvil_setCode', 'reference', 'osaka', ECRECOVER],
] as const;

async function send({ call }: RpcHarness, fields: object): Promise<string> {
  return (await call('eth_sendTransaction', [{ from: SENDER, gas: '0x30d40', ...fields }])) as string;
}

describe.each(SCENES)(
  'code set by %s on a precompile (engine %s, rules %s, %s)',
  (method, engine, ruleSet, address) => {
    async function createScene(): Promise<RpcHarness> {
      const harness = await createRpcHarness({}, { engine, ruleSet });
      await harness.call('anvil_setCode', [CALLER, calling(address)]);
      return harness;
    }

    it('the code replaces the precompile, called directly and by contracts', async () => {
      const harness = await createScene();
      const before = await harness
        .call('eth_call', [{ to: address, data: '0x01' }, 'latest'])
        .catch(() => null);

      await harness.call(method, [address, CODE]);

      expect(before).not.toBe(word(42));
      expect(await harness.call('eth_call', [{ to: address }, 'latest'])).toBe(word(42));
      expect(await harness.call('eth_call', [{ to: CALLER }, 'latest'])).toBe(word(42));
      expect(await harness.call('eth_getCode', [address, 'latest'])).toBe(CODE);
    });

    it('the code runs in transactions, has its own storage, and is traced as a contract', async () => {
      const harness = await createScene();
      // SSTORE(1, 7)
      await harness.call(method, [address, '0x6007600155']);

      const hash = await send(harness, { to: address });

      expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1' });
      expect(await harness.call('eth_getStorageAt', [address, '0x1', 'latest'])).toBe(word(7));
      const { structLogs } = (await harness.call('debug_traceTransaction', [hash, {}])) as {
        structLogs: { op: string }[];
      };
      expect(structLogs.map(({ op }) => op)).toContain('SSTORE');
    });

    it('the precompile is restored if the code is removed or reverted', async () => {
      const harness = await createScene();
      const ask = () => harness.call('eth_call', [{ to: CALLER }, 'latest']).catch(() => null);
      const own = await ask();
      const snapshot = await harness.call('evm_snapshot');

      await harness.call(method, [address, CODE]);
      const replaced = await ask();
      await harness.call('evm_revert', [snapshot]);
      const reverted = await ask();
      await harness.call(method, [address, CODE]);
      await harness.call(method, [address, '0x']);

      expect([replaced, reverted, await ask()]).toEqual([word(42), own, own]);
    });
  },
);

describe.each(['wasm', 'reference'] as const)('precompile with code (engine %s)', (engine) => {
  it('a precompile with code is still warm', async () => {
    const harness = await createRpcHarness({}, { engine, ruleSet: 'osaka' });
    await harness.call('anvil_setCode', [SHA256, '0x00']);
    // GAS, BALANCE of the address, POP, GAS, SWAP1, SUB
    const code = returning(`5a73${SHA256.slice(2)}31505a9003`);

    const used = await harness.call('eth_call', [{ data: code }, 'latest']);

    expect(Number(used)).toBe(3 + 100 + 2 + 2);
  });

  it('a precompile with code can be moved, and its code stays', async () => {
    const harness = await createRpcHarness({}, { engine });
    await harness.call('anvil_setCode', [SHA256, CODE]);
    await harness.call('anvil_setCode', [MOVED_TO, CODE]);
    const overrides = { [SHA256]: { movePrecompileToAddress: MOVED_TO } };
    const ask = (to: string) => harness.call('eth_call', [{ to, data: '0x010203' }, 'latest', overrides]);

    expect([await ask(MOVED_TO), await ask(SHA256)]).toEqual([
      '0x039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81',
      word(42),
    ]);
  });
});

describe.each(['wasm', 'reference'] as const)(
  'fork of a chain with code at a precompile (engine %s)',
  (engine) => {
    it('the fork runs the precompile until code is set on the fork', async () => {
      const node = await createRpcHarness();
      await node.call('anvil_setCode', [SHA256, CODE]);
      const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
      const { call } = await createForkScene(upstream, { chain: { engine } });
      const ask = () => call('eth_call', [{ to: SHA256, data: '0x010203' }, 'latest']);
      const own = await ask();
      await call('anvil_setBalance', [SHA256, '0x1']);
      const withBalance = await ask();

      await call('anvil_setCode', [SHA256, returning('602b')]);

      expect(own).toBe('0x039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81');
      expect(withBalance).toBe(own);
      expect(await ask()).toBe(word(43));
    });
  },
);
