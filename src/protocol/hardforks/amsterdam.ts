import { BPO2 } from './bpo.ts';
import { withOpcodes } from './opcodes.ts';
import type { Preview, RuleSet } from './rule-set.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS } from './system-contracts.ts';

/** The EIPs of EIP-7773. */
const PREVIEW: Preview = {
  kind: 'EIP',
  included: {
    2780: 'intrinsic gas: 12,000 per transaction, plus gas for recipient, value, new accounts and authorizations',
    7708: 'ETH transfers emit a log',
    7778: 'refunds do not reduce the gas used by a block',
    7843: 'opcode SLOTNUM; headers contain the slot number',
    7928: 'block access lists: at most one account or slot per 2,000 gas of the block gas limit; headers contain the hash of the list',
    7954: 'maximum size: 64 KiB for code, 128 KiB for initcode',
    7976: 'calldata costs at least 64 gas per byte',
    7981: 'access lists cost an additional 64 gas per byte',
    7997: 'predeployed CREATE2 factory, unless --no-predeploys is set',
    8024: 'opcodes DUPN, SWAPN and EXCHANGE',
    8037: 'new state costs state gas, paid first from the gas limit above 2^24. A transaction has at most 2^32 - 1 gas',
    8038: 'new gas costs of reading and writing accounts and slots',
    8246: 'SELFDESTRUCT burns no ETH',
    8282: 'system contracts for deposits and exits of builders',
  },
  leftOut: {},
  elsewhere: {
    7688: 'consensus-layer data structures',
    7732: 'separation of block proposers and builders',
    7975: 'exchange of receipt lists between nodes',
    8045: 'slashed validators',
    8061: 'exits and consolidations of validators',
    8070: 'exchange of pooled blobs between nodes',
    8136: 'exchange of blob cells between nodes',
    8159: 'exchange of block access lists between nodes',
    8189: 'state sync between nodes',
  },
};

/** Amsterdam's EIPs that ethereumjs must apply. Its Osaka hardfork has the earlier EIPs. */
const LIBRARY_EIPS = [2780, 7708, 7778, 7843, 7976, 7981, 8024, 8037, 8038, 8246];

const WARM = 100;
/** Writing the balance, nonce or code of an account, and writing a slot (EIP-8038). */
const ACCOUNT_WRITE = 9_000;
const STORAGE_WRITE = 10_000;
const COLD_ACCOUNT = 3_000;
const COLD_SLOT = 2_100;
/** The account of a new contract is accessed and written. */
const CREATE_ACCESS = COLD_ACCOUNT + ACCOUNT_WRITE;
const CALL_STIPEND = 2_300;
/** State gas per byte (EIP-8037). */
const STATE_BYTE = 1_530;

/** A preview of Amsterdam (EIP-7773, not final): the EIPs of {@link PREVIEW}, otherwise like Osaka. */
export const AMSTERDAM: RuleSet = {
  ...BPO2,
  name: 'amsterdam',
  hasAccessLists: true,
  hasSlotNumbers: true,
  blockGas: 'before the refund',
  preview: PREVIEW,
  // The limit of execution gas is lower: 2^24.
  maximumTransactionGas: 4_294_967_295n,
  intrinsicGas: {
    ...BPO2.intrinsicGas,
    transaction: 12_000n,
    creation: BigInt(CREATE_ACCESS),
    recipient: BigInt(COLD_ACCOUNT),
    value: 6_000n,
    accessListAddress: BigInt(COLD_ACCOUNT - WARM),
    accessListSlot: BigInt(COLD_SLOT - WARM),
    // 101 bytes of data, ECRECOVER, a cold account, two warm writes
    authorization: 7_816n,
    floorPerToken: 16n,
    floorBegins: 'with creation, recipient and value',
    zeroByteTokens: 4,
    accessListByteTokens: 4,
  },
  gas: {
    ...BPO2.gas,
    size: { ...BPO2.gas.size, codeByte: 0, codeWord: 6 },
    storage: {
      scheme: 'net',
      sentry: 2_300,
      unchanged: WARM,
      set: WARM + STORAGE_WRITE,
      reset: WARM + STORAGE_WRITE,
      clearRefund: 11_616,
      restoredZeroRefund: STORAGE_WRITE,
      restoredValueRefund: STORAGE_WRITE,
    },
    access: {
      warm: WARM,
      coldAccount: COLD_ACCOUNT,
      coldSlot: COLD_SLOT,
      coldSlotOfStore: COLD_SLOT - WARM,
      isCoinbaseWarm: true,
    },
    call: {
      value: ACCOUNT_WRITE + CALL_STIPEND,
      stipend: CALL_STIPEND,
      newAccount: 0,
      newBeneficiary: ACCOUNT_WRITE,
    },
    state: {
      executionLimit: 16_777_216n,
      newAccount: 120 * STATE_BYTE,
      slot: 64 * STATE_BYTE,
      codeByte: STATE_BYTE,
      delegation: 23 * STATE_BYTE,
      authorityWrite: ACCOUNT_WRITE,
    },
  },
  calls: { ...BPO2.calls, logsTransfers: true },
  accounts: { ...BPO2.accounts, removedBalance: 'stays' },
  maximumCodeSize: 65_536,
  maximumInitcodeSize: 131_072,
  systemContracts: [...BPO2.systemContracts, BUILDER_DEPOSITS, BUILDER_EXITS],
  opcodes: withOpcodes(BPO2.opcodes, {
    SLOTNUM: 2,
    DUPN: 3,
    SWAPN: 3,
    EXCHANGE: 3,
    // The code is accessed in addition to the account.
    EXTCODESIZE: 2 * WARM,
    EXTCODECOPY: 2 * WARM,
    CREATE: CREATE_ACCESS,
    CREATE2: CREATE_ACCESS,
  }),
  reference: {
    ...BPO2.reference,
    hardfork: 'amsterdam',
    eips: LIBRARY_EIPS,
    // ethereumjs itself treats the excess as state gas.
    parameters: { ...BPO2.reference.parameters, 7825: { maxTransactionGasLimit: 16_777_216 } },
  },
  toolHardfork: 'Amsterdam',
};
