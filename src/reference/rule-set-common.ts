// The rule sets of this node as `Common` objects of ethereumjs.

import { paramsBlock } from '@ethereumjs/block';
import {
  type ChainConfig,
  Common,
  type CustomCrypto,
  Hardfork,
  Mainnet,
  type ParamsDict,
} from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { paramsVM } from '@ethereumjs/vm';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes, padLeft } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';

type Kzg = NonNullable<CustomCrypto['kzg']>;

const { G1, G2, fields } = bls12_381;

/** The generator of G2 times the secret of Ethereum's KZG ceremony, as published. */
const SECRET = G2.Point.fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
);

function scalarOf(text: string): bigint {
  const scalar = BigInt(text);
  if (!fields.Fr.isValid(scalar)) throw new RangeError('The number is not below the group order');
  return scalar;
}

/**
 * Verifies a proof (EIP-4844's `verify_kzg_proof`); all arguments are hexadecimal with `0x`. Throws for invalid points
 * and numbers.
 */
function verifyProof(commitment: string, zText: string, yText: string, proof: string): boolean {
  const [z, y] = [scalarOf(zText), scalarOf(yText)];
  const point = G1.Point.fromHex(commitment.slice(2)).subtract(G1.Point.BASE.multiplyUnsafe(y));
  const difference = SECRET.subtract(G2.Point.BASE.multiplyUnsafe(z));
  const quotient = G1.Point.fromHex(proof.slice(2)).negate();
  const pairs = [
    { g1: point, g2: G2.Point.BASE },
    { g1: quotient, g2: difference },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0());
  return fields.Fp12.eql(bls12_381.pairingBatch(pairs), fields.Fp12.ONE);
}

/** Throws, because the engine never receives blobs. */
function withoutBlobs(): never {
  throw new Error('The engine does not process blobs');
}

/** The KZG functions for the precompile KZG_POINT_EVALUATION, on the library's own curve. */
export const engineKzg: Kzg = {
  verifyProof,
  blobToKzgCommitment: withoutBlobs,
  computeBlobProof: withoutBlobs,
  verifyBlobProofBatch: withoutBlobs,
  computeCells: withoutBlobs,
  computeCellsAndProofs: withoutBlobs,
  recoverCellsAndProofs: withoutBlobs,
  verifyCellKzgProofBatch: withoutBlobs,
};

function recoverPublicKey(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  const compact = concatBytes(padLeft(r, 32), padLeft(s, 32));
  return curve.recover(hash, { compact, recovery: Number(v - 27n) });
}

/**
 * The hash and the curve of this node, in place of the library's slower ones, and the check of KZG proofs, which the
 * library lacks. Public keys are recovered for the ECRECOVER precompile only, which has checked that `v` is 27 or 28:
 * the sender of every message is given to the engine.
 */
const engineCrypto: CustomCrypto = { keccak256, ecrecover: recoverPublicKey, kzg: engineKzg };

/** Returns the library's hardfork of that name. Throws when it has none. */
function libraryHardfork(name: string): Hardfork {
  const hardfork = Object.values(Hardfork).find((candidate) => candidate === name);
  if (hardfork === undefined) throw new Error(`the library has no hardfork ${name}`);
  return hardfork;
}

/** The EIP number under which the library lists the changes of Spurious Dragon, including the code size limit. */
const SPURIOUS_DRAGON = 607;
const INITCODE_LIMIT = 3860;
const ACCESS_LISTS = 7928;

/**
 * A rule set in the library's terms. The library copies its `Common` and merges the same parameters into it again
 * for each transaction and each block; this one holds all of them from the start and is shared by all, unchanged.
 */
class RuleSetCommon extends Common {
  constructor(chain: ChainConfig, hardfork: Hardfork, parameters: readonly ParamsDict[]) {
    super({ chain, hardfork, customCrypto: engineCrypto });
    for (const part of parameters) super.updateParams(part);
  }

  override copy(): Common {
    return this;
  }

  override updateParams(): void {}
}

/**
 * The network's rules in the library's terms: without EIP-161, by which accounts without nonce, balance and code do not
 * exist. The library checks for it by the name of its hardfork, and thereby decides over state clearing and the
 * surcharge on new accounts.
 */
class KeepingCommon extends RuleSetCommon {
  override gteHardfork(hardfork: string): boolean {
    return hardfork !== Hardfork.SpuriousDragon && super.gteHardfork(hardfork);
  }
}

function codeSizeParameters(codeSizeLimit: number): ParamsDict {
  return {
    [SPURIOUS_DRAGON]: { maxCodeSize: codeSizeLimit },
    [INITCODE_LIMIT]: { maxInitCodeSize: 2 * codeSizeLimit },
  };
}

/** Returns the EIPs of the rule set's hardfork for the description of a chain, where they are not those that the library has. */
function hardforksOf({ reference: { hardfork, eips } }: RuleSet): Pick<ChainConfig, 'customHardforks'> {
  return eips === null ? {} : { customHardforks: { [hardfork]: { eips: [...eips] } } };
}

/**
 * As {@link hardforksOf} for headers and blocks: with EIP-7928, which the library's engine does without, since it would keep the access
 * lists of all transactions that it ever runs.
 */
export function blockHardforksOf(ruleSet: RuleSet): Pick<ChainConfig, 'customHardforks'> {
  const { reference, hasAccessLists } = ruleSet;
  const { eips } = reference;
  if (eips === null || !hasAccessLists) return hardforksOf(ruleSet);
  return hardforksOf({ ...ruleSet, reference: { ...reference, eips: [...eips, ACCESS_LISTS] } });
}

/**
 * Returns the library's description of a rule set on the chain with that id. `codeSizeLimit` is the maximum code size
 * of an account in bytes (EIP-170); initcode may have twice as much (EIP-3860).
 */
export function ruleSetCommon(ruleSet: RuleSet, chainId: number, codeSizeLimit: number): Common {
  const { parameters } = ruleSet.reference;
  const hardfork = libraryHardfork(ruleSet.reference.hardfork);
  const chain: ChainConfig = {
    ...Mainnet,
    name: ruleSet.name,
    chainId,
    // A hardfork at block 0 counts as unscheduled: no block is special because a fork begins with it.
    hardforks: Mainnet.hardforks.map(({ name }) => ({ name, block: 0 })),
    ...hardforksOf(ruleSet),
  };
  const RuleSetClass = ruleSet.accounts.clearsEmpty ? RuleSetCommon : KeepingCommon;
  return new RuleSetClass(chain, hardfork, [
    paramsEVM,
    paramsTx,
    paramsVM,
    paramsBlock,
    parameters,
    codeSizeParameters(codeSizeLimit),
  ]);
}
