import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { getOpcodesForHF, paramsEVM } from '@ethereumjs/evm';
import { describe, expect, it } from 'vitest';
import { OPCODES, type OpcodePrices } from '../../src/protocol/hardforks/opcodes.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { initialGas } from '../../src/protocol/intrinsic-gas.ts';

const HARDFORKS = {
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
} as const;

function existing(opcodes: OpcodePrices): number[] {
  return opcodes.flatMap((price, opcode) => (price === null ? [] : [opcode]));
}

describe.each(Object.entries(HARDFORKS))('execution rules of %s', (name, hardfork) => {
  const rules = ruleSetNamed(name as keyof typeof HARDFORKS);
  const { gas, precompiles } = rules;
  const common = new Common({ chain: Mainnet, hardfork, params: paramsEVM });
  const price = (parameter: string) => Number(common.param(parameter));
  const library = getOpcodesForHF(common).opcodes;
  /** EIP-2929 prices the access to accounts and slots separately. */
  const touches: readonly number[] = [
    OPCODES.SLOAD,
    OPCODES.BALANCE,
    OPCODES.EXTCODESIZE,
    OPCODES.EXTCODECOPY,
    OPCODES.EXTCODEHASH,
    OPCODES.CALL,
    OPCODES.CALLCODE,
    OPCODES.DELEGATECALL,
    OPCODES.STATICCALL,
  ];

  it('the rules contain exactly the opcodes of the hardfork', () => {
    expect(existing(rules.opcodes)).toEqual(
      [...library.keys()].filter((opcode) => opcode !== OPCODES.INVALID),
    );
  });

  it('the rules price each opcode as the hardfork does', () => {
    for (const [opcode, { fee, name: opcodeName }] of library) {
      const access = gas.access !== null && touches.includes(opcode) ? gas.access.warm : 0;
      expect(rules.opcodes[opcode] ?? 0, opcodeName).toBe(fee + access);
    }
  });

  it('the rules have no price for undefined opcodes', () => {
    const priced = existing(rules.opcodes).filter((opcode) => !library.has(opcode));
    expect(priced).toEqual([]);
    expect(rules.opcodes).toHaveLength(256);
  });

  it('the rules price operands, calls and creations as the hardfork does', () => {
    expect(gas.size).toEqual({
      exponentByte: price('expByteGas'),
      copyWord: price('copyGas'),
      keccakWord: price('keccak256WordGas'),
      logTopic: price('logTopicGas'),
      logByte: price('logDataGas'),
      initcodeWord: common.isActivatedEIP(3860) ? price('initCodeWordGas') : 0,
      codeByte: price('createDataGas'),
      codeWord: 0,
    });
    expect(gas.memory).toEqual({
      word: price('memoryGas'),
      quadraticDivisor: price('quadCoefficientDivGas'),
      maximumSize: null,
    });
    expect(gas.call).toEqual({
      value: price('callValueTransferGas'),
      stipend: price('callStipendGas'),
      newAccount: price('callNewAccountGas'),
      newBeneficiary: price('callNewAccountGas'),
    });
    expect(gas.state).toBeNull();
    expect(gas.refundQuotient).toBe(price('maxRefundQuotient'));
    expect(gas.selfDestructRefund).toBe(price('selfdestructRefundGas'));
  });

  it('the rules price cold access as the hardfork does', () => {
    const expected = common.isActivatedEIP(2929)
      ? {
          warm: price('warmstoragereadGas'),
          coldAccount: price('coldaccountaccessGas'),
          coldSlot: price('coldsloadGas'),
          coldSlotOfStore: price('coldsloadGas'),
          isCoinbaseWarm: common.isActivatedEIP(3651),
        }
      : null;
    expect(gas.access).toEqual(expected);
  });

  it('the rules price SSTORE as the hardfork does', () => {
    const net = (parameters: Readonly<Record<string, string>>, sentry: number) => ({
      scheme: 'net',
      sentry,
      ...Object.fromEntries(
        Object.entries(parameters).map(([field, parameter]) => [field, price(parameter)]),
      ),
    });
    if (name === 'petersburg') {
      expect(gas.storage).toEqual({
        scheme: 'flat',
        set: price('sstoreSetGas'),
        reset: price('sstoreResetGas'),
        clearRefund: price('sstoreRefundGas'),
      });
    } else if (name === 'constantinople') {
      const parameters = {
        unchanged: 'netSstoreNoopGas',
        set: 'netSstoreInitGas',
        reset: 'netSstoreCleanGas',
        clearRefund: 'netSstoreClearRefundGas',
        restoredZeroRefund: 'netSstoreResetClearRefundGas',
        restoredValueRefund: 'netSstoreResetRefundGas',
      };
      expect(gas.storage).toEqual(net(parameters, 0));
    } else {
      const parameters = {
        unchanged: 'sstoreNoopEIP2200Gas',
        set: 'sstoreInitEIP2200Gas',
        reset: 'sstoreCleanEIP2200Gas',
        clearRefund: 'sstoreClearRefundEIP2200Gas',
        restoredZeroRefund: 'sstoreInitRefundEIP2200Gas',
        restoredValueRefund: 'sstoreCleanRefundEIP2200Gas',
      };
      const expected = net(parameters, price('sstoreSentryEIP2200Gas'));
      // The library subtracts the price of a cold slot only when it grants this refund.
      const restoredValueRefund = gas.access === null ? 4_200 : 2_800;
      expect(gas.storage).toEqual({ ...expected, restoredValueRefund });
    }
  });

  it('the rules price precompiles as the hardfork does', () => {
    const { modularExponentiation, bls12, network: _, p256Verify: __, ...others } = precompiles.gas;
    expect(others).toEqual({
      ecRecover: price('ecRecoverGas'),
      sha256: { base: price('sha256Gas'), word: price('sha256WordGas') },
      ripemd160: { base: price('ripemd160Gas'), word: price('ripemd160WordGas') },
      identity: { base: price('identityGas'), word: price('identityWordGas') },
      bn254Add: price('bn254AddGas'),
      bn254Multiply: price('bn254MulGas'),
      bn254Pairing: { base: price('bn254PairingGas'), pair: price('bn254PairingWordGas') },
      blake2Round: 1,
      pointEvaluation: 50_000,
    });
    const divisor = common.isActivatedEIP(7883) ? 1 : price('modexpGquaddivisorGas');
    expect(modularExponentiation.divisor).toBe(divisor);
    const formulaBefore = common.isActivatedEIP(2565) ? 'EIP-2565' : 'EIP-198';
    expect(modularExponentiation.formula).toBe(common.isActivatedEIP(7883) ? 'EIP-7883' : formulaBefore);
    expect(modularExponentiation.maxOperandLength).toBe(common.isActivatedEIP(7823) ? 1_024 : null);
    if (!common.isActivatedEIP(2537)) return;
    expect(bls12).toEqual({
      g1Add: price('bls12381G1AddGas'),
      g1Multiply: price('bls12381G1MulGas'),
      g2Add: price('bls12381G2AddGas'),
      g2Multiply: price('bls12381G2MulGas'),
      pairing: { base: price('bls12381PairingBaseGas'), pair: price('bls12381PairingPerPairGas') },
      mapToG1: price('bls12381MapG1Gas'),
      mapToG2: price('bls12381MapG2Gas'),
    });
  });

  it('the other rules follow the EIPs of the hardfork', () => {
    const has = (eip: number): boolean => common.isActivatedEIP(eip);
    expect(rules.calls.followsDelegations).toBe(has(7702));
    expect(rules.maximumTransactionGas).toBe(has(7825) ? 2n ** 24n : null);
    expect(rules.precompiles.contracts.includes('P256VERIFY')).toBe(has(7951));
    expect(rules.creations.rejectsEfCode).toBe(has(3541));
    expect(rules.accounts.selfDestructRemoves === 'created in the same transaction').toBe(has(6780));
    expect(rules.environment.difficultyAnswers).toBe(has(4399) ? 'prevRandao' : 'difficulty');
  });
});

