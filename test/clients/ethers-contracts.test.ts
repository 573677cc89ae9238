import {
  type Contract,
  concat,
  EventLog,
  getCreate2Address,
  HDNodeWallet,
  id,
  isCallException,
  type JsonRpcProvider,
  type JsonRpcSigner,
  parseEther,
  Signature,
  zeroPadValue,
} from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVM_VERSIONS } from '../support/artifacts.ts';
import { DEV_MNEMONIC } from '../support/dev-accounts.ts';
import { connectEthers, deploy, read, write } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

/** Decoded events of logs or of a query: name and arguments. */
function eventsOf(logs: readonly unknown[]): unknown[] {
  return logs.map((log) => (log instanceof EventLog ? [log.eventName, ...log.args.toArray()] : log));
}

/** The ethers error of a call that must fail. */
async function failureOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
  if (!isCallException(error)) throw error;
  return {
    reason: error.reason,
    name: error.revert?.name,
    args: error.revert && Array.from(error.revert.args),
    data: error.data,
  };
}

describe.each(EVM_VERSIONS)('ethers with contracts compiled for %s', (evmVersion) => {
  let node: RunningNode;
  let provider: JsonRpcProvider;
  let holder: JsonRpcSigner;
  let other: JsonRpcSigner;

  beforeAll(async () => {
    node = await startNode();
    provider = connectEthers(node.url);
    holder = await provider.getSigner(0);
    other = await provider.getSigner(1);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  describe('an OpenZeppelin ERC20 in ethers', () => {
    let token: Contract;

    beforeAll(async () => {
      token = await deploy(holder, evmVersion, 'Token', 'Gold', 'GLD', holder.address, parseEther('1000'));
    });

    it('is created with constructor arguments', async () => {
      expect(await read(token, 'name')).toBe('Gold');
      expect(await read(token, 'symbol')).toBe('GLD');
      expect(await read(token, 'decimals')).toBe(18n);
      expect(await read(token, 'totalSupply')).toBe(parseEther('1000'));
      expect(await read(token, 'balanceOf', holder.address)).toBe(parseEther('1000'));
      expect(await provider.getCode(token)).toMatch(/^0x6080/);
    });

    it('transfers tokens with events in the receipt and in past logs', async () => {
      const before = await provider.getBlockNumber();
      const receipt = await write(token, 'transfer', other.address, 7n);
      expect(receipt.status).toBe(1);
      expect(receipt.blockNumber).toBe(before + 1);
      expect(eventsOf(receipt.logs)).toEqual([['Transfer', holder.address, other.address, 7n]]);
      expect(await read(token, 'balanceOf', other.address)).toBe(7n);

      const toOther = await token.queryFilter(token.getEvent('Transfer')(null, other.address), 0, 'latest');
      expect(eventsOf(toOther)).toEqual([['Transfer', holder.address, other.address, 7n]]);
      expect(toOther[0]).toMatchObject({
        transactionHash: receipt.hash,
        blockHash: receipt.blockHash,
        index: 0,
      });
      const fromOther = await token.queryFilter(token.getEvent('Transfer')(other.address), 0, 'latest');
      expect(fromOther).toEqual([]);
      const all = await provider.getLogs({ address: await token.getAddress(), fromBlock: 0 });
      expect(all.map(({ topics }) => topics[0])).toEqual(
        Array(2).fill(id('Transfer(address,address,uint256)')),
      );
    });

    it('lets another account spend an allowance', async () => {
      await write(token, 'approve', other.address, 5n);
      await write(token.connect(other) as Contract, 'transferFrom', holder.address, other.address, 3n);
      expect(await read(token, 'allowance', holder.address, other.address)).toBe(2n);
    });

    it('reverts with a custom error if the balance is too low', async () => {
      const poor = (await provider.getSigner(2)).address;
      const call = read(
        token.connect(await provider.getSigner(2)) as Contract,
        'transfer',
        holder.address,
        1n,
      );
      expect(await failureOf(call)).toMatchObject({ name: 'ERC20InsufficientBalance', args: [poor, 0n, 1n] });
    });
  });

  describe('failing calls in ethers', () => {
    let failures: Contract;

    beforeAll(async () => {
      failures = await deploy(holder, evmVersion, 'Failures');
    });

    it('return the reason of a revert', async () => {
      expect(await failureOf(read(failures, 'reason'))).toMatchObject({
        reason: 'not today',
        args: ['not today'],
      });
      expect(await failureOf(read(failures, 'emptyReason'))).toMatchObject({ name: 'Error', args: [''] });
    });

    it('return the name and arguments of a custom error', async () => {
      expect(await failureOf(read(failures, 'customError', 99n))).toMatchObject({
        name: 'NotEnough',
        args: [holder.address, 99n, 7n],
      });
      const withoutArguments = await failureOf(read(failures, 'customErrorWithoutArguments'));
      expect(withoutArguments).toMatchObject({ name: 'Forbidden', args: [] });
    });

    it.each([
      ['assertion', [], 0x01],
      ['overflow', [255], 0x11],
      ['divide', [1n, 0n], 0x12],
      ['element', [4n], 0x32],
    ])('return the panic code of %s', async (name, parameters, code) => {
      expect(await failureOf(read(failures, name, ...parameters))).toMatchObject({
        name: 'Panic',
        args: [code],
      });
    });

    it('distinguish a revert without data from an exceptional halt', async () => {
      expect(await failureOf(read(failures, 'withoutData'))).toMatchObject({
        data: '0x',
        reason: 'require(false)',
      });
      expect(await failureOf(read(failures, 'invalidOpcode'))).toMatchObject({ data: null });
      expect(await failureOf(read(failures, 'endless', { gasLimit: 200_000n }))).toMatchObject({
        data: null,
      });
    });

    it('fail at the gas estimate with the same reason', async () => {
      const estimate = failures.getFunction('countThenFail').estimateGas();
      expect(await failureOf(estimate)).toMatchObject({ reason: 'counted in vain' });
    });

    it('are mined as failed transactions that change only the nonce', async () => {
      const nonce = await holder.getNonce();
      const response = await failures.getFunction('countThenFail').send({ gasLimit: 100_000n });
      await expect(response.wait()).rejects.toMatchObject({ code: 'CALL_EXCEPTION' });
      const receipt = await provider.getTransactionReceipt(response.hash);
      expect(receipt).toMatchObject({ status: 0, logs: [], contractAddress: null });
      expect(receipt?.gasUsed).toBeLessThan(100_000n);
      expect(await read(failures, 'count')).toBe(0n);
      expect(await holder.getNonce()).toBe(nonce + 1);
    });

    it('are caught by a contract', async () => {
      expect(await read(failures, 'countAndCatch')).toBe('not today');
      await write(failures, 'countAndCatch');
      expect(await read(failures, 'count')).toBe(1n);
    });
  });

  describe('contracts that create contracts, in ethers', () => {
    let factory: Contract;

    beforeAll(async () => {
      factory = await deploy(holder, evmVersion, 'Factory');
    });

    it('create a funded child with CREATE, whose events come first', async () => {
      const receipt = await write(factory, 'create', 5n, { value: 12n });
      const child = String(await read(factory, 'children', 0n));
      expect(receipt.logs.map(({ address }) => address)).toEqual([child, await factory.getAddress()]);
      expect(receipt.logs.map(({ index }) => index)).toEqual([0, 1]);
      expect(eventsOf(receipt.logs.slice(1))).toEqual([['Created', child, 5n, false]]);
      expect(await provider.getBalance(child)).toBe(12n);
      expect(await provider.getCode(child)).not.toBe('0x');
      expect(receipt.contractAddress).toBeNull();
    });

    it('create a child with CREATE2 at the address of EIP-1014', async () => {
      const salt = id('salt');
      const codeHash = String(await read(factory, 'childCodeHash', 8n));
      const expected = getCreate2Address(await factory.getAddress(), salt, codeHash);
      expect(await read(factory, 'createSalted', 8n, salt)).toBe(expected);
      const receipt = await write(factory, 'createSalted', 8n, salt);
      expect(eventsOf(receipt.logs.slice(1))).toEqual([['Created', expected, 8n, true]]);
      // The address is in use, so the creation consumes all gas.
      expect(await failureOf(read(factory, 'createSalted', 8n, salt))).toMatchObject({ data: null });
    });

    it('receive no revert data of a failed creation on Rootstock', async () => {
      expect(await failureOf(read(factory, 'create', 13n))).toMatchObject({ data: '0x' });
    });

    it('create several children in one transaction', async () => {
      const before = BigInt(String(await read(factory, 'count')));
      const receipt = await write(factory, 'createMany', 5n);
      expect(receipt.logs).toHaveLength(10);
      expect(await read(factory, 'count')).toBe(before + 5n);
    });
  });

  it('deposits and withdraws wei, with three indexed arguments in the event', async () => {
    const vault = await deploy(holder, evmVersion, 'Vault');
    const to = await vault.getAddress();
    const received = await (await holder.sendTransaction({ to, value: 100n })).wait();
    expect(vault.interface.parseLog(received?.logs[0] ?? { topics: [], data: '0x' })?.args.toArray()).toEqual(
      [holder.address, 100n],
    );
    const calledBack = await (await holder.sendTransaction({ to, data: '0x12345678', value: 1n })).wait();
    expect(
      vault.interface.parseLog(calledBack?.logs[0] ?? { topics: [], data: '0x' })?.args.toArray(),
    ).toEqual([holder.address, 1n, '0x12345678']);
    await write(vault, 'deposit', id('rent'), 'for May', { value: 40n });
    await write(vault, 'deposit', id('food'), 'bread', { value: 2n });
    const forFood = await vault.queryFilter(vault.getEvent('Deposited')(null, null, id('food')), 0);
    expect(eventsOf(forFood)).toEqual([['Deposited', holder.address, 2n, id('food'), 'bread']]);
    expect(await provider.getBalance(vault)).toBe(143n);
    await write(vault, 'withdraw', 142n);
    expect(await provider.getBalance(vault)).toBe(1n);
  });

  it('encodes and decodes structs, dynamic arrays and long bytes', async () => {
    const ledger = await deploy(holder, evmVersion, 'Ledger');
    const entries = [
      [1n, holder.address, 'first', [1n, -2n, 3n], true],
      [2n, other.address, 'a name that is longer than one word of thirty-two bytes', [], false],
    ];
    const receipts = [];
    for (const entry of entries) receipts.push(await write(ledger, 'add', entry));
    expect(await read(ledger, 'all')).toEqual(entries);
    expect(await read(ledger, 'columns')).toEqual([
      [1n, 2n],
      ['first', 'a name that is longer than one word of thirty-two bytes'],
    ]);
    expect(eventsOf(receipts[1]?.logs ?? [])).toEqual([['Added', 2n, entries[1]]]);
    const long = concat(Array(300).fill(zeroPadValue('0x0102', 32)));
    expect(await read(ledger, 'echo', long)).toBe(long);
    expect(await read(ledger, 'echo', '0x')).toBe('0x');
  });

  if (evmVersion === 'cancun') {
    it('keeps a transient lock within one transaction only', async () => {
      const lock = await deploy(holder, evmVersion, 'Lock');
      await write(lock, 'pass');
      await write(lock, 'pass');
      expect(await read(lock, 'passes')).toBe(2n);
      expect(await failureOf(read(lock, 'passTwiceAtOnce'))).toMatchObject({ name: 'Locked' });
    });

    it('grants an allowance by an EIP-712 signature', async () => {
      const owner = HDNodeWallet.fromPhrase(DEV_MNEMONIC);
      const token = await deploy(other, evmVersion, 'PermitToken', owner.address, 50n);
      const permit = {
        owner: owner.address,
        spender: other.address,
        value: 20n,
        nonce: 0n,
        deadline: 2n ** 64n,
      };
      const domain = {
        name: 'Permit Token',
        version: '1',
        chainId: 33,
        verifyingContract: await token.getAddress(),
      };
      const types = {
        Permit: [
          'address owner',
          'address spender',
          'uint256 value',
          'uint256 nonce',
          'uint256 deadline',
        ].map((field) => {
          const [type = '', name = ''] = field.split(' ');
          return { type, name };
        }),
      };
      const { v, r, s } = Signature.from(await owner.signTypedData(domain, types, permit));
      await write(token, 'permit', permit.owner, permit.spender, permit.value, permit.deadline, v, r, s);
      expect(await read(token, 'allowance', owner.address, other.address)).toBe(20n);
      await write(token, 'transferFrom', owner.address, other.address, 20n);
      expect(await read(token, 'balanceOf', other.address)).toBe(20n);
    });
  }
});
