// User operations with --erc7562: an operation whose validation breaks a rule is rejected.

import { getCreate2Address } from 'ethers';
import { encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { answerAt } from '../../support/json-rpc.ts';
import { startNode } from '../../support/node-process.ts';
import { createRpcHarness } from '../rpc-harness.ts';

const ENTRY_POINTS = {
  '0.9': '0x433709009b8330fda32311df1c2afa402ed8d009',
  '0.8': '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0.7': '0x0000000071727de22e5e9d8baf0edac6f37da032',
} as const;
const ACCOUNT = `0x${'ac'.repeat(20)}`;
const OTHER = `0x${'0c'.repeat(20)}`;
const PAYMASTER = `0x${'fa'.repeat(20)}`;
const FACTORY = `0x${'fc'.repeat(20)}`;
const NOBODY = `0x${'0b'.repeat(20)}`;
/** Returns 32 zero bytes, so the operation is accepted. */
const TAKES = '5f5f5260205ff3';
/** Returns an empty context and 0. */
const PAYS = '604060005260606000f3';

const entryPointAbi = parseAbi([
  'function depositTo(address account) payable',
  'function addStake(uint32 unstakeDelaySec) payable',
  'function getNonce(address, uint192) view returns (uint256)',
]);

const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;

const OPERATION = {
  sender: ACCOUNT,
  nonce: '0x0',
  callData: '0x',
  callGasLimit: '0x7530',
  verificationGasLimit: '0x7a120',
  preVerificationGas: '0x13880',
  maxFeePerGas: quantity(10n ** 10n),
  maxPriorityFeePerGas: quantity(10n ** 9n),
  signature: '0x',
};

/** Code that calls without value and data, and drops the result. */
function calling(opcode: 'call' | 'staticcall', to: string, gas = '61ffff', value = '5f'): string {
  const target = `73${to.slice(2)}${gas}`;
  return opcode === 'call' ? `5f5f5f5f${value}${target}f150` : `5f5f5f5f${target}fa50`;
}

/** Code that writes up to 32 bytes at the start of memory. */
function written(digits: string): string {
  return `7f${digits.padEnd(64, '0')}5f52`;
}

/** Code of a factory that creates a contract with the given opcode and returns its address. */
function factoryOf(runtime: string, opcode: 'f0' | 'f5' = 'f5'): { code: string; account: string } {
  const length = (runtime.length / 2).toString(16).padStart(2, '0');
  // Copies the following bytes and returns them.
  const initcode = `60${length}600a5f3960${length}5ff3${runtime}`;
  const size = (initcode.length / 2).toString(16).padStart(2, '0');
  const salt = opcode === 'f5' ? '5f' : '';
  // Copies the initcode that follows this code to memory, creates the contract and returns its address.
  const body = (offset: string): string =>
    `60${size}60${offset}5f39${salt}60${size}5f5f${opcode}5f5260205ff3`;
  const code = body((body('00').length / 2).toString(16).padStart(2, '0')) + initcode;
  const account = getCreate2Address(FACTORY, `0x${'0'.repeat(64)}`, keccak256(`0x${initcode}`)).toLowerCase();
  return { code, account };
}

interface Codes {
  readonly account?: string;
  readonly other?: string;
  readonly paymaster?: string;
  readonly factory?: string;
}

async function setScene(
  codes: Codes,
  { version = '0.8', erc7562 = true }: { version?: keyof typeof ENTRY_POINTS; erc7562?: boolean } = {},
) {
  const { call } = await createRpcHarness({ erc7562 }, { ruleSet: 'prague', predeploys: true });
  const entryPoint = ENTRY_POINTS[version];
  const [from] = (await call('eth_accounts')) as string[];
  const addresses = { account: ACCOUNT, other: OTHER, paymaster: PAYMASTER, factory: FACTORY };
  for (const [name, code] of Object.entries({ account: TAKES, ...codes }))
    await call('hardhat_setCode', [addresses[name as keyof Codes], `0x${code}`]);
  await call('hardhat_setBalance', [ACCOUNT, quantity(10n ** 18n)]);
  const deposit = async (account: string): Promise<void> => {
    const data = encodeFunctionData({
      abi: entryPointAbi,
      functionName: 'depositTo',
      args: [account as Hex],
    });
    await call('eth_sendTransaction', [{ from, to: entryPoint, data, value: quantity(10n ** 18n) }]);
  };
  await deposit(ACCOUNT);
  await deposit(PAYMASTER);
  /** Locks a stake of the contract for `delay` seconds. */
  const stake = async (entity: string, delay = 86_400): Promise<void> => {
    await call('hardhat_setBalance', [entity, quantity(10n ** 18n)]);
    await call('hardhat_impersonateAccount', [entity]);
    const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'addStake', args: [delay] });
    await call('eth_sendTransaction', [{ from: entity, to: entryPoint, data, value: '0x1', gas: '0x493e0' }]);
  };
  const send = (fields: object = {}): Promise<unknown> =>
    call('eth_sendUserOperation', [{ ...OPERATION, ...fields }, entryPoint]);
  return { call, send, stake, deposit, entryPoint };
}

