// Checks that the scripts of an input satisfy the output that it spends.

import { equalBytes } from '../../../primitives/bytes.ts';
import { p2pkhScript, sha256 } from '../../bitcoin/script.ts';
import type { Coin } from '../chain-index.ts';
import type { ParentTransaction } from '../parent-transaction.ts';
import { runScript } from './interpreter.ts';
import { isPushOnly, OP, operationsOf, pushOperation } from './opcodes.ts';
import { ScriptError } from './script-error.ts';
import { isTrue } from './script-values.ts';
import { InputChecker, type ScriptRules } from './signature-check.ts';
import type { SignatureHashes } from './signature-hashes.ts';
import { witnessProgram } from './templates.ts';

const MAX_PUSH_SIZE = 520;
const KEY_HASH_SIZE = 20;
const SCRIPT_HASH_SIZE = 32;
const P2SH_SIZE = 23;

function isPayToScriptHash(script: Uint8Array): boolean {
  return (
    script.length === P2SH_SIZE &&
    script[0] === OP.HASH160 &&
    script[1] === KEY_HASH_SIZE &&
    script[22] === OP.EQUAL
  );
}

/**
 * Checks one input (BIP-16, BIP-141, BIP-143). `hashes` are the hashes of the transaction. Throws {@link ScriptError}
 * with the reason.
 */
export function verifyInput(
  transaction: ParentTransaction,
  hashes: SignatureHashes,
  input: number,
  coin: Pick<Coin, 'script' | 'value'>,
  rules: ScriptRules,
): void {
  const { script: unlocking, witness } = transaction.inputs[input] ?? {
    script: new Uint8Array(0),
    witness: [],
  };
  const checker = new InputChecker(transaction, hashes, input, coin.value);
  const isScriptHash = isPayToScriptHash(coin.script);
  if (isScriptHash && !isPushOnly(unlocking)) throw new ScriptError('SIG_PUSHONLY');
  const stack: Uint8Array[] = [];
  const context = { checker, version: 'base', rules } as const;
  runScript(unlocking, stack, context);
  const redeemStack = stack.slice();
  runScript(coin.script, stack, context);
  requireTrue(stack);
  const program = witnessProgram(coin.script);
  if (program !== undefined) {
    if (unlocking.length > 0) throw new ScriptError('WITNESS_MALLEATED');
    runWitness(program, witness, checker, rules);
    return;
  }
  if (isScriptHash) {
    const redeem = redeemStack.pop() ?? new Uint8Array(0);
    runScript(redeem, redeemStack, context);
    requireTrue(redeemStack);
    const inner = witnessProgram(redeem);
    if (inner !== undefined) {
      if (!equalBytes(unlocking, pushOperation(redeem))) throw new ScriptError('WITNESS_MALLEATED_P2SH');
      runWitness(inner, witness, checker, rules);
      return;
    }
  }
  const final = isScriptHash ? redeemStack : stack;
  if (rules === 'policy' && final.length !== 1) throw new ScriptError('CLEANSTACK');
  if (witness.length > 0) throw new ScriptError('WITNESS_UNEXPECTED');
}

function requireTrue(stack: readonly Uint8Array[]): void {
  const top = stack.at(-1);
  if (top === undefined || !isTrue(top)) throw new ScriptError('EVAL_FALSE');
}

function runWitness(
  { version, program }: { version: number; program: Uint8Array },
  witness: readonly Uint8Array[],
  checker: InputChecker,
  rules: ScriptRules,
): void {
  if (version !== 0) {
    // Taproot and later versions are not simulated, so their outputs are never spent.
    throw new ScriptError('UPGRADABLE_WITNESS');
  }
  const { script, stack } = witnessScript(program, witness);
  if (stack.some(({ length }) => length > MAX_PUSH_SIZE)) throw new ScriptError('PUSH_SIZE');
  runScript(script, stack, { checker, version: 'witness', rules });
  if (stack.length !== 1) throw new ScriptError('CLEANSTACK');
  requireTrue(stack);
}

function witnessScript(
  program: Uint8Array,
  witness: readonly Uint8Array[],
): { script: Uint8Array; stack: Uint8Array[] } {
  if (program.length === KEY_HASH_SIZE) {
    if (witness.length !== 2) throw new ScriptError('WITNESS_MISMATCH');
    return { script: p2pkhScript(program), stack: [...witness] };
  }
  if (program.length !== SCRIPT_HASH_SIZE) throw new ScriptError('WITNESS_WRONG_LENGTH');
  const script = witness.at(-1);
  if (script === undefined) throw new ScriptError('WITNESS_EMPTY');
  if (!equalBytes(sha256(script), program)) throw new ScriptError('WITNESS_MISMATCH');
  return { script, stack: witness.slice(0, -1) };
}

/** Returns the bytes that an unlocking script pushes last: the redeem script of a P2SH output. */
export function redeemScriptOf(unlocking: Uint8Array): Uint8Array | undefined {
  const last = operationsOf(unlocking)?.at(-1);
  return last?.data ?? undefined;
}
