import { Buffer } from 'node:buffer';
import { toHex } from '../../src/primitives/hex.ts';
import type { Account, StorageTrie } from '../../src/state/account.ts';
import { trieValues } from '../../src/state/trie/trie.ts';
import { PREDEPLOY_DEPLOYMENTS } from '../support/predeploy-replay.ts';

const HEADING = `/** An account of the predeploys; bytes in hexadecimal, the code in Base64. */
export interface PredeployState {
  readonly address: string;
  /** False when another contract created it. */
  readonly isCreatedByTransaction: boolean;
  /** The number of contracts it has created. */
  readonly creations: number;
  /** Recorded, so that no start has to compute it. */
  readonly codeHash: string;
  readonly code: string;
  /** Slots and their values without leading zeros. */
  readonly storage: readonly (readonly [string, string])[];
}

/** The output of \`npm run tool -- generate:predeploys\`: the accounts as the deployments in the fixtures leave them on chain 33. */
export const PREDEPLOY_STATE: readonly PredeployState[] = [
`;

function storageText(storage: StorageTrie): string {
  const entries = Array.from(trieValues(storage));
  return `[${entries.map(({ slot, value }) => `['${toHex(slot)}', '${toHex(value)}']`).join(', ')}]`;
}

function accountText({ address, nonce, code, storage }: Account): string {
  const isCreatedByTransaction = PREDEPLOY_DEPLOYMENTS.some(
    (deployment) => 'transaction' in deployment && deployment.address.toLowerCase() === toHex(address),
  );
  // On Rootstock, the nonce of a contract starts at 0 if a transaction created it.
  const creations = isCreatedByTransaction ? nonce : nonce - 1n;
  return `  {
    address: '${toHex(address)}',
    isCreatedByTransaction: ${isCreatedByTransaction},
    creations: ${creations},
    codeHash: '${toHex(code.hash)}',
    code: '${Buffer.from(code.bytes).toString('base64')}',
    storage: ${storageText(storage)},
  },
`;
}

/** The source text of the module that holds the accounts. */
export function predeployStateText(accounts: readonly Account[]): string {
  return `${HEADING}${accounts.map(accountText).join('')}];\n`;
}
