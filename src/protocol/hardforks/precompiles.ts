import { fromHex } from '../../primitives/hex.ts';
import type { RuleSet } from './rule-set.ts';

/** A contract that the rules define instead of code. */
export interface Precompile {
  /** As the lists of configurations name it (EIP-7910). */
  readonly name: string;
  /** 20 bytes. */
  readonly address: Uint8Array;
}

/** The precompiles that all networks have, by their address, which counts up from 1. */
const CONSTANTINOPLE = [
  'ECREC',
  'SHA256',
  'RIPEMD160',
  'ID',
  'MODEXP',
  'BN254_ADD',
  'BN254_MUL',
  'BN254_PAIRING',
] as const;
const ISTANBUL = [...CONSTANTINOPLE, 'BLAKE2F'] as const;
const CANCUN = [...ISTANBUL, 'KZG_POINT_EVALUATION'] as const;
const PRAGUE = [
  ...CANCUN,
  'BLS12_G1ADD',
  'BLS12_G1MSM',
  'BLS12_G2ADD',
  'BLS12_G2MSM',
  'BLS12_PAIRING_CHECK',
  'BLS12_MAP_FP_TO_G1',
  'BLS12_MAP_FP2_TO_G2',
] as const;

/** The network's own contracts and their addresses. */
const NETWORK_CONTRACTS: readonly (readonly [name: string, address: `0x${string}`])[] = [
  ['BRIDGE', '0x0000000000000000000000000000000001000006'],
  ['REMASC', '0x0000000000000000000000000000000001000008'],
  ['HD_WALLET_UTILS', '0x0000000000000000000000000000000001000009'],
  ['BLOCK_HEADER', '0x0000000000000000000000000000000001000010'],
  ['ENVIRONMENT', '0x0000000000000000000000000000000001000011'],
  ['SECP256K1_ADD', '0x0000000000000000000000000000000001000016'],
  ['SECP256K1_MUL', '0x0000000000000000000000000000000001000017'],
];

function namesOf({ name, hasRequests, hasBlobFields }: RuleSet): readonly string[] {
  if (hasRequests) return PRAGUE;
  if (hasBlobFields) return CANCUN;
  return name === 'constantinople' || name === 'petersburg' ? CONSTANTINOPLE : ISTANBUL;
}

/** The precompiles that code can call under a rule set, by address. */
export function precompilesOf(ruleSet: RuleSet): Precompile[] {
  const counted = namesOf(ruleSet).map((name, index) => ({
    name,
    address: fromHex(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  }));
  return ruleSet.name === 'rootstock' ? [...counted, ...networkContracts()] : counted;
}

/** The contracts that only the network has, by address. */
export function networkContracts(): Precompile[] {
  return NETWORK_CONTRACTS.map(([name, address]) => ({ name, address: fromHex(address) }));
}