const PAID = {
  paymaster: PAYMASTER,
  paymasterVerificationGasLimit: '0x30d40',
  paymasterPostOpGasLimit: '0x0',
  paymasterData: '0x',
};

function broken(rule: string, kind: string, contract: string) {
  return {
    code: -32502,
    message: expect.stringMatching(
      new RegExp(`^the validation of the ${kind} breaks a rule of ERC-7562: ${contract} .*\\[${rule}\\]`),
    ),
    data: { violations: expect.arrayContaining([expect.objectContaining({ rule, entity: kind, contract })]) },
  };
}

/** Reads the slot `behind` slots after the entry of the caller in a mapping at slot 0. */
const readsSlotOfCaller = (behind: number): string =>
  `335f5260405f2060${behind.toString(16).padStart(2, '0')}015450${'00'}`;

describe('user operations under --erc7562', () => {
  it.each(Object.keys(ENTRY_POINTS) as (keyof typeof ENTRY_POINTS)[])(
    'EntryPoint %s accepts an operation that keeps the rules and rejects one that breaks a rule',
    async (version) => {
      const fine = await setScene({}, { version });
      expect(await fine.send()).toMatch(/^0x[0-9a-f]{64}$/);
      const { send, call } = await setScene({ account: `4250${TAKES}` }, { version });
      const before = await call('eth_blockNumber');
      await expect(send()).rejects.toMatchObject(broken('OP-011', 'account', ACCOUNT));
      expect(await call('eth_blockNumber')).toBe(before);
    },
  );

  it('an operation that breaks a rule is accepted without --erc7562', async () => {
    const { send } = await setScene({ account: `4250${TAKES}` }, { erc7562: false });
    expect(await send()).toMatch(/^0x/);
  });

  it.each([
    ['ORIGIN', '3250', 'OP-011'],
    ['BLOCKHASH', '5f4050', 'OP-011'],
    ['CREATE', '5f5f5ff050', 'OP-011'],
    ['GAS', '5a50', 'OP-012'],
    ['SELFBALANCE without a stake', '4750', 'OP-080'],
    ['BALANCE without a stake', '3031 50', 'OP-080'],
    ['CREATE2', '5f5f5f5ff550', 'OP-031'],
    ['a call of what has no code', calling('call', NOBODY), 'OP-041'],
    ['EXTCODESIZE of what has no code', `73${NOBODY.slice(2)}3b50`, 'OP-041'],
    ['the code of the EntryPoint', `73${ENTRY_POINTS['0.8'].slice(2)}3f50`, 'OP-054'],
    [
      'a function of the EntryPoint',
      `${written('35567e1a')}5f5f60445f73${ENTRY_POINTS['0.8'].slice(2)}5afa50`,
      'OP-054',
    ],
  ])('validation may not use %s', async (_what, code, rule) => {
    const { send } = await setScene({ account: `${code.replaceAll(' ', '')}${TAKES}` });
    await expect(send()).rejects.toMatchObject(broken(rule, 'account', ACCOUNT));
  });

  it.each([
    ['GAS for a call', '5f5f5f5f60045afa50'],
    ['its own storage', '60015f555f5450'],
    ['its own transient storage', '60015f5d5f5c50'],
    ['a payment to the EntryPoint', calling('call', ENTRY_POINTS['0.8'], '61ffff', '6001')],
    ['whether the EntryPoint is there', `73${ENTRY_POINTS['0.8'].slice(2)}3b1550`],
    ['a precompile', calling('staticcall', `0x${'2'.padStart(40, '0')}`)],
    ['a contract that does nothing', calling('call', OTHER)],
  ])('validation may use %s', async (_what, code) => {
    const { send } = await setScene({ account: `${code}${TAKES}`, other: '00' });
    expect(await send()).toMatch(/^0x/);
  });

  it.each([
    ['runs out of gas', '5b600056', 'OP-020', calling('call', OTHER, '61ffff')],
    ['runs an unassigned opcode', '0c', 'OP-013', calling('call', OTHER)],
    ['reads storage of its own', '5f5450', 'STO-033', calling('call', OTHER)],
    ['writes storage of its own', '60015f55', 'STO-033', calling('call', OTHER)],
    ['writes transient storage', '60015f5d', 'STO-033', calling('call', OTHER)],
    [
      'reads what is far behind the slots of the account',
      readsSlotOfCaller(129),
      'STO-033',
      calling('call', OTHER),
    ],
    ['looks at the time', '4250', 'OP-011', calling('call', OTHER)],
  ])('validation may not call a contract that %s', async (_what, other, rule, code) => {
    const { send } = await setScene({ account: `${code}${TAKES}`, other });
    await expect(send()).rejects.toMatchObject(broken(rule, 'account', OTHER));
  });

  it('validation may not send value to a contract', async () => {
    const { send } = await setScene({
      account: `${calling('call', OTHER, '61ffff', '6001')}${TAKES}`,
      other: '00',
    });
    await expect(send()).rejects.toMatchObject(broken('OP-061', 'account', ACCOUNT));
  });

  it('validation may call a contract that reads slots associated with the account', async () => {
    for (const behind of [0, 128]) {
      const { send } = await setScene({
        account: `${calling('call', OTHER)}${TAKES}`,
        other: readsSlotOfCaller(behind),
      });
      expect(await send()).toMatch(/^0x/);
    }
  });

  it('validation may run delegated code on the storage of the account', async () => {
    const { send } = await setScene({
      account: `5f5f5f5f73${OTHER.slice(2)}61fffff450${TAKES}`,
      other: '60015f55',
    });
    expect(await send()).toMatch(/^0x/);
  });

  it('a staked account may use SELFBALANCE and storage of other contracts', async () => {
    const account = `4750${calling('call', OTHER)}${TAKES}`;
    const { send, stake } = await setScene({ account, other: '5f5450' });
    await expect(send()).rejects.toMatchObject(broken('OP-080', 'account', ACCOUNT));
    await stake(ACCOUNT, 86_399);
    await expect(send()).rejects.toMatchObject({
      code: -32505,
      message: expect.stringMatching(
        /^the stake of the account .* less than 86400 s, but the validation requires a longer lock: .*\[OP-080\]$/,
      ),
      data: { account: ACCOUNT, minimumStake: '0x1', minimumUnstakeDelay: '0x15180' },
    });
    await stake(ACCOUNT);
    expect(await send()).toMatch(/^0x/);
  });

  it('a staked paymaster may use only its own storage', async () => {
    const { send, stake, call } = await setScene({ paymaster: `5f545060015f55${PAYS}` });
    await expect(send(PAID)).rejects.toMatchObject(broken('STO-031', 'paymaster', PAYMASTER));
    await stake(PAYMASTER);
    expect(await send(PAID)).toMatch(/^0x/);
    await call('hardhat_setCode', [OTHER, '0x60015f55']);
    await call('hardhat_setCode', [PAYMASTER, `0x${calling('call', OTHER)}${PAYS}`]);
    await expect(send({ ...PAID, nonce: '0x1' })).rejects.toMatchObject(
      broken('STO-033', 'paymaster', OTHER),
    );
  });

  it('an account may not use the storage of the paymaster', async () => {
    const { send } = await setScene({
      // Writes if called without data.
      paymaster: `3660095760015f55005b${PAYS}`,
      account: `${calling('call', PAYMASTER)}${TAKES}`,
    });
    await expect(send(PAID)).rejects.toMatchObject(broken('STO-021', 'account', PAYMASTER));
  });

  it('a factory may create the account only, with one CREATE2', async () => {
    const { code, account } = factoryOf(TAKES);
    const { send, deposit } = await setScene({ factory: code });
    await deposit(account);
    expect(await send({ sender: account, factory: FACTORY, factoryData: '0x' })).toMatch(/^0x/);
    const twice = await setScene({ factory: `5f5f5f5ff550${shifted(code, 6)}` });
    await twice.deposit(account);
    await expect(twice.send({ sender: account, factory: FACTORY, factoryData: '0x' })).rejects.toMatchObject(
      broken('OP-031', 'factory', FACTORY),
    );
  });

  it('validation during creation may read associated storage only with a staked factory', async () => {
    const { code, account } = factoryOf(`${calling('call', OTHER)}${TAKES}`);
    const { send, stake, deposit } = await setScene({ factory: code, other: readsSlotOfCaller(0) });
    await deposit(account);
    const made = { sender: account, factory: FACTORY, factoryData: '0x' };
    await expect(send(made)).rejects.toMatchObject(broken('STO-022', 'account', OTHER));
    await stake(FACTORY);
    expect(await send(made)).toMatch(/^0x/);
  });

  it('--safe-mode and the option erc7562 enable the rules', async () => {
    const options = ['--hardfork', 'prague', '--quiet'];
    const started = await startNode(...options, '--safe-mode');
    const local = await createNode({ hardfork: 'prague', erc7562: true });
    const { url } = await local.listen();
    try {
      for (const at of [started.url, url]) {
        const [from] = (await answerAt(at, 'eth_accounts')).result as string[];
        await answerAt(at, 'hardhat_setCode', [ACCOUNT, `0x4250${TAKES}`]);
        const data = encodeFunctionData({
          abi: entryPointAbi,
          functionName: 'depositTo',
          args: [ACCOUNT as Hex],
        });
        const value = quantity(10n ** 18n);
        await answerAt(at, 'eth_sendTransaction', [{ from, to: ENTRY_POINTS['0.8'], data, value }]);
        const sent = [{ ...OPERATION }, ENTRY_POINTS['0.8']];
        const { error } = await answerAt(at, 'eth_sendUserOperation', sent);
        expect(error).toMatchObject({ code: -32502, message: expect.stringContaining('TIMESTAMP [OP-011]') });
      }
    } finally {
      await started.stop();
      await local.close();
    }
  });
});

