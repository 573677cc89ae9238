/** Sorts differences between a recorded and an actual response by kind. */

import type { Response } from './exchanges.ts';

/** The kinds of differences, with their reasons. */
export const KINDS = {
  'fields of Rootstock': 'blocks also have the fields of Rootstock, which the service document requires',
  'earlier rules':
    'the blocks 0 to 53 have earlier hardforks. The node has one rule set, and cannot run their transactions again. Receipts, configuration and simulations have the form of this rule set',
  'decimal numbers': 'a block number without 0x is read as decimal, as Hardhat and Ganache read it',
  'trace of the genesis': 'the genesis has no transactions, so its traces are an empty list',
  'error code': 'an unknown block is an invalid parameter (-32602) with compat anvil; geth returns -32000',
  'code of a bug':
    'a simulation of the highest nonce returns -32000, because -32603 means a bug; geth returns -32603',
  'shared target':
    'two precompiles cannot move to one address (-38023), as the specification requires; geth uses the last move',
  'gas limit of a block':
    'the node keeps its gas limit; geth moves the gas limit of each block towards its target',
  'reason of a cut':
    'the message of a failed call has a note if its gas was cut; geth has no note. The specification fixes only the start of the message',
  'data of a revert': 'a reverted call of a simulation returns its data, as in eth_call; geth returns 0x',
  'words of a halt':
    'the message is `vm execution error: …`, as the specification requires; geth returns `out of gas`',
  withdrawals: 'the node does not store withdrawals; the block of the test chain is loaded without them',
} as const;

export type Kind = keyof typeof KINDS | 'unexplained';

export interface Compared {
  readonly file: string;
  readonly isSpecOnly: boolean;
  readonly expected: Response;
  readonly actual: Response;
}

/** Members of blocks that only Rootstock and older nodes of Ethereum have. */
const OWN_MEMBERS =
  /^(?:cumulativeDifficulty|totalDifficulty|hashForMergedMining|minimumGasPrice|paidFees|parentchainMergedMining.*)$/;

/** Returns the value as text, with sorted members and without members that `leavesOut` matches. */
function sorted(value: unknown, leavesOut: RegExp | null = null): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member)
            .filter(([name]) => leavesOut === null || !leavesOut.test(name))
            .sort(([left], [right]) => (left < right ? -1 : 1)),
        )
      : member,
  );
}

const CUT_NOTE = / \(gas was cut from [^)]*\)/g;

/** The kinds of exchanges that a comparison of the responses does not show. */
const BY_FILE: readonly (readonly [RegExp, Kind])[] = [
  [/\/get-invalid-number|\/trace-block-invalid-number/, 'decimal numbers'],
  [/\/trace-genesis/, 'trace of the genesis'],
  [/-overflow-nonce-validation/, 'code of a bug'],
  [/-move-two-accounts-to-same-38023/, 'shared target'],
  [/^testing_buildBlockV1\//, 'gas limit of a block'],
  [/\/get-block-shanghai-fork/, 'withdrawals'],
  [/-produce-logs-on-revert/, 'data of a revert'],
  [/-as-many-features-as-possible|-run-out-of-gas-in-block/, 'words of a halt'],
  [/^debug_trace|-num-set-firstblock|^eth_config\//, 'earlier rules'],
  [/^debug_getRawReceipts\/get-block-n|\/get-block-receipts-(?:n|by-hash)|\/get-legacy-/, 'earlier rules'],
];

/** Returns the kind of a difference; `null` if the responses are equal. */
export function kindOf({ file, isSpecOnly, expected, actual }: Compared): Kind | null {
  const areErrors = expected.error !== undefined && actual.error !== undefined;
  if (areErrors && expected.error?.code === actual.error?.code) return null;
  const isError = expected.error !== undefined || actual.error !== undefined;
  if (!isError && (isSpecOnly || sorted(expected.result) === sorted(actual.result))) return null;
  if (!isError && sorted(expected.result) === sorted(actual.result, OWN_MEMBERS))
    return 'fields of Rootstock';
  const [, known] = BY_FILE.find(([pattern]) => pattern.test(file)) ?? [];
  if (known !== undefined && !(areErrors && file.endsWith('/trace-block-not-found.io'))) return known;
  if (areErrors) return actual.error?.code === -32602 ? 'error code' : 'unexplained';
  const isNoted =
    !isError && sorted(expected.result) === sorted(actual.result, OWN_MEMBERS).replaceAll(CUT_NOTE, '');
  return isNoted ? 'reason of a cut' : 'unexplained';
}
