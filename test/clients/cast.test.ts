import { encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { compileSolidity } from '../support/solidity.ts';
import { copyProject, install, type ToolProject } from './tool-project.ts';

/** In milliseconds. */
const MAX_INSTALL_TIME = 600_000;
const MAX_RUN_TIME = 120_000;

/** Each npm package of Foundry contains the programs of one platform. */
const HAS_FOUNDRY = process.platform === 'linux' && process.arch === 'x64';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Coin {
    string public name = "Coin";
    string public symbol = "CN";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    event Transfer(address indexed from, address indexed to, uint256 value);
    error Poor(uint256 missing);
    constructor() { mint(msg.sender, 1000); }
    function mint(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }
    function burn(uint256 value) external {
        totalSupply -= value;
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
    }
    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }
    function transfer(address to, uint256 value) external returns (bool) {
        if (balanceOf[msg.sender] < value) revert Poor(value - balanceOf[msg.sender]);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
`;

const GENESIS_TIME = '1700000000';
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const ADMIN_SLOT = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

const [deployer, alice, bob] = DEV_ACCOUNTS;
const ABI = parseAbi(['function transfer(address,uint256)']);
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** An object or array stands for JSON that contains it. */
type Expected = string | RegExp | object;

/**
 * The words of a command, and its output. Names in braces stand for values. `coin` is a token, and block 1 has its
 * transaction `created`. Block 2 has `sent`, a transfer of 5 to alice.
 */
const READS: readonly (readonly [string, Expected])[] = [
  ['chain-id', '31337'],
  ['client', /^anvil\/v1\./],
  ['block-number', '2'],
  ['block-number latest', '2'],
  ['block-number {hash}', '2'],
  ['block 2 --json', { number: '0x2', hash: '{hash}', transactions: ['{sent}'] }],
  ['block {hash} --full --json', { transactions: [{ hash: '{sent}', transactionIndex: '0x0' }] }],
  ['block 0 -f timestamp', GENESIS_TIME],
  ['block latest -f number', '2'],
  ['block pending -f number', '3'],
  ['block earliest -f hash', /^0x[0-9a-f]{64}$/],
  ['block 1 --raw', /^0xf9[0-9a-f]+$/],
  ['age 0', 'Tue Nov 14 22:13:20 2023 UTC'],
  ['base-fee 0', '1000000000'],
  ['gas-price', /^\d+$/],
  // cast never returns the genesis block. Which of the other two it returns depends on their seconds.
  [`find-block ${GENESIS_TIME}`, /^[12]$/],
  ['balance {alice}', '10000000000000000000000'],
  ['balance {alice} --ether', '10000.000000000000000000'],
  ['balance {deployer} --block 0', '10000000000000000000000'],
  ['nonce {deployer}', '2'],
  ['nonce {deployer} --block 1', '1'],
  ['code {coin}', '{code}'],
  ['code {coin} --block 0', '0x'],
  ['codesize {coin}', '{codeSize}'],
  ['codehash {coin}', '{codeHash}'],
  ['storage {coin} 2', word(1000)],
  ['storage {coin} 2 --block 0', word(0)],
  ['storage-root {deployer}', EMPTY_ROOT],
  ['proof {coin} 2', { nonce: '0x1', codeHash: '{codeHash}', storageProof: [{ value: '0x3e8' }] }],
  ['implementation {coin}', '{alice}'],
  ['admin {coin}', '{bob}'],
  ['call {coin} balanceOf(address)(uint256) {alice}', '5'],
  ['call {coin} balanceOf(address)(uint256) {alice} --block 1', '0'],
  ['call {coin} transfer(address,uint256)(bool) {bob} 5 --from {alice}', 'true'],
  ['call {coin} transfer(address,uint256)(bool) {bob} 7 --from {alice} --trace', /custom error 0x0a94c468/],
  ['call {coin} balanceOf(address)(uint256) {bob} --override-state-diff {coin}:2:1', '0'],
  ['call {coin} totalSupply()(uint256) --override-state-diff {coin}:2:1', '1'],
  ['call --create {creation}', '{code}'],
  ['estimate {alice} --value 1 --from {bob}', '21000'],
  ['estimate {coin} transfer(address,uint256) {alice} 5 --from {deployer}', /^[345]\d{4}$/],
  ['estimate --create {creation}', /^7\d{5}$/],
  ['access-list {coin} transfer(address,uint256) {bob} 1 --from {deployer} --json', { accessList: [{}] }],
  ['tx {sent} from', '{deployer}'],
  ['tx {sent} --json', { nonce: '0x1', blockNumber: '0x2', to: '{coin}', value: '0x0' }],
  ['tx {sent} --raw', /^0x02f8/],
  ['receipt {sent} status', 'true'],
  ['receipt {created} --json', { contractAddress: '{coin}', status: '0x1', logs: [{ logIndex: '0x0' }] }],
  [
    'logs --address {coin} --from-block 0 Transfer(address,address,uint256) --json',
    [{ transactionHash: '{created}' }, { transactionHash: '{sent}', blockHash: '{hash}' }],
  ],
  ['logs --address {coin} --from-block 2 --json', [{ transactionHash: '{sent}', data: word(5) }]],
  ['run {sent} --quick', /transfer\(.*5\)[\s\S]*Transaction successfully executed/],
  ['run {created}', /Gas used: \d+/],
  ['trace {sent}', [{ type: 'call', transactionHash: '{sent}', action: { to: '{coin}' } }]],
  ['da-estimate 1', /block 1 with 1 transactions: \d+$/],
  ['tx-pool status', { pending: '0x0', queued: '0x0' }],
  ['tx-pool content', { pending: {}, queued: {} }],
  ['tx-pool inspect', { pending: {}, queued: {} }],
  ['tx-pool content-from --from {alice}', { pending: {}, queued: {} }],
  ['erc20 balance {coin} {alice}', '5'],
  ['erc20 name {coin}', 'Coin'],
  ['erc20 symbol {coin}', 'CN'],
  ['erc20 decimals {coin}', '6'],
  ['erc20 total-supply {coin}', '1000'],
  ['erc20 allowance {coin} {deployer} {alice}', '0'],
  ['mktx {bob} --value 1 --private-key {aliceKey}', /^0x02f8/],
  ['compute-address {deployer}', /0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0/],
  ['rpc eth_chainId', '"0x7a69"'],
  ['rpc eth_getBalance {alice} latest', '"0x21e19e0c9bab2400000"'],
];

/** Commands that change the chain; each one runs on a copy of it. */
const SENDS: readonly (readonly [string, string, Expected])[] = [
  ['send {bob} --value 7 --private-key {aliceKey} --json', 'balance {bob}', '10000000000000000000007'],
  ['send {bob} --value 7 --legacy --private-key {aliceKey} --json', 'nonce {alice}', '1'],
  ['send {bob} --value 7 --from {alice} --unlocked --json', 'balance {bob}', '10000000000000000000007'],
  [
    'send {coin} transfer(address,uint256) {bob} 2 --private-key {aliceKey} --json',
    'erc20 balance {coin} {bob}',
    '2',
  ],
  ['send --private-key {aliceKey} --json --create {creation}', 'nonce {alice}', '1'],
  ['send {bob} --auth {coin} --private-key {aliceKey} --json', 'code {alice}', /^0xef0100/],
  ['erc20 transfer {coin} {bob} 3 --private-key {aliceKey}', 'erc20 balance {coin} {bob}', '3'],
  ['erc20 approve {coin} {bob} 3 --private-key {aliceKey}', 'erc20 allowance {coin} {alice} {bob}', '3'],
  ['erc20 mint {coin} {bob} 4 --private-key {aliceKey}', 'erc20 total-supply {coin}', '1004'],
  ['erc20 burn {coin} 1 --private-key {aliceKey}', 'erc20 balance {coin} {alice}', '4'],
  ['publish {signed}', 'nonce {bob}', '1'],
  ['rpc anvil_mine 0x3', 'block-number', '5'],
];

describe.skipIf(!HAS_FOUNDRY)('cast', () => {
  let project: ToolProject;
  let node: RunningNode;
  const values = new Map<string, string>([
    ['deployer', deployer.address],
    ['alice', alice.address],
    ['bob', bob.address],
    ['aliceKey', alice.privateKey],
  ]);

  function filled(text: string): string {
    return text.replaceAll(/\{([a-zA-Z]+)\}/g, (_, name) => values.get(name) ?? expect.unreachable(name));
  }

  function filledJson(expected: object): object {
    return JSON.parse(filled(JSON.stringify(expected)));
  }

  async function rpc<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: Result; error?: unknown };
    return result ?? expect.unreachable(`${method}: ${JSON.stringify(error)}`);
  }

  /** Runs a command. Returns its output. */
  async function cast(command: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const words = filled(command).split(' ');
    // All arguments after --create belong to the constructor.
    const end = words.includes('--create') ? words.indexOf('--create') : words.length;
    const args = [...words.slice(0, end), '--rpc-url', node.url, ...words.slice(end)];
    const { code, output } = await project.start('cast', args, node.url).ended;
    return { code, output: output.trim() };
  }

  function check(output: string, expected: Expected): void {
    if (typeof expected === 'string') expect(output.toLowerCase()).toBe(filled(expected).toLowerCase());
    else if (expected instanceof RegExp) expect(output).toMatch(expected);
    else expect(JSON.parse(output.toLowerCase())).toMatchObject(lowerCase(filledJson(expected)));
  }

  beforeAll(async () => {
    await install('foundry');
    project = copyProject('foundry');
    const options = ['--hardfork', 'osaka', '--chain-id', '31337', '--compat', 'anvil'];
    node = await startNode(...options, '--timestamp', GENESIS_TIME);
    const { output } = compileSolidity({ 'Coin.sol': SOURCE });
    const creation = `0x${output.contracts['Coin.sol']?.Coin?.evm.bytecode.object}`;
    const send = async (fields: object): Promise<Hex> =>
      rpc('eth_sendTransaction', { from: deployer.address, ...fields });
    const created = await send({ data: creation });
    const { contractAddress: coin } = await rpc<{ contractAddress: Hex }>(
      'eth_getTransactionReceipt',
      created,
    );
    const data = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [alice.address, 5n] });
    const sent = await send({ to: coin, data });
    await rpc(
      'anvil_setStorageAt',
      coin,
      IMPLEMENTATION_SLOT,
      `0x${'00'.repeat(12)}${alice.address.slice(2)}`,
    );
    await rpc('anvil_setStorageAt', coin, ADMIN_SLOT, `0x${'00'.repeat(12)}${bob.address.slice(2)}`);
    const code = await rpc<Hex>('eth_getCode', coin, 'latest');
    const { hash } = await rpc<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false);
    const signing = { from: bob.address, to: alice.address, value: '0x1', gas: '0x5208', nonce: '0x0' };
    const signed = await rpc<Hex>('eth_signTransaction', { ...signing, gasPrice: '0x77359400' });
    for (const [name, value] of Object.entries({ creation, created, coin, sent, code, hash, signed }))
      values.set(name, value);
    values.set('codeHash', keccak256(code));
    values.set('codeSize', `${code.length / 2 - 1}`);
  }, MAX_INSTALL_TIME);

  afterAll(async () => {
    await node?.stop();
    project?.remove();
  });

  it.each(READS)(
    '%s',
    async (command, expected) => {
      const { output } = await cast(command);
      check(output, expected);
    },
    MAX_RUN_TIME,
  );

  it.each(SENDS)(
    '%s, then %s',
    async (command, reading, expected) => {
      const snapshot = await rpc('evm_snapshot');
      try {
        const { code, output } = await cast(command);
        expect(code, output).toBe(0);
        check((await cast(reading)).output, expected);
      } finally {
        await rpc('evm_revert', snapshot);
      }
    },
    MAX_RUN_TIME,
  );
});

/** Addresses of cast are in mixed case. Addresses of the node are in lower case. */
function lowerCase(value: object): object {
  return JSON.parse(JSON.stringify(value).toLowerCase());
}
