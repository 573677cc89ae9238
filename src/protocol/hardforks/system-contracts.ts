/** The contracts that the protocol calls in each block, as deployed by their EIPs. */

import { fromHex } from '../../primitives/hex.ts';
import type { Code } from '../../state/account.ts';

/** The input of a call before the transactions. The contract stores it in a ring buffer. */
export type SystemCallInput = 'parent beacon block root' | 'parent hash';

export interface SystemContract {
  /** The name in EIP-7910. */
  readonly name: string;
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** The code deployed by the EIP. */
  readonly code: Code;
  /**
   * The time of the call: before the transactions with 32 bytes of input, or after them without input. A call
   * after the transactions returns requests of this type (EIP-7685).
   */
  readonly call:
    | { readonly at: 'beginning'; readonly input: SystemCallInput }
    | { readonly at: 'end'; readonly requestType: number };
}

/** The sender of system calls, 20 bytes. */
export const SYSTEM_ADDRESS = fromHex('0xfffffffffffffffffffffffffffffffffffffffe');

/** Gas of a system call. It uses no block gas and has no transaction limit (EIP-7825). */
export const SYSTEM_CALL_GAS = 30_000_000n;

/** The number of new slots that the state gas of a system call covers (EIP-8037). */
export const SYSTEM_CALL_SLOTS = 16n;

/** The size of the ring buffers of EIP-4788 and EIP-2935, in blocks. */
export const RING_SIZE = 8_191;

function codeWith(hash: `0x${string}`, parts: readonly string[]): Code {
  return { bytes: fromHex(`0x${parts.join('')}`), hash: fromHex(hash) };
}

/** EIP-4788: the parent beacon block root by block timestamp. */
export const BEACON_ROOTS: SystemContract = {
  name: 'BEACON_ROOTS_ADDRESS',
  address: fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02'),
  code: codeWith('0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c', [
    '3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff81069081',
    '5414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
  ]),
  call: { at: 'beginning', input: 'parent beacon block root' },
};

/** EIP-2935: the hashes of earlier blocks by number. */
export const HISTORY_STORAGE: SystemContract = {
  name: 'HISTORY_STORAGE_ADDRESS',
  address: fromHex('0x0000f90827f1c53a10cb7a02335b175320002935'),
  code: codeWith('0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d', [
    '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff8143031160',
    '4257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
  ]),
  call: { at: 'beginning', input: 'parent hash' },
};

/** EIP-7002: withdrawal requests of validators. */
export const WITHDRAWAL_REQUESTS: SystemContract = {
  name: 'WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS',
  address: fromHex('0x00000961ef480eb55e80d19ad83579a64c007002'),
  code: codeWith('0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50', [
    '3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffffff146101f457600182026001905f5b5f82111560685781019083028483029004916001019190604d56',
    '5b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f45760015460010160015560035480',
    '6003026004013381556001015f35815560010160203590553360601b5f5260385f601437604c5fa0600101600355005b60035460',
    '02548082038060101160df575060105b5f5b8181146101835782810160030260040181604c02815460601b815260140181600101',
    '5481526020019060020154807fffffffffffffffffffffffffffffffff0000000000000000000000000000000016825290601001',
    '9060401c908160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160',
    '101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002555f600355',
    '5b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b600154600282',
    '8201116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd',
  ]),
  call: { at: 'end', requestType: 1 },
};

/** EIP-7251: consolidation requests of validators. */
export const CONSOLIDATION_REQUESTS: SystemContract = {
  name: 'CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS',
  address: fromHex('0x0000bbddc7ce488642fb579f8b00f3a590007251'),
  code: codeWith('0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60', [
    '3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffffff1461019a57600182026001905f5b5f82111560685781019083028483029004916001019190604d56',
    '5b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a5760015460010160015560035480',
    '6004026004013381556001015f358155600101602035815560010160403590553360601b5f5260605f60143760745fa060010160',
    '0355005b6003546002548082038060021160e7575060025b5f5b8181146101295782810160040260040181607402815460601b81',
    '5260140181600101548152602001816002015481526020019060030154905260010160e9565b910180921461013b579060025561',
    '0146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14',
    '1561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd',
  ]),
  call: { at: 'end', requestType: 2 },
};

/** EIP-8282: deposits of builders. */
export const BUILDER_DEPOSITS: SystemContract = {
  name: 'BUILDER_DEPOSIT_CONTRACT_ADDRESS',
  address: fromHex('0x0000bff46984e3725691fa540a8c7589300d8282'),
  code: codeWith('0x1dd29c1e0dbc3ab670d229dbd3438003ec9015c1df9058beeb64ff301b60b98d', [
    '3373fffffffffffffffffffffffffffffffffffffffe1461011c575f54807fffffffffffffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffff146102705760015460088111605257506058565b60089003015b601190600182026001905f5b5f8211',
    '15607f57810190830284830290049160010191906064565b90939004925050503660b814609f57366102705734610270575f5260',
    '205ff35b8034106102705760383567ffffffffffffffff1680633b9aca001161027057633b9aca00029034031061027057600154',
    '600101600155600354806006026004015f3581556001016020358155600101604035815560010160603581556001016080358155',
    '60010160a035905560b85f5f3760b85fa0600101600355005b60035460025480820380604011610131575060405b5f5b81811461',
    '01d7578281016006026004018160b8028154815260200181600101548152602001816002015480825260401c67ffffffffffffff',
    'ff16816010018160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c816003015381',
    '60101c81600201538160081c81600101535360200181600301548152602001816004015481526020019060050154905260010161',
    '0133565b91018092146101e957906002556101f4565b90505f6002555f6003555b36610242575f54600154817fffffffffffffff',
    'ffffffffffffffffffffffffffffffffffffffffffffffffff1461023057600882820111610238575b50505f610264565b016008',
    '9003610264565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f60015560b8025ff3',
    '5b5f5ffd',
  ]),
  call: { at: 'end', requestType: 3 },
};

/** EIP-8282: exit requests of builders. */
export const BUILDER_EXITS: SystemContract = {
  name: 'BUILDER_EXIT_CONTRACT_ADDRESS',
  address: fromHex('0x000064d678505ad48f8ccb093bc65613800e8282'),
  code: codeWith('0x90a0b24eb190d6c50f00f6f751dc4c2778658abf3631aceb80586c43f8bd9f2f', [
    '3373fffffffffffffffffffffffffffffffffffffffe1460e1575f54807fffffffffffffffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffff146101c65760015460028111605157506057565b60029003015b601190600182026001905f5b5f821115',
    '607e57810190830284830290049160010191906063565b909390049250505036603014609e57366101c657346101c6575f526020',
    '5ff35b34106101c657600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f52',
    '60305f60143760445fa0600101600355005b6003546002548082038060101160f5575060105b5f5b81811461012d578281016003',
    '0260040181604402815460601b8152601401816001015481526020019060020154905260010160f7565b910180921461013f5790',
    '60025561014a565b90505f6002555f6003555b36610198575f54600154817fffffffffffffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffff146101865760028282011161018e575b50505f6101ba565b01600290036101ba565b7fffffffffffff',
    'ffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f6001556044025ff35b5f5ffd',
  ]),
  call: { at: 'end', requestType: 4 },
};
