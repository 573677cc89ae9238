import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { OP, outputScriptOf, push } from '../bitcoin/script.ts';
import type { Federation } from '../bridge/federation.ts';
import type { PegRecords } from './peg-records.ts';
import type { SpendableUtxo } from './release-transaction.ts';
import type { Utxo } from './utxo-store.ts';

/** Returns the redeem script of a Flyover address (RSKIP-176): the federation's one after a dropped hash. */
export function flyoverRedeemScript(derivationHash: Uint8Array, redeemScript: Uint8Array): Uint8Array {
  return concatBytes(push(derivationHash), Uint8Array.of(OP.DROP), redeemScript);
}

/**
 * Returns the outputs with the scripts that spend them. Throws `PrecompileError` for an output that the
 * federation cannot spend.
 */
export function spendableUtxos(
  utxos: readonly Utxo[],
  { outputScript, redeemScript }: Federation,
  records: Pick<PegRecords, 'flyoverDerivation'>,
): SpendableUtxo[] {
  return utxos.map((utxo) => {
    if (equalBytes(utxo.script, outputScript)) return { ...utxo, redeemScript };
    const output = outputScriptOf(utxo.script);
    const derivation = output?.kind === 'p2sh' ? records.flyoverDerivation(output.hash) : undefined;
    if (derivation === undefined) throw new PrecompileError('the federation cannot spend one of its outputs');
    return { ...utxo, redeemScript: flyoverRedeemScript(derivation, redeemScript) };
  });
}
