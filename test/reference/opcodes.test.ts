import { describe, expect, it } from 'vitest';
import { bytesToBigInt } from '../../src/primitives/bytes.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';
import { wordBytes } from '../support/words.ts';
import {
  CONTRACT,
  code,
  deploying,
  returning,
  type SceneOptions,
  SENDER,
  setScene as setSceneOn,
} from './scene.ts';

const ROOTSTOCK_ON: readonly RuleSetName[] = ['rootstock', 'rootstock-next'];
const AMSTERDAM_ON: readonly RuleSetName[] = ['amsterdam'];
const OSAKA_ON: readonly RuleSetName[] = ['osaka', 'bpo1', 'bpo2', ...AMSTERDAM_ON];
const CANCUN_ON: readonly RuleSetName[] = ['cancun', 'prague', ...OSAKA_ON];
const SHANGHAI_ON: readonly RuleSetName[] = ['shanghai', 'cancun', 'prague', ...OSAKA_ON];
const LONDON_ON: readonly RuleSetName[] = ['london', 'paris', ...SHANGHAI_ON];

const ISTANBUL_ON: readonly RuleSetName[] = [...ROOTSTOCK_ON, 'istanbul', 'berlin', ...LONDON_ON];

interface OpcodeCase {
  readonly opcode: string;
  /** The opcode that halts in rule sets without it. */
  readonly byte: string;
  /** Code that leaves one word on the stack. */
  readonly digits: string;
  readonly value: bigint;
  readonly valueUnderRootstock?: bigint;
  readonly ruleSets: readonly RuleSetName[];
}

const OPCODES: readonly OpcodeCase[] = [
  { opcode: 'CHAINID', byte: '46', digits: '46', value: 33n, ruleSets: ISTANBUL_ON },
  { opcode: 'SELFBALANCE', byte: '47', digits: '47', value: 9n, ruleSets: ISTANBUL_ON },
  { opcode: 'SHL', byte: '1b', digits: '6003 6004 1b', value: 48n, ruleSets: RULE_SET_NAMES },
  { opcode: 'CLZ', byte: '1e', digits: '6001 1e', value: 255n, ruleSets: OSAKA_ON },
  // 17 words. The lowest is 7.
  { opcode: 'DUPN', byte: 'e6', digits: `6007 ${'6001'.repeat(16)} e680`, value: 7n, ruleSets: AMSTERDAM_ON },
  {
    opcode: 'SWAPN',
    byte: 'e7',
    digits: `6007 ${'6001'.repeat(17)} e780`,
    value: 7n,
    ruleSets: AMSTERDAM_ON,
  },
  {
    opcode: 'EXCHANGE',
    byte: 'e8',
    digits: '6007 6008 6009 e88e 50',
    value: 7n,
    ruleSets: AMSTERDAM_ON,
  },
  {
    opcode: 'PUSH0',
    byte: '5f',
    digits: '5f 6001 01',
    value: 1n,
    ruleSets: [...ROOTSTOCK_ON, ...SHANGHAI_ON],
  },
  {
    opcode: 'MCOPY',
    byte: '5e',
    digits: '602a 6000 52  6020 6000 6040 5e  6040 51',
    value: 42n,
    ruleSets: [...ROOTSTOCK_ON, ...CANCUN_ON],
  },
  {
    opcode: 'TSTORE and TLOAD',
    byte: '5d',
    digits: '6007 6001 5d  6001 5c',
    value: 7n,
    ruleSets: [...ROOTSTOCK_ON, ...CANCUN_ON],
  },
  { opcode: 'BLOBHASH', byte: '49', digits: '6000 49', value: 0n, ruleSets: CANCUN_ON },
  { opcode: 'BLOBBASEFEE', byte: '4a', digits: '4a', value: 11n, ruleSets: CANCUN_ON },
  { opcode: 'SLOTNUM', byte: '4b', digits: '4b', value: 12n, ruleSets: AMSTERDAM_ON },
  {
    opcode: 'BASEFEE (the minimum gas price without a base fee)',
    byte: '48',
    digits: '48',
    value: 7n,
    valueUnderRootstock: 5n,
    ruleSets: [...ROOTSTOCK_ON, ...LONDON_ON],
  },
];

