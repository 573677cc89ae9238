import { equalBytes } from '../../primitives/bytes.ts';
import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { chunksIfValid, hash160, OP, p2shScript } from '../bitcoin/script.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';
import type { BridgeConstants } from '../bridge/bridge-constants.ts';
import type { Federation } from '../bridge/federation.ts';
import { memberScriptOfInput } from './input-script.ts';
import type { PegRecords } from './peg-records.ts';
import { pegoutIndexHash } from './pegout-index.ts';

/** The meaning of a transaction of the parent chain for the Bridge. */
export type PegTransactionType = 'pegin' | 'pegout' | 'unknown';

/** The facts that decide the type of a transaction. */
export interface PegContext {
  readonly constants: BridgeConstants;
  readonly pegs: Pick<PegRecords, 'isPegout'>;
}

/** Returns the value of each output to the federation, in satoshi. */
export function valuesToFederation({ outs }: BitcoinTransaction, { outputScript }: Federation): bigint[] {
  return outs.flatMap(({ script, value }) => (equalBytes(script, outputScript) ? [value] : []));
}

/**
 * Returns the type of a transaction in a block of the parent chain. Throws `BitcoinFormatError` if a script of
 * its inputs is malformed.
 */
export function pegTransactionType(
  transaction: BitcoinTransaction,
  height: number,
  { constants, pegs }: PegContext,
): PegTransactionType {
  const { pegoutIndexHeight, pegoutIndexGracePeriod } = constants;
  if (height < pegoutIndexHeight + pegoutIndexGracePeriod) return typeByScripts(transaction, constants);
  const hash = pegoutIndexHash(transaction);
  if (hash !== null && pegs.isPegout(hash)) return 'pegout';
  return valuesToFederation(transaction, constants.federation).length > 0 ? 'pegin' : 'unknown';
}

/** The older rule, without an index of pegouts: a pegout spends coins of the federation. */
function typeByScripts(
  transaction: BitcoinTransaction,
  { federation, minimumPegin }: BridgeConstants,
): PegTransactionType {
  const memberScript = redeemScriptOf(federation.redeemScript)?.standard ?? federation.redeemScript;
  const spendsMembersCoins = transaction.ins.some((_, index) => {
    const script = memberScriptOfInput(transaction, index);
    return script !== null && equalBytes(script, memberScript);
  });
  if (spendsMembersCoins) return 'pegout';
  const isAboveMinimum = valuesToFederation(transaction, federation).every((value) => value >= minimumPegin);
  const spendsScript = transaction.ins.some(({ script }) => revealsScript(script, federation));
  return isAboveMinimum && !spendsScript ? 'pegin' : 'unknown';
}

/** Returns true if an input has only pushes, and the last one is the script with the federation's hash. */
function revealsScript(script: Uint8Array, { outputScript }: Federation): boolean {
  const chunks = chunksIfValid(script) ?? [];
  const last = chunks.at(-1)?.data ?? null;
  const isPushOnly = chunks.every(({ opcode }) => opcode <= OP.SIXTEEN);
  return isPushOnly && last !== null && equalBytes(p2shScript(hash160(last)), outputScript);
}
