// Errors of nodes and providers that do not reject a call, but cannot serve it now or at this node.

import { toHex } from '../../primitives/hex.ts';
import { asObject, tolerantQuantity } from '../../wire/tolerant.ts';
import type { BlockPin, CallAnswer, Rejection, UpstreamCall } from './upstream-call.ts';

/** The HTTP status for too many requests. */
export const TOO_MANY_REQUESTS = 429;

const RATE_LIMITED =
  /rate.?limit|too many requests|compute units|request count|throughput|exceeded.{0,150}(capacity|quota)/i;

/** Error codes of providers for too many requests. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, -32005, -32097]);

/** True for an error that only reports too many requests. */
export function isRateLimit({ code, message }: Rejection): boolean {
  return RATE_LIMIT_CODES.has(code) || RATE_LIMITED.test(message);
}

/** Errors of geth, Nethermind, Erigon, Reth, Besu, rskj and providers for state that a node does not store. */
const PRUNED =
  /missing trie node|state\b.{0,150}\b(not|un) ?available|no state available|state unavailable|historical state|state not found|prun(ed|ing)|archive (data|node|request|state)|proof window/i;

/** Errors of the same nodes for a block that has not reached them. */
const LAGGING =
  /\b(block|header)\b.{0,90}\bnot (be )?found\b|unknown block|\bno block found|(cannot|could not) find (block|header)|not available yet|unfinalized data/i;

/** The codes of a revert, with a message of the contract, and of an unknown method. */
const CERTAIN_CODES: ReadonlySet<number> = new Set([3, -32601]);

/** True for errors about the call itself. Their messages can contain any text. */
function isCertain({ code, message }: Rejection): boolean {
  return CERTAIN_CODES.has(code) || /revert/i.test(message);
}

const HEX_NUMBER = /^0x[0-9a-f]{1,13}$/i;

function isUpTo(value: unknown, { number }: BlockPin): boolean {
  if (typeof value !== 'string' || !HEX_NUMBER.test(value)) return false;
  const named = tolerantQuantity(value);
  return named !== undefined && named <= BigInt(number);
}

/** True if a parameter names the pinned block or an earlier one. The upstream certainly has this block. */
function namesKnownBlock({ params }: UpstreamCall, pin: BlockPin): boolean {
  const own = toHex(pin.hash);
  return params.some((param) => {
    const { blockHash, blockNumber, toBlock } = asObject(param) ?? {};
    if (typeof blockHash === 'string') return blockHash.toLowerCase() === own;
    return [param, blockNumber, toBlock].some((value) => isUpTo(value, pin));
  });
}

/**
 * Returns a failure instead of a rejection if the call is valid, but the node is limited, lagging or pruned.
 * Without a `pin`, no block is known to exist.
 */
export function withoutProviderErrors(
  call: UpstreamCall,
  answer: CallAnswer,
  pin: BlockPin | undefined,
): CallAnswer {
  if (answer.kind !== 'refused') return answer;
  const { code, message } = answer.refusal;
  const reason = `${message} (${code})`;
  if (isRateLimit(answer.refusal)) return { kind: 'failed', reason, isRateLimited: true };
  if (pin === undefined || isCertain(answer.refusal)) return answer;
  if (PRUNED.test(message)) return { kind: 'failed', reason, isPruned: true };
  return LAGGING.test(message) && namesKnownBlock(call, pin) ? { kind: 'failed', reason } : answer;
}
