import { describe, expect, it } from 'vitest';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { code, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';

describe('gas slices of an execution', () => {
  it('a basic block that costs more than a slice runs to its end', { timeout: 20_000 }, async () => {
    const engine = createWasmEngine(ruleSetNamed('istanbul'), { chainId: 33, codeSizeLimit: null });
    const state = new Overlay(WorldState.empty());
    // 12,000 SLOADs of 800 gas each in one basic block.
    state.setCode(messageOf({}).to ?? new Uint8Array(20), code(`6000 ${'54'.repeat(12_000)} 00`));
    let interrupts = 0;
    const message = messageOf({ gasLimit: 20_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const result = await engine.call(environmentOf('istanbul'), state, message, undefined, () => {
      if (++interrupts > 3) throw new Error('the execution does not get on');
    });
    expect(result.gasUsed).toBe(21_000n + 3n + 800n * 12_000n);
  });

  it('a slice ends between hashes of long inputs within a basic block', { timeout: 20_000 }, async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), { chainId: 33, codeSizeLimit: null });
    const state = new Overlay(WorldState.empty());
    // 40 hashes of 2 MiB, 393,222 gas each, in one basic block.
    state.setCode(messageOf({}).to ?? new Uint8Array(20), code(`${'62200000 5f 20 50'.repeat(40)} 00`));
    let interrupts = 0;
    const message = messageOf({ gasLimit: 100_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const result = await engine.call(environmentOf('prague'), state, message, undefined, () => {
      interrupts += 1;
    });
    const memory = 3n * 65_536n + 65_536n ** 2n / 512n;
    expect(result.gasUsed).toBe(21_000n + 40n * (3n + 2n + 30n + 6n * 65_536n + 2n) + memory);
    expect(interrupts).toBeGreaterThanOrEqual(2);
  });

  it('a slice ends within a long precompile, also after its empty account was touched', {
    timeout: 20_000,
  }, async () => {
    const engine = createWasmEngine(ruleSetNamed('istanbul'), { chainId: 33, codeSizeLimit: null });
    const environment = environmentOf('istanbul');
    const state = new Overlay(WorldState.empty());
    state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
    const blake2f = (rounds: number) => {
      const data = new Uint8Array(213);
      new DataView(data.buffer).setUint32(0, rounds);
      return messageOf({ to: new Uint8Array(20).fill(9, 19), data, gasLimit: 5_000_000n });
    };
    expect((await engine.transact(environment, state, blake2f(1))).outcome).toBe('success');
    let interrupts = 0;
    const result = await engine.call(environment, state, blake2f(4_000_000), undefined, () => {
      interrupts++;
    });
    expect(result.outcome).toBe('success');
    expect(interrupts).toBeGreaterThanOrEqual(2);
  });

  it('a slice ends after slow frame reports, independent of the gas of the calls', async () => {
    let [reported, most, turns] = [0, 0, 0];
    const engine = createWasmEngine(ruleSetNamed('prague'), {
      chainId: 33,
      codeSizeLimit: null,
      yielder: {
        // Each report takes a tenth of a millisecond.
        blockedFor: () => reported / 10,
        wait: async () => {
          most = Math.max(most, reported);
          turns++;
          reported = 0;
        },
      },
    });
    const state = new Overlay(WorldState.empty());
    // Calls itself with 65,535 gas while it has 200,000 gas. Inner calls repeat until their gas is used up.
    state.setCode(
      messageOf({}).to ?? new Uint8Array(20),
      code('5b 5f 5f 5f 5f 5f 30 61ffff f1 50 62030d40 5a 11 6000 57 00'),
    );
    const observer = { frameStart: () => void reported++, frameEnd: () => {} };
    const message = messageOf({ gasLimit: 20_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    await engine.call(environmentOf('prague'), state, message, observer);
    expect(turns).toBeGreaterThan(100);
    expect(most).toBeLessThan(500);
  });

  it('a slice is shorter if steps are observed, because steps take much longer', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), { chainId: 33, codeSizeLimit: null });
    const state = new Overlay(WorldState.empty());
    state.setCode(messageOf({}).to ?? new Uint8Array(20), code('5b 5f 56'));
    let steps = 0;
    const observer = { step: () => void steps++ };
    const message = messageOf({ gasLimit: 30_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const call = engine.call(environmentOf('prague'), state, message, observer, () => {
      throw new Error('nobody waits');
    });
    await expect(call).rejects.toThrow('nobody waits');
    expect(steps).toBeLessThan(300_000);
  });
});
