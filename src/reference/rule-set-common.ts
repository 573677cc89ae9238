// The rule sets as `Common` objects of ethereumjs.

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

/** The generator of G2 times the published secret of Ethereum's KZG ceremony. */
const SECRET = G2.Point.fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
);

function scalarOf(text: string): bigint {
  const scalar = BigInt(text);
  if (!fields.Fr.isValid(scalar)) throw new RangeError('The number is not below the group order');
  return scalar;
}

/** Verifies a KZG proof (EIP-4844), all arguments in hex with `0x`. Throws for invalid points. */
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

/** The KZG functions for the precompile KZG_POINT_EVALUATION, on ethereumjs' own curve. */
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
 * Replaces the slow hash and curve of ethereumjs, and adds the KZG verification that it lacks. Public keys
 * are recovered only for ECRECOVER, which already checked that `v` is 27 or 28. The sender of a message is
 * always known.
 */
const engineCrypto: CustomCrypto = { keccak256, ecrecover: recoverPublicKey, kzg: engineKzg };

/** Returns the hardfork of ethereumjs with this name. Throws if there is none. */
function libraryHardfork(name: string): Hardfork {
  const hardfork = Object.values(Hardfork).find((candidate) => candidate === name);
  if (hardfork === undefined) throw new Error(`the library has no hardfork ${name}`);
  return hardfork;
}

/** ethereumjs lists the changes of Spurious Dragon, including the code size limit, under this EIP. */
const SPURIOUS_DRAGON = 607;
const INITCODE_LIMIT = 3860;
const ACCESS_LISTS = 7928;

/**
 * A rule set as a `Common`. ethereumjs copies its `Common` and merges the same parameters again for each
 * transaction and block. This class contains all parameters from the start and is shared without copies.
 */
class RuleSetCommon extends Common {
  // A private field would be missing in objects that inherit from this one.
  protected readonly addedEips: readonly number[];

  constructor(
    chain: ChainConfig,
    hardfork: Hardfork,
    parameters: readonly ParamsDict[],
    added: readonly number[],
  ) {
    super({ chain, hardfork, customCrypto: engineCrypto });
    this.addedEips = added;
    for (const part of parameters) super.updateParams(part);
  }

  override isActivatedEIP(eip: number): boolean {
    return this.addedEips.includes(eip) || super.isActivatedEIP(eip);
  }

  override copy(): Common {
    return this;
  }

  override updateParams(): void {}
}

/**
 * Rootstock's rules, without EIP-161 (removal of empty accounts). ethereumjs checks for the hardfork by name
 * to decide about state clearing and the surcharge on new accounts.
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

/** EIP-2930 includes typed envelopes (EIP-2718), which ethereumjs activates separately. */
const ACCESS_LIST_TYPE = 2930;
const TYPED_ENVELOPES = 2718;

/** Returns the EIPs of ethereumjs for the EIPs that were added to a hardfork. */
export function addedLibraryEips({ addedEips }: RuleSet): readonly number[] {
  return addedEips.includes(ACCESS_LIST_TYPE) ? [TYPED_ENVELOPES, ...addedEips] : addedEips;
}

const LIBRARY_PARAMETERS: readonly ParamsDict[] = [paramsEVM, paramsTx, paramsVM, paramsBlock];

/** Returns the parameters of the EIPs that were added to a hardfork, by name. */
export function addedParameters({ addedEips, reference: { parameters } }: RuleSet): ParamsDict[string] {
  const all: readonly ParamsDict[] = [...LIBRARY_PARAMETERS, parameters];
  return Object.assign({}, ...addedEips.flatMap((eip) => all.map((part) => part[eip] ?? {})));
}

/** Returns the EIPs of the hardfork for a chain description, if they differ from the EIPs in ethereumjs. */
function hardforksOf({ reference: { hardfork, eips } }: RuleSet): Pick<ChainConfig, 'customHardforks'> {
  return eips === null ? {} : { customHardforks: { [hardfork]: { eips: [...eips] } } };
}

/**
 * Like {@link hardforksOf} for headers and blocks, including EIP-7928. The engine omits EIP-7928, because it
 * would collect the access lists of all transactions.
 */
export function blockHardforksOf(ruleSet: RuleSet): Pick<ChainConfig, 'customHardforks'> {
  const { reference, hasAccessLists } = ruleSet;
  const { eips } = reference;
  if (eips === null || !hasAccessLists) return hardforksOf(ruleSet);
  return hardforksOf({ ...ruleSet, reference: { ...reference, eips: [...eips, ACCESS_LISTS] } });
}

/**
 * Returns the `Common` of a rule set and chain id. `codeSizeLimit` is the maximum code size in bytes
 * (EIP-170); the initcode limit is twice this value (EIP-3860).
 */
export function ruleSetCommon(ruleSet: RuleSet, chainId: number, codeSizeLimit: number): Common {
  const { parameters } = ruleSet.reference;
  const hardfork = libraryHardfork(ruleSet.reference.hardfork);
  const chain: ChainConfig = {
    ...Mainnet,
    name: ruleSet.name,
    chainId,
    // ethereumjs treats a hardfork at block 0 as unscheduled, so no block is a fork block.
    hardforks: Mainnet.hardforks.map(({ name }) => ({ name, block: 0 })),
    ...hardforksOf(ruleSet),
  };
  const RuleSetClass = ruleSet.accounts.clearsEmpty ? RuleSetCommon : KeepingCommon;
  const all = [
    ...LIBRARY_PARAMETERS,
    { [hardfork]: addedParameters(ruleSet) },
    parameters,
    codeSizeParameters(codeSizeLimit),
  ];
  return new RuleSetClass(chain, hardfork, all, addedLibraryEips(ruleSet));
}
