/** The global variables of Solidity: `msg`, `block` and `tx`. */

import { bytesToBigInt, padLeft } from '../../primitives/bytes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Moment } from './moment-recorder.ts';
import { ADDRESS, fixedBytes, UINT256 } from './value-types.ts';
import { scalar, type Value } from './values.ts';

const SELECTOR_SIZE = 4;

export const GLOBALS: Readonly<Record<string, readonly string[]>> = {
  msg: ['sender', 'value', 'data', 'sig', 'gas'],
  tx: ['origin', 'gasprice'],
  block: [
    ...['number', 'timestamp', 'coinbase', 'chainid', 'gaslimit', 'basefee'],
    ...['prevrandao', 'difficulty', 'blobbasefee'],
  ],
};

function ofMessage(member: string, { frame, gas }: Moment): Value | null {
  switch (member) {
    case 'sender':
      return scalar(ADDRESS, bytesToBigInt(frame.sender));
    case 'value':
      return scalar(UINT256, frame.value);
    case 'data':
      return { kind: 'bytes', isText: false, bytes: frame.input };
    case 'sig': {
      const selector = new Uint8Array(SELECTOR_SIZE);
      selector.set(frame.input.subarray(0, SELECTOR_SIZE));
      return scalar(fixedBytes(SELECTOR_SIZE), bytesToBigInt(selector));
    }
    case 'gas':
      return scalar(UINT256, gas);
    default:
      return null;
  }
}

function ofBlock(member: string, { environment }: Moment, ruleSet: RuleSet, chainId: number): Value | null {
  const number = (value: bigint | number): Value => scalar(UINT256, BigInt(value));
  switch (member) {
    case 'number':
      return number(environment.number);
    case 'timestamp':
      return number(environment.timestamp);
    case 'coinbase':
      return scalar(ADDRESS, bytesToBigInt(environment.coinbase));
    case 'chainid':
      return number(chainId);
    case 'gaslimit':
      return number(environment.gasLimit);
    case 'basefee': {
      const isMinimum = ruleSet.environment.baseFeeAnswers === 'minimumGasPrice';
      return number((isMinimum ? null : environment.baseFeePerGas) ?? environment.minimumGasPrice);
    }
    case 'prevrandao':
    case 'difficulty':
      return ruleSet.environment.difficultyAnswers === 'prevRandao'
        ? number(bytesToBigInt(padLeft(environment.prevRandao, 32)))
        : number(environment.difficulty);
    case 'blobbasefee':
      return number(environment.blobBaseFee ?? 0n);
    default:
      return null;
  }
}

/** Returns a member of a global variable; `null` if it has no member of this name. */
export function globalMember(
  name: string,
  member: string,
  moment: Moment,
  ruleSet: RuleSet,
  chainId: number,
): Value | null {
  if (name === 'msg') return ofMessage(member, moment);
  if (name === 'block') return ofBlock(member, moment, ruleSet, chainId);
  if (member === 'origin') return scalar(ADDRESS, bytesToBigInt(moment.message.sender));
  return member === 'gasprice' ? scalar(UINT256, moment.gasPrice) : null;
}