describe('execution rules of rootstock', () => {
  const rootstock = ruleSetNamed('rootstock');
  const petersburg = ruleSetNamed('petersburg');

  it('the Rootstock rules have seven more opcodes than Petersburg', () => {
    const added = existing(rootstock.opcodes).filter((opcode) => petersburg.opcodes[opcode] === null);
    const { CHAINID, SELFBALANCE, BASEFEE, TLOAD, TSTORE, MCOPY, PUSH0 } = OPCODES;
    expect(added).toEqual([CHAINID, SELFBALANCE, BASEFEE, TLOAD, TSTORE, MCOPY, PUSH0]);
  });

  it('the Rootstock rules price every opcode of Petersburg as Petersburg does', () => {
    for (const opcode of existing(petersburg.opcodes)) {
      expect(rootstock.opcodes[opcode]).toBe(petersburg.opcodes[opcode]);
    }
    expect(rootstock.gas.storage).toEqual(petersburg.gas.storage);
    expect(rootstock.gas.access).toBeNull();
  });
});

describe('rule set', () => {
  it.each(RULE_SET_NAMES)('%s has its registered name', (name) => {
    expect(ruleSetNamed(name).name).toBe(name);
  });

  it('charges transactions the same initcode price as CREATE', () => {
    const creation = {
      sender: new Uint8Array(20),
      to: null,
      value: 0n,
      accessList: [],
      authorizationList: [],
    };
    for (const name of RULE_SET_NAMES) {
      const ruleSet = ruleSetNamed(name);
      const [empty, longer] = [0, 64].map((size) =>
        initialGas(ruleSet, { ...creation, data: new Uint8Array(size) }),
      );
      const words = 2n * BigInt(ruleSet.gas.size.initcodeWord);
      expect((longer ?? 0n) - (empty ?? 0n)).toBe(64n * ruleSet.intrinsicGas.zeroByte + words);
    }
  });
});

it('the preview of Amsterdam lists each EIP of the hardfork (EIP-7773)', () => {
  const { preview } = ruleSetNamed('amsterdam');
  const { included, leftOut, elsewhere } = preview ?? expect.unreachable();
  const scheduled = [
    2780, 7688, 7708, 7732, 7778, 7843, 7928, 7954, 7976, 7981, 7997, 8024, 8037, 8038, 8045, 8061, 8246,
    8282,
  ];
  const networking = [7975, 8070, 8136, 8159, 8189];
  const listed = [included, leftOut, elsewhere].flatMap((list) => Object.keys(list).map(Number));
  expect(listed.sort()).toEqual([...scheduled, ...networking].sort());
});
