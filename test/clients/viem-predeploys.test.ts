import {
  type Chain,
  concatHex,
  createPublicClient,
  createWalletClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  http,
  keccak256,
  pad,
  parseAbi,
  stringToHex,
  webSocket,
} from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { localNetwork33, localNetwork33At } from '../../src/viem.ts';
import { readArtifact } from '../support/artifacts.ts';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

const chain: Chain = localNetwork33;
const { contracts } = localNetwork33;
const [{ address: account }, { address: other }] = DEV_ACCOUNTS;
const counter = readArtifact('shanghai', 'Counter');
const SALT = pad('0x33', { size: 32 });

const createXAbi = parseAbi([
  'function deployCreate2(bytes32 salt, bytes initCode) payable returns (address)',
  'event ContractCreation(address indexed newContract, bytes32 indexed salt)',
]);
const permit2Abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function allowance(address, address, address) view returns (uint160, uint48, uint48)',
]);

/** The domain separator of Permit2 (EIP-712): it has a name and no version. */
function permit2Domain(chainId: bigint) {
  const type = keccak256(stringToHex('EIP712Domain(string name,uint256 chainId,address verifyingContract)'));
  const parts = [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }] as const;
  const name = keccak256(stringToHex('Permit2'));
  return keccak256(encodeAbiParameters(parts, [type, name, chainId, contracts.permit2.address]));
}

describe('predeployed contracts in viem with localNetwork33', () => {
  let node: LocalNode;

  beforeAll(async () => {
    node = await createNode({ timestamp: 1_700_000_000 });
  });

  afterAll(() => node.close());

  function clients() {
    const transport = custom(node);
    return {
      reader: createPublicClient({ chain: localNetwork33, transport, cacheTime: 0, pollingInterval: 20 }),
      writer: createWalletClient({ chain: localNetwork33, transport, account }),
    };
  }

  it('answer several calls through Multicall3 in one request', async () => {
    const { reader } = clients();
    const requests: string[] = [];
    const counted = createPublicClient({
      chain,
      transport: custom({
        request: (call) => {
          requests.push(call.method);
          return node.request(call);
        },
      }),
    });
    const { multicall3, permit2, entryPoint } = contracts;
    const answers = await counted.multicall({
      contracts: [
        {
          address: multicall3.address,
          abi: parseAbi(['function getChainId() view returns (uint256)']),
          functionName: 'getChainId',
        },
        { address: permit2.address, abi: permit2Abi, functionName: 'DOMAIN_SEPARATOR' },
        { address: entryPoint.address, abi: entryPoint07Abi, functionName: 'getNonce', args: [account, 0n] },
      ],
      allowFailure: false,
    });
    expect(answers).toEqual([33n, permit2Domain(33n), 0n]);
    expect(requests).toEqual(['eth_call']);
    expect(await reader.getChainId()).toBe(localNetwork33.id);
  });

  it('create contracts through the CREATE2 deployer at the address of EIP-1014', async () => {
    const { reader, writer } = clients();
    const hash = await writer.sendTransaction({
      to: contracts.create2Deployer.address,
      data: concatHex([SALT, counter.bytecode]),
    });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    const from = contracts.create2Deployer.address;
    const address = getContractAddress({ opcode: 'CREATE2', from, salt: SALT, bytecode: counter.bytecode });
    expect(await reader.getCode({ address })).toBe(counter.deployedBytecode);
  });

  it('create contracts through CreateX', async () => {
    const { reader, writer } = clients();
    const { address } = contracts.createX;
    const call = {
      address,
      abi: createXAbi,
      functionName: 'deployCreate2',
      args: [SALT, counter.bytecode],
    } as const;
    const { request, result } = await reader.simulateContract({ ...call, account });
    const hash = await writer.writeContract(request);
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await reader.getCode({ address: result })).toBe(counter.deployedBytecode);
    // CreateX hashes a salt that names no sender, so that it is its own on each chain's terms.
    const salt = keccak256(SALT);
    expect(getContractAddress({ opcode: 'CREATE2', from: address, salt, bytecode: counter.bytecode })).toBe(
      result,
    );
  });

  it('include a Permit2 that reads allowances', async () => {
    const { reader } = clients();
    const { address } = contracts.permit2;
    const args = [account, other, contracts.multicall3.address] as const;
    expect(await reader.readContract({ address, abi: permit2Abi, functionName: 'allowance', args })).toEqual([
      0n,
      0,
      0,
    ]);
  });

  it('include an EntryPoint that accepts deposits and has a SenderCreator', async () => {
    const { reader, writer } = clients();
    const { address } = contracts.entryPoint;
    await writer.writeContract({
      address,
      abi: entryPoint07Abi,
      functionName: 'depositTo',
      args: [other],
      value: 7n,
    });
    const deposit = await reader.readContract({
      address,
      abi: entryPoint07Abi,
      functionName: 'balanceOf',
      args: [other],
    });
    expect(deposit).toBe(7n);
    // It answers by a revert that carries the address which the factory named, through its own SenderCreator.
    const data = encodeFunctionData({
      abi: entryPoint07Abi,
      functionName: 'getSenderAddress',
      args: [concatHex([contracts.multicall3.address, '0x3408e470'])],
    });
    const error: unknown = await node
      .request({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })
      .then(
        () => 'it answered',
        (reason: unknown) => reason,
      );
    // SenderAddressResult(address): the return value of the factory, here the chain id 33.
    expect(error).toMatchObject({ data: `0x6ca7b806${'0'.repeat(62)}21` });
  });

  it('include a Permit2 with the chain id of the node', async () => {
    const elsewhere = await createNode({ chainId: 1337 });
    const { address } = contracts.permit2;
    const reader = createPublicClient({ transport: custom(elsewhere) });
    const call = { address, abi: permit2Abi, functionName: 'DOMAIN_SEPARATOR' } as const;
    expect(await reader.readContract(call)).toBe(permit2Domain(1337n));
    await elsewhere.close();
  });

  it('are absent with noPredeploys', async () => {
    const bare = await createNode({ noPredeploys: true });
    const reader = createPublicClient({ transport: custom(bare) });
    for (const { address } of Object.values(contracts)) {
      expect(await reader.getCode({ address })).toBeUndefined();
    }
    await bare.close();
  });
});

