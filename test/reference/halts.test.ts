import { describe, expect, it } from 'vitest';
import { enginePair } from '../evm/interpreter/engine-pair.ts';
import {
  CONTRACT,
  code,
  contractAddress,
  deploying,
  ETHER,
  RECIPIENT,
  returning,
  SENDER,
  setScene,
  word,
} from './scene.ts';

describe('a halt', () => {
  it.each([
    ['out of gas', '5b 6000 56'],
    ['stack underflow', '01'],
    ['stack overflow', '5b 6000 6000 56'],
    ['invalid jump destination', '6003 56'],
    ['invalid opcode 0xfe', 'fe'],
    ['invalid opcode 0x0c', '0c'],
    ['invalid opcode 0xef', '6003 56 5b ef'],
    ['out of gas', '6001 6000 6000 3e'],
  ])('is told as: %s', async (haltReason, digits) => {
    const { state, transact } = await setScene('rootstock');
    state.setCode(CONTRACT, code(digits));
    const result = await transact({ gasLimit: 100_000n, value: 3n });
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason,
      gasUsed: 100_000n,
      gasBeforeRefund: 100_000n,
      returnData: new Uint8Array(0),
    });
    expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: ETHER - 1_000_000n });
    expect(state.account(CONTRACT)?.balance).toBe(0n);
  });

  it('inside a static call is the caller’s to judge', async () => {
    const { state, run } = await setScene('rootstock');
    state.setCode(RECIPIENT, code('6001 6000 55'));
    const recipient = Buffer.from(RECIPIENT).toString('hex');
    const result = await run(code(`6000 80 80 80 73${recipient} 61ffff fa 6000 52 6020 6000 f3`));
    expect(result).toMatchObject({ outcome: 'success', returnData: word(0) });
  });
});

describe('a creation that halts', () => {
  it('for the size of its code keeps the sender’s gas', async () => {
    const { state, transact } = await setScene('rootstock');
    const result = await transact({ to: null, data: code('616001 6000 f3'), gasLimit: 8_000_000n });
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason: 'contract code too large',
      gasUsed: 8_000_000n,
      createdAddress: contractAddress(SENDER, 0n),
    });
    expect(state.account(contractAddress(SENDER, 0n))).toBeUndefined();
  });

  it('for lack of gas for its code says so', async () => {
    const { transact } = await setScene('cancun');
    const result = await transact({ to: null, data: code('616000 6000 f3'), gasLimit: 1_000_000n });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
  });

  it('for a taken address says so', async () => {
    const { state, transact } = await setScene('cancun');
    state.setCode(contractAddress(SENDER, 0n), code('00'));
    const result = await transact({ to: null, data: deploying(code('00')) });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'contract address is taken' });
  });

  it('for storage at its address does so too (EIP-7610)', async () => {
    const { state, transact } = await setScene('cancun');
    state.setStorage(contractAddress(SENDER, 0n), word(1), code('01'));
    const result = await transact({ to: null, data: deploying(code('00')) });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'contract address is taken' });
  });
});

describe('a frame that creates with more initcode than there may be', () => {
  const RULE_SETS = ['rootstock', 'shanghai', 'osaka', 'amsterdam'] as const;

  it.each(RULE_SETS)(
    'halts for that, whatever its gas has to pay afterwards, on both engines under %s',
    async (name) => {
      const { state, transact } = await enginePair(name);
      // CREATE and CREATE2 with 49,153 bytes; the account alone costs more gas of state than there is under Amsterdam.
      for (const [nonce, digits] of ['61c001 6000 6000 f0', '6000 61c001 6000 6000 f5'].entries()) {
        state.setCode(CONTRACT, code(digits));
        expect(await transact({ gasLimit: 100_000n, nonce: BigInt(nonce) })).toMatchObject({
          outcome: 'halt',
          haltReason: 'initcode too large',
          gasUsed: 100_000n,
        });
      }
    },
  );
});

describe('a creation that reverts with data that begins with 0xef', () => {
  const RULE_SETS = ['rootstock', 'berlin', 'london', 'shanghai', 'osaka', 'amsterdam'] as const;
  const initcode = code('60ef 6000 53 6002 6000 fd');
  const revertData = code('ef00');

  it.each(RULE_SETS)('is a revert in a transaction under %s', async (name) => {
    const { transact } = await setScene(name);
    const result = await transact({ to: null, data: initcode });
    expect(result).toMatchObject({ outcome: 'revert', haltReason: null, returnData: revertData });
    expect(result.gasUsed).toBeLessThan(60_000n);
  });

  it.each([
    ['london', 2n],
    ['osaka', 2n],
    // The network leaves it empty for creations that revert.
    ['rootstock', 0n],
  ] as const)('gives back gas to its creator under %s', async (name, returnDataSize) => {
    const { run } = await setScene(name);
    const digits = Buffer.from(initcode).toString('hex');
    const creating = `69${digits} 6000 52 600a 6016 6000 f0`;
    const sized = await run(returning(`${creating} 50 3d`));
    expect(sized).toMatchObject({ outcome: 'success', returnData: word(returnDataSize) });
    expect(sized.gasUsed).toBeLessThan(60_000n);
    expect(await run(returning(creating))).toMatchObject({ returnData: word(0) });
  });
});

describe('the limit on code', () => {
  const largest = code('617000 6000 f3');

  it('is lifted by null, for initcode too', async () => {
    const { transact } = await setScene('cancun', { codeSizeLimit: null });
    expect(await transact({ to: null, data: largest, gasLimit: 10_000_000n })).toMatchObject({
      outcome: 'success',
    });
    const initcode = new Uint8Array(60_000);
    expect(await transact({ to: null, data: initcode, nonce: 1n })).toMatchObject({ outcome: 'success' });
  });

  it('is what it is set to, and twice that for initcode', async () => {
    const { transact } = await setScene('cancun', { codeSizeLimit: 100 });
    const creation = { to: null, data: code('6064 6000 f3') };
    expect(await transact(creation)).toMatchObject({ outcome: 'success' });
    expect(await transact({ ...creation, nonce: 1n, data: code('6065 6000 f3') })).toMatchObject({
      haltReason: 'contract code too large',
    });
    await expect(transact({ ...creation, nonce: 2n, data: new Uint8Array(201) })).rejects.toThrow(
      'initcode of 201 bytes exceeds the limit of 200 bytes',
    );
    expect(await transact({ ...creation, nonce: 2n, data: new Uint8Array(200) })).toMatchObject({
      outcome: 'success',
    });
  });

  it('does not hold for initcode before Shanghai', async () => {
    const { transact } = await setScene('london');
    expect(await transact({ to: null, data: new Uint8Array(60_000) })).toMatchObject({ outcome: 'success' });
  });
});
