// Results about accounts that follow from single values of an upstream.

import { UpstreamError } from '../../fork/errors.ts';
import { accountQuestions } from '../../fork/state-questions.ts';
import { callAt } from '../../fork/upstream/upstream-call.ts';
import { EMPTY_BYTES, padLeft } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { KECCAK_EMPTY, keccak256 } from '../../primitives/keccak.ts';
import { EMPTY_TRIE_ROOT } from '../../state/trie/trie-node.ts';
import {
  asObject,
  tolerantData,
  tolerantFixedData,
  tolerantQuantity,
  tolerantWord,
} from '../../wire/tolerant.ts';
import type { DerivableCall } from '../method.ts';
import { read, readAll } from './upstream-reads.ts';

interface AccountValues {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
}

async function accountOf(call: DerivableCall): Promise<AccountValues> {
  const address = toHex(call.params.decoded[0] as Uint8Array);
  const questions = accountQuestions(address).map((question) => callAt(question, call.number));
  const [nonce, balance, code] = await readAll(call, questions);
  return {
    nonce: tolerantQuantity(nonce) ?? 0n,
    balance: tolerantQuantity(balance) ?? 0n,
    code: tolerantData(code) ?? EMPTY_BYTES,
  };
}

/** Returns the account; `null` if it does not exist. The storage root of a contract comes from its proof. */
export async function account(call: DerivableCall): Promise<unknown> {
  const { nonce, balance, code } = await accountOf(call);
  if (nonce === 0n && balance === 0n && code.length === 0) return null;
  return {
    nonce: toQuantity(nonce),
    balance: toQuantity(balance),
    storageRoot: toHex(code.length === 0 ? EMPTY_TRIE_ROOT : await storageRootOf(call)),
    codeHash: toHex(code.length === 0 ? KECCAK_EMPTY : keccak256(code)),
  };
}

async function storageRootOf(call: DerivableCall): Promise<Uint8Array> {
  const address = toHex(call.params.decoded[0] as Uint8Array);
  const question = {
    method: 'eth_getProof',
    params: [address, [], toQuantity(call.number)],
    expects: 'fields',
  } as const;
  const proof = asObject(await read(call, question));
  const root = tolerantFixedData(proof?.storageHash, 32);
  if (root === undefined)
    throw new UpstreamError('invalid response from the fork URL to eth_getProof: no storageHash');
  return root;
}

export async function accountInfo(call: DerivableCall): Promise<unknown> {
  const { nonce, balance, code } = await accountOf(call);
  return { nonce: toQuantity(nonce), balance: toQuantity(balance), code: toHex(code) };
}

export async function hasCode(call: DerivableCall): Promise<unknown> {
  const address = toHex(call.params.decoded[0] as Uint8Array);
  const params = [address, toQuantity(call.number)];
  const code = await read(call, { method: 'eth_getCode', params, expects: 'dataOrNull' });
  return (tolerantData(code)?.length ?? 0) > 0;
}

const WORD = 32;

/** Returns the values of slots by account. */
export async function storageValues(call: DerivableCall): Promise<unknown> {
  const [requests] = call.params.decoded as [readonly (readonly [Uint8Array, readonly Uint8Array[]])[]];
  const block = toQuantity(call.number);
  const slots = requests.flatMap(([of, own]) =>
    own.map((slot) => [toHex(of), toHex(padLeft(slot, WORD)), block]),
  );
  const words = await readAll(
    call,
    slots.map((params) => ({ method: 'eth_getStorageAt', params, expects: 'word' })),
  );
  const values = words.map((word) => toHex(padLeft(tolerantWord(word) ?? EMPTY_BYTES, WORD)));
  return Object.fromEntries(requests.map(([of, own]) => [toHex(of), values.splice(0, own.length)]));
}
