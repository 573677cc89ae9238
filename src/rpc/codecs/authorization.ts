import type { Authorization, TransactionType } from '../../protocol/transaction.ts';
import { arrayOf, type Codec, objectOf, type Reading, refined } from './codec.ts';
import { address } from './data.ts';
import { quantity } from './quantity.ts';
import { accountNonce } from './settings.ts';

const LEGACY_V = 27n;

/** The parity of a signature, which some clients give as `v` instead: 0 and 1, or 27 and 28. */
function parityOf({
  yParity,
  v,
}: {
  readonly yParity: bigint | null;
  readonly v: bigint | null;
}): bigint | undefined {
  const given = yParity ?? v;
  const parity = given !== null && yParity === null && given >= LEGACY_V ? given - LEGACY_V : given;
  return parity === 0n || parity === 1n ? parity : undefined;
}

const authorization: Codec<Authorization> = refined(
  objectOf(
    {
      chainId: quantity,
      address,
      nonce: accountNonce,
      yParity: quantity,
      v: quantity,
      r: quantity,
      s: quantity,
    },
    'an object with chainId, address, nonce, yParity, r and s',
  ),
  (fields): Reading<Authorization> => {
    const { chainId, address: contract, nonce, r, s } = fields;
    const yParity = parityOf(fields);
    if (yParity === undefined) return { path: ['yParity'], expected: '0x0 or 0x1' };
    if (contract === null) return { path: ['address'], expected: 'an address: 0x and 40 hexadecimal digits' };
    if (chainId === null) return { path: ['chainId'], expected: 'a chain id, or 0x0 for any chain' };
    if (nonce === null) return { path: ['nonce'], expected: 'the nonce of the account that signed' };
    if (r === null) return { path: ['r'], expected: 'the r of the signature' };
    if (s === null) return { path: ['s'], expected: 'the s of the signature' };
    return { value: { chainId, address: contract, nonce, yParity, r, s } };
  },
);

/** Signed permissions to let accounts run the code of contracts (EIP-7702). */
export const authorizationList = arrayOf(authorization, 'an array of signed authorizations (EIP-7702)');

/** What is wrong with a message that has authorizations, or should have some; `null` for nothing (EIP-7702). */
export function authorizationProblem(fields: {
  readonly type: TransactionType | null;
  readonly to: Uint8Array | null;
  readonly authorizationList: readonly Authorization[] | null;
}): { readonly path: readonly string[]; readonly expected: string } | null {
  const count = fields.authorizationList?.length ?? 0;
  if (count === 0) {
    if (fields.type !== 4) return null;
    return { path: ['authorizationList'], expected: 'at least one authorization, for the type 0x4' };
  }
  if (fields.to === null) {
    return { path: ['to'], expected: 'an address, as a transaction with authorizations creates no contract' };
  }
  if (fields.type === null || fields.type === 4) return null;
  return { path: ['type'], expected: '0x4, the type of transactions with authorizations' };
}
