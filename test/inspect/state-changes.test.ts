import { createRequire } from 'node:module';
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc/rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const SOURCE = `
pragma solidity ^0.8.28;
contract Token {
  string public symbol = "TKN";
  uint8 public constant decimals = 6;
  mapping(address => uint256) private _balances;
  event Transfer(address indexed from, address indexed to, uint256 value);
  constructor() { _balances[msg.sender] = 1000; emit Transfer(address(0), msg.sender, 1000); }
  function balanceOf(address account) external view returns (uint256) { return _balances[account]; }
  function transfer(address to, uint256 amount) external returns (bool) {
    _balances[msg.sender] -= amount; _balances[to] += amount;
    emit Transfer(msg.sender, to, amount); return true;
  }
  function silent(address to) external { _balances[to] += 7; }
  function refuse(address to) external { _balances[to] += 7; revert("no"); }
}
contract Items {
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  function give(address to) external {
    uint256[] memory ids = new uint256[](2); uint256[] memory values = new uint256[](2);
    ids[0] = 3; ids[1] = 4; values[0] = 10; values[1] = 20;
    emit TransferBatch(msg.sender, address(0), to, ids, values);
  }
  function move(address to) external { emit Transfer(msg.sender, to, 9); }
}
abstract contract Base {
  /// @custom:storage-location erc7201:example.main
  struct MainStorage { uint256 x; mapping(address => uint256) y; }
  function _main() internal pure returns (MainStorage storage $) {
    assembly { $.slot := 0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500 }
  }
}
library Counting {
  struct Counter { uint128 count; uint128 last; }
  function bump(Counter storage self) external { self.count++; self.last = 5; }
}
contract Implementation is Base {
  using Counting for Counting.Counter;
  uint64 private first; address private owner;
  Counting.Counter private counter;
  function set(address key) external { owner = key; _main().x = 3; _main().y[key] = 4; }
  function count() external { counter.bump(); }
  function fail() external { first = 1; try this.inner() {} catch { first = 2; } }
  function inner() external { owner = address(1); revert(); }
}
contract Proxy {
  bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  constructor(address target) { assembly { sstore(SLOT, target) } }
  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}`;

interface Compiled {
  readonly evm: { readonly bytecode: { readonly object: string; readonly linkReferences: object } };
}
interface Changes {
  readonly storage: readonly Record<string, unknown>[];
  readonly balances: readonly Record<string, unknown>[];
  readonly tokens: readonly Record<string, unknown>[];
}

const input = {
  language: 'Solidity',
  sources: { 'A.sol': { content: SOURCE } },
  settings: {
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
  readonly contracts: { readonly 'A.sol': Readonly<Record<string, Compiled>> };
};
const codeOf = (name: string): string => output.contracts['A.sol'][name]?.evm.bytecode.object ?? '';

const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function silent(address to)',
  'function refuse(address to)',
  'function give(address to)',
  'function move(address to)',
  'function set(address key)',
  'function count()',
  'function fail()',
]);
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

async function newNode(ruleSet: 'prague' | 'rootstock' = 'prague') {
  const { call } = await createRpcHarness({}, { ruleSet });
  const [from = ''] = (await call('eth_accounts')) as string[];
  await call('inspect_addArtifacts', [input, output]);
  const send = async (fields: object): Promise<string> =>
    (await call('eth_sendTransaction', [{ from, gas: '0x4c4b40', ...fields }])) as string;
  const deploy = async (name: string, code = codeOf(name)): Promise<string> => {
    const receipt = (await call('eth_getTransactionReceipt', [await send({ data: `0x${code}` })])) as {
      contractAddress: string;
    };
    return receipt.contractAddress;
  };
  const changesOf = async (hash: string): Promise<Changes> => {
    const { changes } = (await call('inspect_transaction', [hash])) as { changes: Changes };
    return changes;
  };
  return { call, from, send, deploy, changesOf };
}

