import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { OP, push } from '../../../src/rootstock/bitcoin/script.ts';
import { registerCoinbase } from '../../../src/rootstock/peg/register-coinbase.ts';
import { registerTransaction } from '../../../src/rootstock/peg/register-transaction.ts';
import { INPUTS, instructions, STRANGER, STRANGERS, transactionOf } from './bitcoin-builder.ts';
import { COIN, MemoryBridge } from './memory-bridge.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
/** Parts that often occur in scripts, and random ones. */
const scripts = fc
  .array(
    fc.oneof(
      bytes(4),
      bytes(40).map(push),
      fc.constantFrom(
        ...[0, OP.ONE, OP.CHECKMULTISIG, OP.RETURN, OP.DROP, OP.NOTIF, OP.ENDIF].map((op) =>
          Uint8Array.of(op),
        ),
      ),
      fc.constantFrom(push(STRANGERS), STRANGERS, STRANGER.p2sh, instructions(new Uint8Array(20)).script),
    ),
    { maxLength: 6 },
  )
  .map((parts) => concatBytes(...parts));
const inputs = fc.oneof(
  fc.record({ script: scripts, witness: fc.array(scripts, { maxLength: 4 }) }),
  fc.constantFrom(INPUTS.p2pkh(), INPUTS.p2shP2wpkh(), INPUTS.multisig(), INPUTS.witnessMultisig()),
);
const KNOWN_ERRORS = ['BitcoinFormatError', 'PrecompileError'];

describe('registerTransaction with any transaction of a block', () => {
  it('credits at most the outputs to the federation, or fails with a known error', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('legacy' as const, 'p2wsh' as const),
        fc.constantFrom(1, 1, 1, 350),
        fc.array(inputs, { minLength: 1, maxLength: 3 }),
        fc.array(scripts, { maxLength: 3 }),
        fc.bigInt(0n, 2n * COIN),
        (format, height, someInputs, someScripts, value) => {
          const bridge = new MemoryBridge(format);
          const { outputScript } = bridge.constants.federation;
          const outputs = [outputScript, ...someScripts].map((script) => ({ script, value }));
          const block = bridge.mine(transactionOf(someInputs, outputs), height);
          registerCoinbase(bridge.call(), { ...block.coinbase, blockHash: block.blockHash });
          try {
            registerTransaction(bridge.call(), block);
          } catch (error) {
            expect(KNOWN_ERRORS).toContain(error instanceof Error ? error.name : '');
          }
          const credited = bridge.sent.reduce((sum, [, wei]) => sum + wei, 0n);
          const stored = bridge.state.utxos.all().reduce((sum, utxo) => sum + utxo.value, 0n);
          expect(credited).toBeLessThanOrEqual(stored * 10_000_000_000n);
          expect(stored % (value || 1n)).toBe(0n);
        },
      ),
      { seed: 41, numRuns: 150 },
    );
  });
});
