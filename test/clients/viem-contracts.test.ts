import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  getAddress,
  getContractAddress,
  type Hex,
  isHex,
  keccak256,
  parseEther,
  parseEventLogs,
  parseSignature,
  RpcRequestError,
  stringToHex,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVM_VERSIONS } from '../support/artifacts.ts';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { connectViem, deployWithViem, type ViemClients } from '../support/viem.ts';

interface Deployed {
  readonly abi: Abi;
  readonly address: Address;
}

const [{ address: holder }, { address: other }, { address: poor }] = DEV_ACCOUNTS;

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<BaseError> {
  const error: unknown = await call.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
  if (!(error instanceof BaseError)) throw error;
  return error;
}

/** The revert that viem decodes from the response. */
async function revertOf(call: Promise<unknown>) {
  const error = await errorOf(call);
  const revert = error.walk((each) => each instanceof ContractFunctionRevertedError);
  if (!(revert instanceof ContractFunctionRevertedError)) throw error;
  return { name: revert.data?.errorName, args: revert.data?.args, reason: revert.reason };
}

describe.each(EVM_VERSIONS)('viem with contracts compiled for %s', (evmVersion) => {
  let node: RunningNode;
  let clients: ViemClients;

  // viem does not decode reverts from Rootstock's code -32015.
  beforeAll(async () => {
    node = await startNode('--compat', 'anvil');
    clients = connectViem(node.url, holder);
  });

  afterAll(() => node.stop());

  function deploy(name: string, ...args: readonly unknown[]): Promise<Deployed> {
    return deployWithViem(clients, evmVersion, name, args);
  }

  function read(
    { abi, address }: Deployed,
    functionName: string,
    ...args: readonly unknown[]
  ): Promise<unknown> {
    return clients.reader.readContract({ abi, address, functionName, args, account: holder });
  }

  async function write(
    { abi, address }: Deployed,
    functionName: string,
    args: readonly unknown[] = [],
    { account = holder, value = 0n }: { account?: Address; value?: bigint } = {},
  ) {
    const { writer, reader } = clients;
    const hash = await writer.writeContract({
      abi,
      address,
      functionName,
      args,
      account,
      value,
      chain: writer.chain,
    });
    return reader.waitForTransactionReceipt({ hash });
  }

  describe('an OpenZeppelin ERC20 in viem', () => {
    let token: Deployed;

    beforeAll(async () => {
      token = await deploy('Token', 'Gold', 'GLD', holder, parseEther('1000'));
    });

    it('is created with constructor arguments', async () => {
      const { reader } = clients;
      const contract = { abi: token.abi, address: token.address };
      expect(await read(contract, 'name')).toBe('Gold');
      expect(await read(contract, 'decimals')).toBe(18);
      expect(await read(contract, 'balanceOf', holder)).toBe(parseEther('1000'));
      expect(await reader.getCode({ address: token.address })).toMatch(/^0x6080/);
    });

    it('transfers tokens with events in the receipt and in past logs', async () => {
      const receipt = await write(token, 'transfer', [other, 7n]);
      expect(receipt.status).toBe('success');
      const transfer = { eventName: 'Transfer', args: { from: holder, to: other, value: 7n } };
      expect(parseEventLogs({ abi: token.abi, logs: receipt.logs })).toMatchObject([transfer]);
      expect(await read(token, 'balanceOf', other)).toBe(7n);
      const query = { ...token, eventName: 'Transfer', fromBlock: 0n } as const;
      const toOther = await clients.reader.getContractEvents({ ...query, args: { to: other } });
      expect(toOther).toMatchObject([
        {
          ...transfer,
          transactionHash: receipt.transactionHash,
          blockHash: receipt.blockHash,
          logIndex: 0,
          removed: false,
        },
      ]);
      expect(await clients.reader.getContractEvents({ ...query, args: { from: other } })).toEqual([]);
      expect(await clients.reader.getContractEvents(query)).toHaveLength(2);
    });

    it('lets another account spend an allowance', async () => {
      await write(token, 'approve', [other, 5n]);
      await write(token, 'transferFrom', [holder, other, 3n], { account: other });
      expect(await read(token, 'allowance', holder, other)).toBe(2n);
    });

    it('reverts with a custom error if the balance is too low', async () => {
      const call = clients.reader.simulateContract({
        ...token,
        functionName: 'transfer',
        args: [holder, 1n],
        account: poor,
      });
      expect(await revertOf(call)).toMatchObject({ name: 'ERC20InsufficientBalance', args: [poor, 0n, 1n] });
    });
  });

  describe('failing calls in viem', () => {
    let failures: Deployed;

    beforeAll(async () => {
      failures = await deploy('Failures');
    });

    it('return the reason of a revert', async () => {
      expect(await revertOf(read(failures, 'reason'))).toMatchObject({ name: 'Error', reason: 'not today' });
    });

    it('return the name and arguments of a custom error', async () => {
      expect(await revertOf(read(failures, 'customError', 99n))).toMatchObject({
        name: 'NotEnough',
        args: [holder, 99n, 7n],
      });
      expect(await revertOf(read(failures, 'customErrorWithoutArguments'))).toMatchObject({
        name: 'Forbidden',
      });
    });

    it.each([
      ['assertion', [], 0x01n],
      ['overflow', [255], 0x11n],
      ['divide', [1n, 0n], 0x12n],
      ['element', [4n], 0x32n],
    ])('return the panic code of %s', async (name, args, code) => {
      expect(await revertOf(read(failures, name, ...args))).toMatchObject({ name: 'Panic', args: [code] });
    });

    it('distinguish a revert without data from an exceptional halt', async () => {
      expect(await revertOf(read(failures, 'withoutData'))).toMatchObject({ name: undefined });
      const halt = await errorOf(read(failures, 'invalidOpcode'));
      expect(halt.walk((each) => each instanceof RpcRequestError && each.data !== undefined)).toBeNull();
    });

    it('fail at the gas estimate with the same reason', async () => {
      const estimate = clients.reader.estimateContractGas({
        ...failures,
        functionName: 'countThenFail',
        account: holder,
      });
      expect((await errorOf(estimate)).message).toContain('counted in vain');
    });

    it('are mined as failed transactions if gas is given', async () => {
      const { writer, reader } = clients;
      const hash = await writer.writeContract({
        ...failures,
        functionName: 'countThenFail',
        account: holder,
        chain: writer.chain,
        gas: 100_000n,
      });
      expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({
        status: 'reverted',
        logs: [],
      });
      expect(await read(failures, 'count')).toBe(0n);
    });
  });

  it('creates contracts from contracts with CREATE and CREATE2', async () => {
    const factory = await deploy('Factory');
    const created = await write(factory, 'create', [5n], { value: 12n });
    const child = (await read(factory, 'children', 0n)) as Address;
    expect(created.logs.map(({ address }) => getAddress(address))).toEqual([
      child,
      getAddress(factory.address),
    ]);
    expect(await clients.reader.getBalance({ address: child })).toBe(12n);

    const salt = keccak256('0x01');
    const bytecodeHash = (await read(factory, 'childCodeHash', 8n)) as Hex;
    const expected = getContractAddress({ opcode: 'CREATE2', from: factory.address, salt, bytecodeHash });
    const salted = await write(factory, 'createSalted', [8n, salt]);
    expect(parseEventLogs({ abi: factory.abi, logs: salted.logs })).toMatchObject([
      { eventName: 'Created', args: { child: expected, number: 8n, salted: true } },
    ]);
    expect(isHex(await clients.reader.getCode({ address: expected }))).toBe(true);
    const unlucky = clients.reader.simulateContract({ ...factory, functionName: 'create', args: [13n] });
    // Rootstock does not return the reason of a failed creation to the creator.
    expect(await revertOf(unlucky)).toMatchObject({ name: undefined, args: undefined });
  });

  it('finds events by each of three indexed arguments', async () => {
    const vault = await deploy('Vault');
    const rent = stringToHex('rent', { size: 32 });
    const food = stringToHex('food', { size: 32 });
    await write(vault, 'deposit', [rent, 'for May'], { value: 40n });
    await write(vault, 'deposit', [food, 'bread'], { value: 2n, account: other });
    const query = { ...vault, eventName: 'Deposited', fromBlock: 0n } as const;
    const bread = { from: other, amount: 2n, purpose: food, note: 'bread' };
    for (const args of [
      { from: other },
      { amount: 2n },
      { purpose: food },
      { purpose: [food, keccak256(rent)] },
    ]) {
      expect((await clients.reader.getContractEvents({ ...query, args })).map((event) => event.args)).toEqual(
        [bread],
      );
    }
    expect(
      await clients.reader.getContractEvents({ ...query, args: { purpose: [food, rent] } }),
    ).toHaveLength(2);
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
    for (const entry of entries) await write(ledger, 'add', [entry]);
    expect(await read(ledger, 'all')).toEqual(entries);
    expect(await read(ledger, 'columns')).toEqual([[1n, 2n], entries.map(({ name }) => name)]);
    const long = stringToHex('abc'.repeat(3000));
    expect(await read(ledger, 'echo', long)).toBe(long);
  });

  if (evmVersion === 'cancun') {
    it('grants an allowance by an EIP-712 signature', async () => {
      const owner = mnemonicToAccount(DEV_MNEMONIC);
      const token = await deploy('PermitToken', owner.address, 50n);
      const message = { owner: owner.address, spender: other, value: 20n, nonce: 0n, deadline: 2n ** 64n };
      const signature = await owner.signTypedData({
        domain: { name: 'Permit Token', version: '1', chainId: 33, verifyingContract: token.address },
        types: {
          Permit: [
            { name: 'owner', type: 'address' },
            { name: 'spender', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'nonce', type: 'uint256' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'Permit',
        message,
      });
      const { r, s, yParity } = parseSignature(signature);
      await write(token, 'permit', [owner.address, other, 20n, message.deadline, 27 + yParity, r, s]);
      await write(token, 'transferFrom', [owner.address, other, 20n], { account: other });
      expect(await read(token, 'balanceOf', other)).toBe(20n);
    });
  }
});
