// Sends user operations with permissionless.js and prints the results as JSON. NODE_URL is the URL of the
// node. FACTORY creates accounts for EntryPoint 0.8. IMPLEMENTATION is the delegation target of accounts.
import { createSmartAccountClient } from 'permissionless';
import { to7702SimpleSmartAccount, toSimpleSmartAccount } from 'permissionless/accounts';
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem';
import { entryPoint08Address } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const { NODE_URL, FACTORY, IMPLEMENTATION } = process.env;
const TARGETS = ['0x0000000000000000000000000000000000000c01', '0x0000000000000000000000000000000000000c02'];

const chain = defineChain({
  id: 33,
  name: 'node-cli',
  nativeCurrency: { name: 'ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [NODE_URL] } },
});
const transport = http(NODE_URL);
const reader = createPublicClient({ chain, transport, pollingInterval: 10 });
const [funder] = await createWalletClient({ chain, transport }).getAddresses();
const wallet = createWalletClient({ chain, transport, account: funder });
const entryPoint = { address: entryPoint08Address, version: '0.8' };

async function clientOf(account) {
  await wallet.sendTransaction({ to: account.address, value: parseEther('1') });
  return createSmartAccountClient({
    account,
    chain,
    client: reader,
    bundlerTransport: transport,
    pollingInterval: 10,
  });
}

/** Sends to both targets with one operation; resolves to the status and the received amounts. */
async function sendTwice(client) {
  const before = await Promise.all(TARGETS.map((address) => reader.getBalance({ address })));
  const hash = await client.sendTransaction({
    calls: TARGETS.map((to, index) => ({ to, value: BigInt(index + 1) })),
  });
  const { status } = await reader.getTransactionReceipt({ hash });
  const after = await Promise.all(TARGETS.map((address) => reader.getBalance({ address })));
  return { status, received: after.map((balance, index) => Number(balance - before[index])) };
}

const owner = privateKeyToAccount(generatePrivateKey());
const simple = await clientOf(
  await toSimpleSmartAccount({ client: reader, owner, entryPoint, factoryAddress: FACTORY }),
);
const created = await sendTwice(simple);
const again = await sendTwice(simple);
const userOpHash = await simple.sendUserOperation({ calls: [{ to: TARGETS[0], value: 1n }] });
const { success } = await simple.waitForUserOperationReceipt({ hash: userOpHash });
const refused = await simple
  .sendUserOperation({ calls: [{ to: entryPoint08Address, data: '0xdeadbeef' }] })
  .then(() => null)
  .catch((error) => error.shortMessage);

const delegating = privateKeyToAccount(generatePrivateKey());
const delegated = await clientOf(
  await to7702SimpleSmartAccount({
    client: reader,
    owner: delegating,
    entryPoint,
    accountLogicAddress: IMPLEMENTATION,
  }),
);
const authorization = await delegating.signAuthorization({ address: IMPLEMENTATION, chainId: 33, nonce: 0 });
const operation = await delegated.sendUserOperation({
  calls: [{ to: TARGETS[1], value: 5n }],
  authorization,
});
const delegation = await delegated.waitForUserOperationReceipt({ hash: operation });
const code = await reader.getCode({ address: delegating.address });

process.stdout.write(
  JSON.stringify({ created, again, success, refused, delegation: delegation.success, code }),
);
