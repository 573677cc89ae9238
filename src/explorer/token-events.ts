/** Transfers of tokens, from the events of ERC-20, ERC-721 and ERC-1155. */

import { decodeAbiParameters } from 'viem/utils';
import { numberOf } from './format.ts';
import type { FoundLog } from './log-search.ts';

export type TokenStandard = 'ERC-20' | 'ERC-721' | 'ERC-1155';

/** `Transfer(address,address,uint256)` of ERC-20 and ERC-721. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
export const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
export const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

export const NOBODY = `0x${'0'.repeat(40)}`;

/** The number of topics if the id is indexed: ERC-721. */
const TOPICS_WITH_ID = 4;
/** Ids per event to read. */
const MAX_IDS = 1_000;

/** A transfer of an amount, or of one id. Addresses are in lower case. */
export interface Transfer {
  readonly token: string;
  readonly standard: TokenStandard;
  readonly from: string;
  readonly to: string;
  /** `null` for ERC-20. */
  readonly id: bigint | null;
  readonly amount: bigint;
  readonly block: number;
  readonly transactionHash: string;
  /** Unique on the chain. */
  readonly key: string;
}

/** Returns the 32-byte topic of an address. */
export function topicOf(account: string): string {
  return `0x${account.slice(2).toLowerCase().padStart(64, '0')}`;
}

function addressIn(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(-40).toLowerCase()}`;
}

const PAIR = [{ type: 'uint256' }, { type: 'uint256' }] as const;
const LISTS = [{ type: 'uint256[]' }, { type: 'uint256[]' }] as const;

/** Returns the ids and amounts of an ERC-1155 event; empty if its data are invalid. */
function idsIn({ topics, data }: FoundLog): (readonly [id: bigint, amount: bigint])[] {
  try {
    if (topics[0] === SINGLE) return [decodeAbiParameters(PAIR, data)];
    const [ids, amounts] = decodeAbiParameters(LISTS, data);
    return ids.slice(0, MAX_IDS).map((id, index) => [id, amounts[index] ?? 0n] as const);
  } catch {
    // Any contract can emit an event with this topic.
    return [];
  }
}

/** Returns the transfers in a log; empty for other events, and for events with invalid data. */
export function transfersIn(log: FoundLog): Transfer[] {
  const { topics, data } = log;
  const place = {
    token: log.address.toLowerCase(),
    block: numberOf(log.blockNumber),
    transactionHash: log.transactionHash,
  };
  const key = `${log.transactionHash}${log.logIndex}`;
  if (topics[0] === TRANSFER) {
    const isPiece = topics.length === TOPICS_WITH_ID;
    if (!isPiece && (topics.length < 3 || data.length < 66)) return [];
    const value = BigInt((isPiece ? topics[3] : data.slice(0, 66)) ?? '0x0');
    const [from, to] = [addressIn(topics[1]), addressIn(topics[2])];
    return [
      isPiece
        ? { ...place, standard: 'ERC-721', from, to, id: value, amount: 1n, key }
        : { ...place, standard: 'ERC-20', from, to, id: null, amount: value, key },
    ];
  }
  if ((topics[0] !== SINGLE && topics[0] !== BATCH) || topics.length < 4) return [];
  const [from, to] = [addressIn(topics[2]), addressIn(topics[3])];
  return idsIn(log).map(([id, amount], index) => ({
    ...place,
    standard: 'ERC-1155',
    from,
    to,
    id,
    amount,
    key: `${key}/${index}`,
  }));
}
