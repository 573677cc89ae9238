import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../../src/engine/wasm/wasm-engine.ts';
import { ruleSetNamed } from '../../../src/rules/rule-set.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { code, environmentOf, messageOf } from '../reference/scene.ts';

describe('a slice of gas', () => {
  it('lets a block begin that costs more than the slice', { timeout: 20_000 }, async () => {
    const engine = createWasmEngine(ruleSetNamed('istanbul'), { chainId: 33, codeSizeLimit: null });
    const state = new Overlay(WorldState.empty());
    // 12,000 times SLOAD, 800 gas each, with nothing between them that ends the block.
    state.setCode(messageOf({}).to ?? new Uint8Array(20), code(`6000 ${'54'.repeat(12_000)} 00`));
    let interrupts = 0;
    const message = messageOf({ gasLimit: 20_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    const result = await engine.call(environmentOf('istanbul'), state, message, undefined, () => {
      if (++interrupts > 3) throw new Error('the execution does not get on');
    });
    expect(result.gasUsed).toBe(21_000n + 3n + 800n * 12_000n);
  });
});