describe.each([
  ['reference', createReferenceEngine],
  ['wasm', createWasmEngine],
] as const)('the %s engine', (_engine, createEngine) => {
  const setScene = (name: RuleSetName, options: SceneOptions = {}) =>
    setSceneOn(name, { createEngine, ...options });

  describe.each(RULE_SET_NAMES)('opcodes of %s', (name) => {
    it.each(OPCODES)(
      'supports $opcode if the rule set includes it',
      async ({ digits, byte, ruleSets, ...values }) => {
        const scene = await setScene(name);
        const result = await scene.run(returning(digits), { value: 9n });
        const value = ROOTSTOCK_ON.includes(name)
          ? (values.valueUnderRootstock ?? values.value)
          : values.value;
        expect(result).toMatchObject(
          ruleSets.includes(name)
            ? { outcome: 'success', returnData: wordBytes(value) }
            : { outcome: 'halt', haltReason: `invalid opcode 0x${byte}` },
        );
      },
    );

    it('returns PREVRANDAO for 0x44 from Paris and DIFFICULTY before', async () => {
      const scene = await setScene(name);
      const { returnData } = await scene.run(returning('44'));
      const isAfterParis = ['paris', ...SHANGHAI_ON].includes(name);
      expect(bytesToBigInt(returnData)).toBe(isAfterParis ? 0xabcdefn : 17n);
    });

    it('returns the fields of the current block', async () => {
      const scene = await setScene(name);
      const seen = async (digits: string) => bytesToBigInt((await scene.run(returning(digits))).returnData);
      expect(await seen('43')).toBe(1_000n);
      expect(await seen('42')).toBe(1_700_000_000n);
      expect(await seen('41')).toBe(bytesToBigInt(scene.environment.coinbase));
      expect(await seen('45')).toBe(30_000_000n);
      expect(await seen('32')).toBe(bytesToBigInt(SENDER));
    });

    it('returns BLOCKHASH only for the previous 256 blocks', async () => {
      const scene = await setScene(name);
      const seen = async (number: number) =>
        bytesToBigInt(
          (await scene.run(returning(`61${number.toString(16).padStart(4, '0')} 40`))).returnData,
        );
      expect(await seen(999)).toBe(999n << 128n);
      expect(await seen(744)).toBe(744n << 128n);
      expect(await seen(743)).toBe(0n);
      expect(await seen(1_000)).toBe(0n);
    });
  });

  describe('Rootstock rules', () => {
    it.each([
      ['SLOAD', '6000 54', 203n],
      ['BALANCE', '6000 31', 403n],
      ['EXTCODEHASH', '6000 3f', 403n],
      ['EXTCODESIZE', '6000 3b', 703n],
      ['STATICCALL of an account', '6000 80 80 80 32 6000 fa', 717n],
      ['SSTORE that sets a slot', '6001 6000 55', 20_006n],
      ['SSTORE that changes nothing', '6000 6000 55', 5_006n],
      ['SSTORE of a slot set before', '6001 6000 55 6002 6000 55', 25_012n],
      ['CHAINID', '46', 2n],
      ['SELFBALANCE', '47', 5n],
      ['BASEFEE', '48', 2n],
      ['PUSH0', '5f', 2n],
      ['TSTORE', '6001 6000 5d', 106n],
      ['TLOAD', '6000 5c', 103n],
    ])('charges %s as Rootstock does', async (_opcode, digits, gas) => {
      const scene = await setScene('rootstock');
      const { gasBeforeRefund } = await scene.run(code(digits));
      expect(gasBeforeRefund - 21_000n).toBe(gas);
    });

    it('limits calls to a depth of 400', async () => {
      const scene = await setScene('rootstock', { environment: { gasLimit: 10n ** 12n } });
      scene.state.setAccount(SENDER, { nonce: 0n, balance: 10n ** 30n });
      scene.state.setCode(CONTRACT, code('6001 6000 54 01 6000 55  6000 80 80 80 80 30 5a f1 00'));
      await scene.transact({ gasLimit: 10n ** 11n });
      expect(scene.state.storageAt(CONTRACT, wordBytes(0))).toEqual(code('0191'));
    });

    it('charges 2 gas for each word of initcode and 16 for each byte of data', async () => {
      const scene = await setScene('rootstock');
      const { gasUsed } = await scene.transact({ to: null, data: code('00'.repeat(33)) });
      expect(gasUsed).toBe(53_000n + 33n * 4n + 2n * 2n);
      const transfer = await scene.transact({ nonce: 1n, data: code('11'.repeat(10)) });
      expect(transfer.gasUsed).toBe(21_160n);
    });

    it('rejects code that starts with 0xef', async () => {
      const scene = await setScene('rootstock');
      const result = await scene.transact({ to: null, data: deploying(code('ef')) });
      expect(result).toMatchObject({ outcome: 'halt', haltReason: 'contract code starts with 0xef' });
    });
  });

  describe('CREATE2', () => {
    it.each(RULE_SET_NAMES)('computes the address of an EIP-1014 example under %s', async (name) => {
      const scene = await setScene(name);
      const zeroAddress = new Uint8Array(20);
      scene.state.setCode(zeroAddress, returning('6000 6000 6000 6000 f5'));
      const { returnData } = await scene.call({ to: zeroAddress });
      expect(bytesToBigInt(returnData)).toBe(0xe33c0c7f7df4809055c3eba6c09cfe4baf1bd9e0n);
    });
  });
});