/** The code of a factory with its offset shifted by `bytes`. */
function shifted(code: string, bytes: number): string {
  const offset = (Number.parseInt(code.slice(6, 8), 16) + bytes).toString(16).padStart(2, '0');
  return `${code.slice(0, 6)}${offset}${code.slice(8)}`;
}

describe('reputation under --erc7562', () => {
  interface Reputation {
    readonly address: string;
    readonly opsSeen: string;
    readonly opsIncluded: string;
    readonly status: string;
  }
  type Scene = Awaited<ReturnType<typeof setScene>>;

  async function setPaidScene(erc7562 = true) {
    const scene = await setScene({ paymaster: PAYS }, { erc7562 });
    const setReputation = (opsSeen: number, opsIncluded: number, address = PAYMASTER): Promise<unknown> =>
      scene.call('debug_bundler_setReputation', [[{ address, opsSeen, opsIncluded }], scene.entryPoint]);
    return { ...scene, setReputation };
  }
  const reputations = async ({ call, entryPoint }: Scene): Promise<Reputation[]> =>
    (await call('debug_bundler_dumpReputation', [entryPoint])) as Reputation[];
  const banned = (kind: string, address: string, words = 'banned') => ({
    code: -32504,
    message: expect.stringContaining(`the ${kind} ${address} is ${words}`),
    data: { [kind]: address },
  });

  it('debug_bundler_dumpReputation counts seen and included operations', async () => {
    const scene = await setPaidScene();
    expect(await reputations(scene)).toEqual([]);
    await scene.call('evm_setAutomine', [false]);
    await scene.send(PAID);
    const counts = (opsSeen: string, opsIncluded: string) => [
      { address: PAYMASTER, opsSeen, opsIncluded, status: 'ok' },
    ];
    expect(await reputations(scene)).toEqual(counts('0x1', '0x0'));
    await scene.call('evm_mine', []);
    expect(await reputations(scene)).toEqual(counts('0x1', '0x1'));
    expect(await scene.call('debug_bundler_clearReputation', [])).toBe('ok');
    expect(await reputations(scene)).toEqual([]);
  });

  it('reputation bans an account or paymaster with too few included operations', async () => {
    const scene = await setPaidScene();
    await scene.setReputation(600, 9);
    expect(await reputations(scene)).toMatchObject([{ status: 'banned', opsSeen: '0x258' }]);
    await expect(scene.send(PAID)).rejects.toMatchObject(banned('paymaster', PAYMASTER));
    await scene.setReputation(600, 60);
    expect(await scene.send(PAID)).toMatch(/^0x/);
    await scene.setReputation(600, 0, ACCOUNT);
    await expect(scene.send({ nonce: '0x1' })).rejects.toMatchObject(banned('account', ACCOUNT));
  });

  it('reputation throttles a paymaster to four pending operations', async () => {
    const scene = await setPaidScene();
    await scene.setReputation(200, 0);
    expect(await reputations(scene)).toMatchObject([{ status: 'throttled' }]);
    await scene.call('evm_setAutomine', [false]);
    const keyed = (key: number): object => ({ ...PAID, nonce: quantity(BigInt(key) << 64n) });
    for (let key = 0; key < 4; key++) expect(await scene.send(keyed(key))).toMatch(/^0x/);
    await expect(scene.send(keyed(4))).rejects.toMatchObject(
      banned('paymaster', PAYMASTER, 'throttled and already has 4 pending operations'),
    );
    await scene.call('evm_mine', []);
    expect(await scene.send(keyed(4))).toMatch(/^0x/);
  });

  it('reputation decays with time', async () => {
    const scene = await setPaidScene();
    await scene.setReputation(600, 0);
    await scene.call('evm_increaseTime', [3_600]);
    await scene.call('evm_mine', []);
    expect(await reputations(scene)).toMatchObject([{ opsSeen: quantity(575), status: 'banned' }]);
    await scene.call('evm_increaseTime', [200 * 3_600]);
    await scene.call('evm_mine', []);
    expect(await reputations(scene)).toEqual([]);
  });

  it('reputation rejects no operation without --erc7562', async () => {
    const scene = await setPaidScene(false);
    await scene.setReputation(600, 0);
    expect(await scene.send(PAID)).toMatch(/^0x/);
  });

  it('debug_bundler_setReputation reports the path of an invalid value', async () => {
    const { call, entryPoint } = await setPaidScene();
    const set = (entry: object): Promise<unknown> =>
      call('debug_bundler_setReputation', [[entry], entryPoint]);
    await expect(set({ address: PAYMASTER, opsSeen: 1 })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: reputations\[0\]\.opsIncluded:/),
    });
    const tooMany = { address: PAYMASTER, opsSeen: quantity(2n ** 256n - 1n), opsIncluded: 0 };
    await expect(set(tooMany)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: reputations\[0\]\.opsSeen:.*below 2\^53/),
    });
  });
});
