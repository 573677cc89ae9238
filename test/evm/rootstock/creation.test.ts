import { getCreate2Address } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import {
  CONTRACT,
  code,
  contractAddress,
  deploying,
  ETHER,
  environmentOf,
  messageOf,
  RECIPIENT,
  type Scene,
  SENDER,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ENGINES } from './engines.ts';
import {
  answerOf,
  BASE,
  calling,
  costOf,
  creating,
  creationOperands,
  depositing,
  digits,
  push,
  putRecipient,
  RETURN_TOP,
  runs,
  setRootstockScene,
} from './rootstock-scene.ts';

/** The first contract that {@link CONTRACT} (nonce 1) creates. */
const CREATED = contractAddress(CONTRACT, 1n);
const EMPTY = new Uint8Array(0);

function numberOf(address: Uint8Array): bigint {
  return BigInt(toHex(address));
}

describe.each(ENGINES)('creations under Rootstock rules on the $engine engine', (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);

  describe('code size', () => {
    it('deployed code has at most 24576 bytes', async () => {
      const { transact } = await scene();
      const creation = { to: null, gasLimit: 10_000_000n };
      expect(await transact({ ...creation, data: depositing(24_576) })).toMatchObject({ outcome: 'success' });
      expect(await transact({ ...creation, nonce: 1n, data: depositing(24_577) })).toMatchObject({
        outcome: 'halt',
        haltReason: 'contract code too large',
        gasUsed: 10_000_000n,
      });
    });

    it('CREATE and CREATE2 halt the frame for initcode above 49152 bytes', async () => {
      const create = (size: number, opcode: string) => `6000 ${push(size)} 6000 6000 ${opcode}`;
      for (const opcode of ['f0', 'f5']) {
        expect(await runs(await scene(), create(49_152, opcode))).toMatchObject({ outcome: 'success' });
        expect(await runs(await scene(), create(49_153, opcode))).toMatchObject({
          outcome: 'halt',
          haltReason: 'initcode too large',
        });
      }
    });

    it('a transaction with initcode above 49152 bytes is not executed', async () => {
      const { transact } = await scene();
      const creation = { to: null, gasLimit: 10_000_000n };
      await expect(transact({ ...creation, data: new Uint8Array(49_153) })).rejects.toThrow(/initcode/);
      expect(await transact({ ...creation, data: new Uint8Array(49_152) })).toMatchObject({
        outcome: 'success',
      });
    });
  });

  describe('nonce of a created contract', () => {
    it('a contract created by a transaction starts with nonce 0', async () => {
      const { state, transact } = await scene();
      const data = deploying(code(`${creating(code('00'))} ${RETURN_TOP}`));
      await transact({ to: null, data });
      const contract = contractAddress(SENDER, 0n);
      expect(state.account(contract)?.nonce).toBe(0n);
      const { returnData } = await transact({ nonce: 1n, to: contract });
      expect(returnData.subarray(12)).toEqual(contractAddress(contract, 0n));
      expect(state.account(contract)?.nonce).toBe(1n);
    });

    it('the nonce is 0 while the initcode of a transaction runs', async () => {
      const { state, transact } = await scene();
      await transact({ to: null, data: code(creating(code('00'))) });
      const contract = contractAddress(SENDER, 0n);
      expect(state.account(contractAddress(contract, 0n))?.nonce).toBe(1n);
      expect(state.account(contract)?.nonce).toBe(1n);
    });

    it.each([
      ['CREATE', {}],
      ['CREATE2', { salt: 5 }],
    ])('a contract created by %s starts with nonce 1', async (_name, operands) => {
      const prepared = await scene();
      const created = await answerOf(prepared, creating(code('00'), operands));
      const address = fromHex(`0x${created.toString(16).padStart(40, '0')}`);
      expect(prepared.state.account(address)?.nonce).toBe(1n);
    });
  });

  describe('address of a created contract', () => {
    it('CREATE derives the address from creator and nonce', async () => {
      expect(await answerOf(await scene(), creating(code('00')))).toBe(numberOf(CREATED));
    });

    it('CREATE2 derives the address from creator, salt and initcode (EIP-1014)', async () => {
      const hash = toHex(keccak256(code('00')));
      const expected = getCreate2Address(toHex(CONTRACT), toHex(wordBytes(5)), hash);
      expect(await answerOf(await scene(), creating(code('00'), { salt: 5 }))).toBe(BigInt(expected));
    });

    it.each([
      ['code', (state: Scene['state']) => state.setCode(CREATED, code('00'))],
      ['a nonce', (state: Scene['state']) => state.setAccount(CREATED, { nonce: 1n, balance: 0n })],
    ])('an address with %s is taken: the creation uses all gas and raises the nonce', async (_name, take) => {
      const prepared = await scene();
      take(prepared.state);
      const result = await runs(prepared, creating(deploying(code('00'))), { gasLimit: 100_000n });
      expect(result).toMatchObject({ outcome: 'success', gasUsed: 100_000n });
      expect(prepared.state.account(CONTRACT)?.nonce).toBe(2n);
    });

    it('an address with only a balance is free and keeps its balance', async () => {
      const prepared = await scene();
      prepared.state.setAccount(CREATED, { nonce: 0n, balance: 7n });
      expect(await answerOf(prepared, creating(code('00'), { value: 3 }))).toBe(numberOf(CREATED));
      expect(prepared.state.account(CREATED)).toMatchObject({ nonce: 1n, balance: 10n });
      const direct = contractAddress(SENDER, 1n);
      prepared.state.setAccount(direct, { nonce: 0n, balance: 7n });
      await prepared.transact({ nonce: 1n, to: null, value: 3n });
      expect(prepared.state.account(direct)).toMatchObject({ nonce: 0n, balance: 10n });
    });

    it('the address of a self-destructed contract is taken until the next block', async () => {
      const prepared = await scene();
      // The contract self-destructs while it is created.
      const create = creating(code('33 ff'), { salt: 1 });
      expect(await answerOf(prepared, create)).toBeGreaterThan(0n);
      const again = await runs(prepared, create, { gasLimit: 200_000n });
      expect(again).toMatchObject({ outcome: 'success', gasUsed: 200_000n });
      const nextBlock = environmentOf('rootstock', { number: 1_001 });
      const message = messageOf({ nonce: 2n, gasLimit: 200_000n });
      const later = await prepared.engine.transact(nextBlock, prepared.state, message);
      expect(later.outcome).toBe('success');
      expect(later.gasUsed).toBeLessThan(100_000n);
    });
  });

  it('a transaction without initcode creates an account without code for 53000 gas', async () => {
    const { state, transact } = await scene();
    const result = await transact({ to: null });
    const address = contractAddress(SENDER, 0n);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 53_000n, createdAddress: address });
    expect(state.account(address)).toMatchObject({ nonce: 0n, balance: 0n });
    expect(state.code(address)).toEqual(EMPTY);
  });

  describe('a creation whose code cannot be stored', () => {
    const FAILURES = [
      ['for lack of gas', depositing(24_000), 'out of gas'],
      ['for its size', depositing(24_577), 'contract code too large'],
      ['for its first byte 0xef', code('60ef 6000 53 6001 6000 f3'), 'contract code starts with 0xef'],
    ] as const;

    it.each(FAILURES)('a creation whose code fails %s pushes 0 and uses all gas', async (_name, initcode) => {
      const prepared = await scene();
      putRecipient(prepared, creating(initcode));
      const cost = await costOf(prepared, '', calling('CALL', RECIPIENT, { gas: 900_000 }));
      const pushes = 7n * 3n;
      expect(cost).toBe(700n + pushes + 900_000n);
      expect(prepared.state.account(contractAddress(RECIPIENT, 1n))).toBeUndefined();
    });

    it.each(FAILURES)('a transaction that fails %s costs its gas limit', async (_name, data, haltReason) => {
      const { state, transact } = await scene();
      const result = await transact({ to: null, data, gasLimit: 900_000n });
      expect(result).toMatchObject({ outcome: 'halt', haltReason, gasUsed: 900_000n });
      expect(state.account(contractAddress(SENDER, 0n))).toBeUndefined();
      expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 9_000_000n });
    });
  });

  describe('a creation that reverts', () => {
    const reverting = code('6001 6000 52 6020 6000 fd');

    it('a reverted creation leaves the return data empty', async () => {
      expect(await answerOf(await scene(), `${creating(reverting)} 50 3d`)).toBe(0n);
    });

    it('a reverted CREATE2 leaves the return data empty after earlier return data', async () => {
      const prepared = await scene();
      putRecipient(prepared, `602a ${RETURN_TOP}`);
      const runtime = `${calling('CALL', RECIPIENT)} ${creating(reverting, { salt: 1 })} 50 50 3d`;
      expect(await answerOf(prepared, runtime)).toBe(0n);
    });

    it('a reverted creation refunds its unused gas', async () => {
      const cost = await costOf(await scene(), creationOperands(reverting), 'f0');
      // 32002 for the opcode, 18 for the initcode.
      expect(cost).toBe(32_020n);
    });

    it('a reverted creation raises the nonce of its creator', async () => {
      const prepared = await scene();
      await runs(prepared, creating(reverting));
      expect(prepared.state.account(CONTRACT)?.nonce).toBe(2n);
    });
  });

  it('a creation gets all remaining gas', async () => {
    const prepared = await scene();
    // Initcode that stores its remaining gas.
    await runs(prepared, creating(code('5a 6000 55')), { gasLimit: 200_000n });
    // 3 each for PUSH32, PUSH1, MSTORE, its word, and three operands; 32002 for the opcode; 2 for GAS.
    const given = 200_000n - BASE - 21n - 32_002n - 2n;
    expect(prepared.state.storageAt(CREATED, wordBytes(0))).toEqual(wordBytes(given).subarray(29));
  });

  it.each(['f0', 'f5'])(
    'a creation (%s) without the balance pushes 0, costs its opcode and raises no nonce',
    async (opcode) => {
      const prepared = await scene();
      expect(await costOf(prepared, '6000 6000 6000 6103e8', opcode)).toBe(32_000n);
      await runs(prepared, `6000 6000 6000 6103e8 ${opcode}`);
      expect(prepared.state.account(CONTRACT)?.nonce).toBe(1n);
    },
  );

  it('a creation beyond the depth limit pushes 0, costs its opcode and raises no nonce', async () => {
    const prepared = await scene();
    const deeper = calling('CALL', CONTRACT, { gas: 2n ** 256n - 1n });
    // Only the deepest frame, after its call failed, creates. It stores the cost of the creation.
    const create = '5a 6000 6000 6000 f0 50 5a 90 03 6000 55 00 5b';
    const target = code(deeper).length + 3 + code(create).length - 1;
    await runs(prepared, `${deeper} ${push(target)} 57 ${create}`, { gasLimit: 20_000_000n });
    expect(prepared.state.storageAt(CONTRACT, wordBytes(0))).toEqual(
      wordBytes(32_000n + 9n + 2n + 2n).subarray(30),
    );
    expect(prepared.state.account(CONTRACT)?.nonce).toBe(1n);
  });

  describe('SELFDESTRUCT', () => {
    it('SELFDESTRUCT removes an older contract at the end of the transaction', async () => {
      const prepared = await scene();
      prepared.state.setStorage(CONTRACT, wordBytes(1), Uint8Array.of(1));
      await runs(prepared, `${push(RECIPIENT)} ff`);
      expect(prepared.state.account(CONTRACT)).toBeUndefined();
      expect(prepared.state.account(RECIPIENT)?.balance).toBe(100n);
      expect(prepared.state.storageAt(CONTRACT, wordBytes(1))).toEqual(EMPTY);
    });

    it('SELFDESTRUCT keeps the code of the contract until the transaction ends', async () => {
      const prepared = await scene();
      putRecipient(prepared, `${push(SENDER)} ff`);
      const runtime = `${calling('CALL', RECIPIENT)} 50 ${push(RECIPIENT)} 3b`;
      expect(await answerOf(prepared, runtime)).toBe(BigInt(code(`${push(SENDER)} ff`).length));
      expect(prepared.state.account(RECIPIENT)).toBeUndefined();
    });

    it('SELFDESTRUCT to the contract itself burns the balance', async () => {
      const prepared = await scene();
      await runs(prepared, '30 ff');
      expect(prepared.state.account(CONTRACT)).toBeUndefined();
    });

    it('SELFDESTRUCT without a balance creates no beneficiary account', async () => {
      const { state, transact } = await scene();
      state.setCode(CONTRACT, code(`${push(RECIPIENT)} ff`));
      await transact({});
      expect(state.account(RECIPIENT)).toBeUndefined();
      expect(digits(state.code(CONTRACT))).toBe('');
    });
  });
});