describe('balance changes', () => {
  it('balance changes include all accounts and the fee paid by the sender', async () => {
    const node = await newNode();
    const to = `0x${'ab'.repeat(20)}`;
    const { balances } = await node.changesOf(await node.send({ to, value: '0x5', gasPrice: '0x77359400' }));
    const [sender, ...others] = balances as {
      account: { address: string };
      before: string;
      after: string;
      feePaid: string;
    }[];
    expect(sender?.account.address).toBe(node.from);
    expect(BigInt(sender?.feePaid ?? 0)).toBe(21_000n * 2_000_000_000n);
    expect(BigInt(sender?.before ?? 0) - BigInt(sender?.after ?? 0)).toBe(5n + BigInt(sender?.feePaid ?? 0));
    expect(others.find(({ account }) => account.address === to)).toMatchObject({
      before: '0x0',
      after: '0x5',
      feePaid: '0x0',
      feeReceived: '0x0',
    });
  });

  it('balance changes include the fee received, all of it under Rootstock rules', async () => {
    const node = await newNode('rootstock');
    const to = `0x${'ab'.repeat(20)}`;
    const { balances } = await node.changesOf(await node.send({ to, value: '0x5', gasPrice: '0x3' }));
    expect(balances.find(({ feeReceived }) => feeReceived !== '0x0')).toMatchObject({
      feeReceived: `0x${(63_000).toString(16)}`,
    });
  });
});

describe('token changes', () => {
  let node: Awaited<ReturnType<typeof newNode>>;
  let token: string;

  beforeAll(async () => {
    node = await newNode();
    token = await node.deploy('Token');
  });

  it('token changes contain account, token, symbol, decimals and balances', async () => {
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [OTHER, 30n] });
    const { tokens, storage } = await node.changesOf(await node.send({ to: token, data }));
    const facts = {
      token: { address: token, name: 'Token' },
      standard: 'ERC-20',
      symbol: 'TKN',
      decimals: 6,
      id: null,
    };
    expect(tokens).toEqual([
      { ...facts, account: { address: node.from, name: null }, change: '-30', before: '1000', after: '970' },
      {
        ...facts,
        account: { address: OTHER.toLowerCase(), name: null },
        change: '30',
        before: '0',
        after: '30',
      },
    ]);
    expect(storage).toMatchObject([
      { variable: expect.stringMatching(/^_balances\[0x/), before: '1000', after: '970' },
      { variable: `_balances[${OTHER}]`, type: 'uint256', before: '0', after: '30' },
    ]);
  });

  it('token changes without events are detected by their balance slots', async () => {
    const data = encodeFunctionData({ abi, functionName: 'silent', args: [OTHER] });
    const { tokens } = await node.changesOf(await node.send({ to: token, data }));
    expect(tokens).toMatchObject([{ account: { address: OTHER.toLowerCase() }, change: '7', symbol: 'TKN' }]);
  });

  it('a failed transaction has no token changes but a fee', async () => {
    const data = encodeFunctionData({ abi, functionName: 'refuse', args: [OTHER] });
    const { tokens, storage, balances } = await node.changesOf(
      await node.send({ to: token, data, gasPrice: '0x77359400' }),
    );
    expect({ tokens, storage }).toEqual({ tokens: [], storage: [] });
    expect(balances[0]).toMatchObject({
      account: { address: node.from },
      feePaid: expect.not.stringMatching(/^0x0$/),
    });
  });

  it('token changes contain the ids of ERC-721 and ERC-1155', async () => {
    const items = await node.deploy('Items');
    const give = encodeFunctionData({ abi, functionName: 'give', args: [OTHER] });
    expect((await node.changesOf(await node.send({ to: items, data: give }))).tokens).toMatchObject([
      { standard: 'ERC-1155', id: '3', change: '10', before: null },
      { standard: 'ERC-1155', id: '4', change: '20', before: null },
    ]);
    const move = encodeFunctionData({ abi, functionName: 'move', args: [OTHER] });
    expect((await node.changesOf(await node.send({ to: items, data: move }))).tokens).toMatchObject([
      { standard: 'ERC-721', account: { address: node.from }, id: '9', change: '-1' },
      { standard: 'ERC-721', account: { address: OTHER.toLowerCase() }, id: '9', change: '1' },
    ]);
  });

  it('token changes of a contract without artifacts are read by calls', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const [from] = (await call('eth_accounts')) as string[];
    const hash = await call('eth_sendTransaction', [{ from, gas: '0x4c4b40', data: `0x${codeOf('Token')}` }]);
    const { changes } = (await call('inspect_transaction', [hash])) as { changes: Changes };
    expect(changes.tokens).toMatchObject([
      { symbol: 'TKN', decimals: 6, account: { address: from }, change: '1000', after: '1000' },
    ]);
  });
});

