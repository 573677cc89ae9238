import flashbots from '@flashbots/ethers-provider-bundle';
import mevShare from '@flashbots/mev-share-client';
import { JsonRpcProvider, keccak256, Wallet } from 'ethers';

const { FlashbotsBundleProvider, FlashbotsBundleResolution, FlashbotsTransactionResolution } = flashbots;
const url = process.env.NODE_URL;
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });
provider.pollingInterval = 20;
const author = Wallet.createRandom().connect(provider);
const [signer, other] = process.env.KEYS.split(',').map((key) => new Wallet(key, provider));
const relay = await FlashbotsBundleProvider.create(provider, author, url);
const share = new mevShare.default(author, { streamUrl: url, apiUrl: url });

const mine = () => provider.send('evm_mine', []);
const head = () => provider.getBlockNumber();

/** Starts to wait, and mines blocks until the client has seen the end. */
async function waited(waiting) {
  let isDone = false;
  const done = waiting.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return done;
}

let nonce = await signer.getNonce();
async function signed(fields = {}, wallet = signer) {
  const { chainId } = await provider.getNetwork();
  const fees = { type: 2, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 100_000n };
  const own = wallet === signer ? nonce++ : await wallet.getNonce();
  return wallet.signTransaction({ to: other.address, value: 1n, chainId, nonce: own, ...fees, ...fields });
}

const found = {};

// A bundle of two transactions, with automine.
const target = (await head()) + 1;
const txs = [await signed(), await signed()];
const simulation = await relay.simulate(txs, target, 'latest');
found.simulation = {
  totalGasUsed: simulation.totalGasUsed,
  results: simulation.results.map(({ gasUsed, value }) => ({ gasUsed, value })),
  hasPriorityFees: simulation.coinbaseDiff === 42_000n * 10n ** 9n,
  hash:
    simulation.bundleHash ===
    FlashbotsBundleProvider.generateBundleHash(simulation.results.map(({ txHash }) => txHash)),
};
const sent = await relay.sendRawBundle(txs, target);
found.blocks = (await sent.receipts()).map(({ blockNumber, status }) => [blockNumber - target, status]);

// A bundle that fails changes nothing.
const failing = [await signed(), await signed({ to: null, data: '0x5f5ffd', value: 0n })];
found.failure = (await relay.sendRawBundle(failing, (await head()) + 1)).error.code;
nonce -= 2;
found.nonceAfterFailure = (await provider.getTransactionCount(signer.address, 'pending')) - nonce;

// Bundles that wait for their block.
await provider.send('evm_setAutomine', [false]);
const waiting = await relay.sendRawBundle([await signed()], (await head()) + 2);
found.included = (await waited(waiting.wait())) === FlashbotsBundleResolution.BundleIncluded;
const replacementUuid = '0b7d2f0e-6b3a-4d52-9d3f-0d8a6c1f0a01';
await relay.sendRawBundle([await signed()], (await head()) + 3, { replacementUuid });
nonce -= 1;
found.cancelled = (await relay.cancelBundles(replacementUuid)).bundleHashes.length;

// Private transactions.
const hidden = await relay.sendPrivateTransaction(
  { signedTransaction: await signed() },
  { maxBlockNumber: (await head()) + 200 },
);
found.private = (await waited(hidden.wait())) === FlashbotsTransactionResolution.TransactionIncluded;
const dropped = await relay.sendPrivateTransaction({ signedTransaction: await signed() });
nonce -= 1;
found.privateCancelled = await relay.cancelPrivateTransaction(dropped.transaction.hash);

// MEV-Share: a private transaction on the event stream, a backrun of it, and a nested bundle.
const events = [];
const pendings = share.on('transaction', (event) => events.push(event));
const bundles = share.on('bundle', (event) => events.push(event));
await Promise.all(
  [pendings, bundles].map((stream) => new Promise((resolve) => stream.addEventListener('open', resolve))),
);
async function nextEvent() {
  while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return events.shift();
}
const hash = await share.sendTransaction(await signed(), {
  maxBlockNumber: (await head()) + 5,
  hints: { logs: true, contractAddress: true },
});
const seen = await nextEvent();
found.event = { hasDoubleHash: seen.hash === keccak256(hash), to: seen.to === other.address.toLowerCase() };
const backrun = await signed({ to: signer.address }, other);
const block = (await head()) + 1;
const bundle = {
  privacy: { hints: { txHash: true, functionSelector: true } },
  inclusion: { block, maxBlock: block + 3 },
  body: [
    { hash: seen.hash },
    { bundle: { inclusion: { block }, body: [{ tx: backrun, canRevert: false }] } },
  ],
};
const { bundleHash } = await share.sendBundle(bundle);
found.bundleHash = bundleHash.length;
await mine();
const { transactions } = await provider.getBlock(block);
found.backrun = transactions.indexOf(hash) + 1 === transactions.length - 1;
const { success, profit, gasUsed, stateBlock } = await share.simulateBundle(
  { inclusion: { block: block + 1 }, body: [{ tx: await signed(), canRevert: false }] },
  { parentBlock: block, baseFee: 1n },
);
found.simBundle = {
  success,
  profit: profit === 21_000n * 10n ** 9n,
  gasUsed: Number(gasUsed),
  stateBlock: stateBlock - block,
};
for (const stream of [pendings, bundles]) stream.close();
provider.destroy();
process.stdout.write(JSON.stringify(found));