describe('a node started on the command line', () => {
  let running: RunningNode;

  beforeAll(async () => {
    running = await startNode();
  });

  afterAll(() => running.stop());

  it('serves predeployed contracts over HTTP and WebSocket', async () => {
    const { address } = contracts.multicall3;
    for (const transport of [http(running.url), webSocket(running.url.replace('http', 'ws'))]) {
      const reader = createPublicClient({ chain: localNetwork33, transport });
      expect(await reader.getCode({ address })).toHaveLength(2 + 2 * 3808);
    }
  });

  it('accepts clients with the URLs of localNetwork33At', async () => {
    const chain = localNetwork33At(running.url);
    const overHttp = createPublicClient({ chain, transport: http() });
    expect(await overHttp.getChainId()).toBe(33);
    const overWebSocket = createPublicClient({ chain, transport: webSocket() });
    expect(await overWebSocket.getBlockNumber()).toBe(0n);
    const [answer] = await overHttp.multicall({
      contracts: [
        {
          address: chain.contracts.multicall3.address,
          abi: parseAbi(['function getChainId() view returns (uint256)']),
          functionName: 'getChainId',
        },
      ],
      allowFailure: false,
    });
    expect(answer).toBe(33n);
  });
});

describe('localNetwork33At', () => {
  it('returns the chain at another URL for HTTP and WebSocket', () => {
    const { rpcUrls, ...rest } = localNetwork33At('https://node.example:33/lane');
    expect(rpcUrls.default).toEqual({
      http: ['https://node.example:33/lane'],
      webSocket: ['wss://node.example:33/lane'],
    });
    const { rpcUrls: _, ...original } = localNetwork33;
    expect(rest).toEqual(original);
    expect(localNetwork33At('ws://localhost:1').rpcUrls.default.http).toEqual(['http://localhost:1']);
  });

  it('overrides members of the chain and keeps their types', () => {
    const other = localNetwork33At('http://127.0.0.1:8546', { id: 31337, name: 'Other' });
    const id: 31337 = other.id;
    const asViem: Chain = other;
    expect(asViem).toMatchObject({ id, name: 'Other', nativeCurrency: { symbol: 'RBTC' } });
    expect(localNetwork33.id).toBe(33);
  });

  it.each(['127.0.0.1:8545', 'ftp://127.0.0.1', 'http://', '', 8545, undefined])(
    'rejects %j as a URL',
    (url) => {
      expect(() => localNetwork33At(url as string)).toThrow(
        new TypeError(
          `url must be an HTTP or WebSocket URL such as http://127.0.0.1:8545, not ${JSON.stringify(url)}`,
        ),
      );
    },
  );
});