describe('storage changes of a proxy', () => {
  let node: Awaited<ReturnType<typeof newNode>>;
  let proxy: string;

  beforeAll(async () => {
    node = await newNode();
    const [library, linked] = [await node.deploy('Counting'), codeOf('Implementation')];
    const target = await node.deploy(
      'Implementation',
      linked.replaceAll(/__\$\w{34}\$__/g, library.slice(2)),
    );
    const argument = encodeAbiParameters(parseAbiParameters('address'), [target as `0x${string}`]);
    const hash = await node.send({ data: `0x${codeOf('Proxy')}${argument.slice(2)}` });
    const receipt = (await node.call('eth_getTransactionReceipt', [hash])) as { contractAddress: string };
    proxy = receipt.contractAddress;
    const { storage } = await node.changesOf(hash);
    expect(storage).toMatchObject([
      { account: { address: proxy, name: 'Proxy' }, variable: 'EIP-1967 implementation', type: 'address' },
    ]);
  });

  it('storage changes have the names of the implementation, including ERC-7201 namespaces', async () => {
    const data = encodeFunctionData({ abi, functionName: 'set', args: [OTHER] });
    const { storage } = await node.changesOf(await node.send({ to: proxy, data }));
    const facts = { account: { address: proxy, name: 'Proxy' }, contract: 'Implementation' };
    expect(storage).toMatchObject([
      { ...facts, variable: 'owner', type: 'address', slot: '0x0', offset: 8, after: OTHER },
      { ...facts, variable: 'MainStorage.x', before: '0', after: '3' },
      { ...facts, variable: `MainStorage.y[${OTHER}]`, before: '0', after: '4' },
    ]);
  });

  it('storage changes made by a library have the names of the contract', async () => {
    const data = encodeFunctionData({ abi, functionName: 'count' });
    const { storage } = await node.changesOf(await node.send({ to: proxy, data }));
    expect(storage).toMatchObject([
      { variable: 'counter.count', after: '1', contract: 'Implementation' },
      { variable: 'counter.last', offset: 16, after: '5' },
    ]);
  });

  it('storage changes exclude reverted writes', async () => {
    const data = encodeFunctionData({ abi, functionName: 'fail' });
    const { storage } = await node.changesOf(await node.send({ to: proxy, data }));
    expect(storage).toMatchObject([{ variable: 'first', before: '0', after: '2' }]);
  });

  it('storage changes without a name contain the words of the slots', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const [from] = (await call('eth_accounts')) as string[];
    // SSTORE(5, 7) in a creation.
    const hash = await call('eth_sendTransaction', [{ from, gas: '0x4c4b40', data: '0x600760055500' }]);
    const { changes } = (await call('inspect_transaction', [hash])) as { changes: Changes };
    expect(changes.storage).toMatchObject([
      {
        contract: null,
        variable: null,
        type: null,
        slot: '0x5',
        before: `0x${'0'.repeat(64)}`,
        after: `0x${'7'.padStart(64, '0')}`,
      },
    ]);
  });
});
