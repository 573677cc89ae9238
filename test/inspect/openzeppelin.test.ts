import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, keccak256, maxUint256, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

interface Compiled {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

interface BuildInfo {
  readonly input: unknown;
  readonly output: { readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>> };
}

interface Told {
  readonly call: {
    readonly call: {
      readonly name: string;
      readonly parameters: readonly { name: string; value: unknown }[];
    } | null;
    readonly items: readonly Item[];
  };
  readonly failure: { readonly message: string } | null;
  readonly stackTrace: readonly { readonly source: string | null; readonly function: string }[];
}

interface Item {
  readonly kind: string;
  readonly event?: { readonly name: string } | null;
  readonly items?: readonly Item[];
}

const OPENZEPPELIN = '@openzeppelin/contracts';

const packed = new URL('../../fixtures/openzeppelin/project.json.gz', import.meta.url);
const files = JSON.parse(gunzipSync(readFileSync(packed)).toString()) as Readonly<Record<string, string>>;
const [, text = ''] = Object.entries(files).find(([path]) => path.includes('/build-info/')) ?? [];
const { input, output } = JSON.parse(text) as BuildInfo;

function contractOf(file: string, name: string): Compiled {
  const compiled = output.contracts[`contracts/${file}.sol`]?.[name];
  if (compiled === undefined) throw new Error(`there is no ${name}`);
  return compiled;
}

/** A contract of OpenZeppelin's own. */
function libraryOf(path: string): Compiled {
  const compiled = output.contracts[`${OPENZEPPELIN}/${path}.sol`]?.[path.split('/').at(-1) ?? ''];
  if (compiled === undefined) throw new Error(`there is no ${path}`);
  return compiled;
}

const eventsIn = (items: readonly Item[]): string[] =>
  items.flatMap((item) =>
    item.kind === 'event' ? (item.event?.name ?? 'unknown') : eventsIn(item.items ?? []),
  );

async function openProject() {
  const { call } = await createRpcHarness({});
  await call('inspect_addArtifacts', [input, output]);
  const accounts = (await call('eth_accounts', [])) as Hex[];
  const gas = toHex(8_000_000);
  /** Resolves to the hash also where the transaction fails. */
  const send = async (transaction: object): Promise<Hex> => {
    const before = (await call('eth_blockNumber', [])) as Hex;
    try {
      return (await call('eth_sendTransaction', [{ gas, ...transaction }])) as Hex;
    } catch (error) {
      const block = (await call('eth_getBlockByNumber', ['latest', false])) as {
        number: Hex;
        transactions: Hex[];
      };
      const [hash] = block.transactions;
      if (hash === undefined || block.number === before) throw error;
      return hash;
    }
  };
  const deploy = async ({ abi, evm }: Compiled, args: readonly unknown[]): Promise<Hex> => {
    const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args });
    const receipt = await call('eth_getTransactionReceipt', [await send({ from: accounts[0], data })]);
    return (receipt as { contractAddress: Hex }).contractAddress;
  };
  const run = async (
    { abi }: Compiled,
    to: Hex,
    functionName: string,
    args: readonly unknown[],
    from = accounts[0],
  ) => {
    const data = encodeFunctionData({ abi, functionName, args });
    const told = (await call('inspect_transaction', [await send({ from, to, data })])) as Told;
    expect(told.call.call?.name).toBe(functionName);
    return {
      parameters: told.call.call?.parameters.map(({ name }) => name),
      events: eventsIn(told.call.items),
      failure: told.failure?.message ?? null,
      innermost: told.stackTrace[0] ?? null,
    };
  };
  return { accounts, deploy, run };
}

const MINTER = keccak256(toHex('MINTER'));

function failure(error: string): string {
  return `reverted with custom error '${error}'`;
}

