import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Contract, ContractAbi } from 'web3';
import { EVM_VERSIONS } from '../support/artifacts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { type ConnectedWeb3, connectWeb3, deployWithWeb3, method, pastEvents } from '../support/web3.ts';

const [{ address: holder }, { address: other }, { address: poor }] = DEV_ACCOUNTS;

/** The error that web3 decodes for a call that must fail. */
async function revertOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
  return error instanceof Error ? error.cause : error;
}

describe.each(EVM_VERSIONS)('web3 with contracts compiled for %s', (evmVersion) => {
  let node: RunningNode;
  let web3: ConnectedWeb3;

  beforeAll(async () => {
    node = await startNode();
    web3 = connectWeb3(node.url);
  });

  afterAll(() => node.stop());

  function deploy(name: string, ...parameters: readonly unknown[]): Promise<Contract<ContractAbi>> {
    return deployWithWeb3(web3, holder, evmVersion, name, ...parameters);
  }

  function read(
    contract: Contract<ContractAbi>,
    name: string,
    ...parameters: readonly unknown[]
  ): Promise<unknown> {
    return method(contract, name, ...parameters).call({ from: holder });
  }

  function write(contract: Contract<ContractAbi>, name: string, ...parameters: readonly unknown[]) {
    return method(contract, name, ...parameters).send({ from: holder });
  }

  describe('an OpenZeppelin ERC20 in web3', () => {
    let token: Contract<ContractAbi>;

    beforeAll(async () => {
      token = await deploy('Token', 'Gold', 'GLD', holder, 1000n);
    });

    it('is created with constructor arguments', async () => {
      expect(await read(token, 'name')).toBe('Gold');
      expect(await read(token, 'decimals')).toBe(18n);
      expect(await read(token, 'balanceOf', holder)).toBe(1000n);
    });

    it('transfers tokens with events in the receipt and in past logs', async () => {
      const receipt = await write(token, 'transfer', other, 7n);
      expect(receipt.status).toBe(1n);
      const transfer = { from: holder, to: other, value: 7n };
      expect(receipt.events?.Transfer?.returnValues).toMatchObject(transfer);
      expect(await read(token, 'balanceOf', other)).toBe(7n);
      expect(await pastEvents(token, 'Transfer')).toMatchObject([{ to: holder, value: 1000n }, transfer]);
      expect(await pastEvents(token, 'Transfer', { to: other })).toMatchObject([transfer]);
      expect(await pastEvents(token, 'Transfer', { from: other })).toEqual([]);
    });

    it('lets another account spend an allowance', async () => {
      await write(token, 'approve', other, 5n);
      await method(token, 'transferFrom', holder, other, 3n).send({ from: other });
      expect(await read(token, 'allowance', holder, other)).toBe(2n);
    });

    it('reverts with a custom error if the balance is too low', async () => {
      const call = method(token, 'transfer', holder, 1n).call({ from: poor });
      expect(await revertOf(call)).toMatchObject({
        errorName: 'ERC20InsufficientBalance',
        errorArgs: { sender: poor, balance: 0n, needed: 1n },
      });
    });
  });

  describe('failing calls in web3', () => {
    let failures: Contract<ContractAbi>;

    beforeAll(async () => {
      failures = await deploy('Failures');
    });

    it('return the reason of a revert', async () => {
      expect(await revertOf(read(failures, 'reason'))).toMatchObject({
        errorName: 'Error',
        errorArgs: { message: 'not today' },
      });
    });

    it('return the name and arguments of a custom error', async () => {
      expect(await revertOf(read(failures, 'customError', 99n))).toMatchObject({
        errorName: 'NotEnough',
        errorArgs: { account: holder, needed: 99n, available: 7n },
      });
    });

    it.each([
      ['assertion', [], 0x01n],
      ['overflow', [255], 0x11n],
      ['divide', [1n, 0n], 0x12n],
      ['element', [4n], 0x32n],
    ])('return the panic code of %s', async (name, parameters, code) => {
      expect(await revertOf(read(failures, name, ...parameters))).toMatchObject({
        errorName: 'Panic',
        errorArgs: { code },
      });
    });

    it('return the error of an exceptional halt without data', async () => {
      const halt = await revertOf(read(failures, 'invalidOpcode'));
      expect(halt).toMatchObject({ code: -32015, message: expect.stringContaining('invalid opcode') });
      expect(halt).not.toHaveProperty('data');
    });

    it('are mined as failed transactions if gas is given', async () => {
      const sent = method(failures, 'countThenFail').send({ from: holder, gas: '100000' });
      await expect(sent).rejects.toMatchObject({ receipt: { status: 0n, logs: [] } });
      expect(await read(failures, 'count')).toBe(0n);
    });
  });

  it('creates contracts from contracts with CREATE and CREATE2', async () => {
    const factory = await deploy('Factory');
    const created = await method(factory, 'create', 5n).send({ from: holder, value: '12' });
    const child = String(await read(factory, 'children', 0n));
    expect(created.events?.Created?.returnValues).toMatchObject({ child, number: 5n, salted: false });
    expect(await web3.eth.getBalance(child)).toBe(12n);

    const salt = web3.utils.keccak256('0x01');
    const codeHash = String(await read(factory, 'childCodeHash', 8n));
    const preimage = `0xff${factory.options.address?.slice(2)}${salt.slice(2)}${codeHash.slice(2)}`;
    const expected = web3.utils.toChecksumAddress(`0x${web3.utils.keccak256(preimage).slice(-40)}`);
    const salted = await write(factory, 'createSalted', 8n, salt);
    expect(salted.events?.Created?.returnValues).toMatchObject({
      child: expected,
      number: 8n,
      salted: true,
    });
    // Rootstock does not return the reason of a failed creation to the creator.
    expect(await revertOf(read(factory, 'create', 13n))).toMatchObject({ data: '0x' });
  });

  it('finds events by each of three indexed arguments', async () => {
    const vault = await deploy('Vault');
    const rent = web3.utils.padRight(web3.utils.asciiToHex('rent'), 64);
    const food = web3.utils.padRight(web3.utils.asciiToHex('food'), 64);
    await method(vault, 'deposit', rent, 'for May').send({ from: holder, value: '40' });
    await method(vault, 'deposit', food, 'bread').send({ from: other, value: '2' });
    const bread = { from: other, amount: 2n, purpose: food, note: 'bread' };
    for (const filter of [{ from: other }, { amount: 2n }, { purpose: food }]) {
      expect(await pastEvents(vault, 'Deposited', filter)).toMatchObject([bread]);
    }
    await write(vault, 'withdraw', 40n);
    expect(await web3.eth.getBalance(vault.options.address ?? '')).toBe(2n);
  });

  it('encodes and decodes structs, dynamic arrays and long bytes', async () => {
    const ledger = await deploy('Ledger');
    const entries = [
      { id: 1n, owner: holder, name: 'first', amounts: [1n, -2n, 3n], open: true },
      {
        id: 2n,
        owner: other,
        name: 'a name longer than one word of thirty-two bytes',
        amounts: [],
        open: false,
      },
    ];
    for (const entry of entries) await write(ledger, 'add', entry);
    expect(await read(ledger, 'all')).toMatchObject(entries);
    expect(await read(ledger, 'columns')).toMatchObject({
      ids: [1n, 2n],
      names: entries.map(({ name }) => name),
    });
    const long = `0x${'616263'.repeat(3000)}`;
    expect(await read(ledger, 'echo', long)).toBe(long);
  });
});