describe("OpenZeppelin's contracts, compiled by Hardhat", () => {
  it('are told by their own names: ERC-20 with roles, a cap and a pause', async () => {
    const { accounts, deploy, run } = await openProject();
    const [admin = '0x', other = '0x'] = accounts;
    const shares = contractOf('Tokens', 'Shares');
    const token = await deploy(shares, [admin, 100n]);
    const fails = async (
      error: string,
      source: string,
      functionName: string,
      args: unknown[],
      from = admin,
    ) => {
      const told = await run(shares, token, functionName, args, from);
      expect(told.failure?.toLowerCase()).toBe(failure(error).toLowerCase());
      expect(told.innermost).toMatchObject({ source: `${OPENZEPPELIN}/${source}` });
      expect(told.innermost?.function).not.toBe('');
    };
    const role = `role: ${MINTER}`;
    const access = 'access/AccessControl.sol';
    await fails(
      `AccessControlUnauthorizedAccount(account: ${admin}, needed${role.replace('role', 'Role')})`,
      access,
      'mint',
      [other, 5n],
    );
    expect(await run(shares, token, 'grantRole', [MINTER, admin])).toEqual({
      parameters: ['role', 'account'],
      events: ['RoleGranted'],
      failure: null,
      innermost: null,
    });
    expect(await run(shares, token, 'mint', [admin, 60n])).toMatchObject({
      parameters: ['to', 'amount'],
      events: ['Transfer'],
    });
    const erc20 = 'token/ERC20';
    await fails(
      'ERC20ExceededCap(increasedSupply: 101, cap: 100)',
      `${erc20}/extensions/ERC20Capped.sol`,
      'mint',
      [other, 41n],
    );
    expect(await run(shares, token, 'delegate', [other])).toMatchObject({
      parameters: ['delegatee'],
      events: ['DelegateChanged', 'DelegateVotesChanged'],
    });
    expect(await run(shares, token, 'transfer', [other, 10n])).toMatchObject({
      parameters: ['to', 'value'],
      events: ['Transfer', 'DelegateVotesChanged'],
    });
    await fails(
      `ERC20InsufficientBalance(sender: ${admin}, balance: 50, needed: 51)`,
      `${erc20}/ERC20.sol`,
      'transfer',
      [other, 51n],
    );
    await fails(
      `ERC20InsufficientAllowance(spender: ${other}, allowance: 0, needed: 1)`,
      `${erc20}/ERC20.sol`,
      'transferFrom',
      [admin, other, 1n],
      other,
    );
    expect(await run(shares, token, 'approve', [other, maxUint256])).toMatchObject({
      parameters: ['spender', 'value'],
      events: ['Approval'],
    });
    expect(await run(shares, token, 'pause', [])).toMatchObject({ events: ['Paused'] });
    await fails('EnforcedPause()', 'utils/Pausable.sol', 'transfer', [other, 1n]);
    await fails('ERC2612ExpiredSignature(deadline: 1)', `${erc20}/extensions/ERC20Permit.sol`, 'permit', [
      admin,
      other,
      1n,
      1n,
      27,
      MINTER,
      MINTER,
    ]);
  });

  it('are told by the implementation behind each kind of proxy', async () => {
    const { accounts, deploy, run } = await openProject();
    const [admin = '0x', other = '0x'] = accounts;
    const counter = contractOf('Upgrades', 'Counter');
    const target = await deploy(counter, []);
    const beacon = await deploy(libraryOf('proxy/beacon/UpgradeableBeacon'), [target, admin]);
    const proxies = [
      await deploy(libraryOf('proxy/ERC1967/ERC1967Proxy'), [target, '0x']),
      await deploy(libraryOf('proxy/transparent/TransparentUpgradeableProxy'), [target, other, '0x']),
      await deploy(libraryOf('proxy/beacon/BeaconProxy'), [beacon, '0x']),
    ];
    for (const proxy of proxies) {
      expect(await run(counter, proxy, 'initialize', [admin])).toMatchObject({
        parameters: ['first'],
        events: ['Initialized'],
      });
      expect(await run(counter, proxy, 'add', [3n])).toMatchObject({
        parameters: ['step'],
        events: ['Changed'],
        failure: null,
      });
      const below = await run(counter, proxy, 'add', [-4n]);
      expect(below.failure?.toLowerCase()).toBe(
        failure(`BelowZero(change: { by: ${admin}, step: -4 }, count: 3)`).toLowerCase(),
      );
      expect(below.innermost).toMatchObject({ source: 'contracts/Upgrades.sol', function: 'add' });
      const again = await run(counter, proxy, 'initialize', [admin]);
      expect(again.failure).toBe(failure('InvalidInitialization()'));
      expect(again.innermost).toMatchObject({ source: `${OPENZEPPELIN}/proxy/utils/Initializable.sol` });
    }
  });
});
