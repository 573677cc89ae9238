// Uses the client `bitcoin-core` on the port of the parent chain: wallets, payments, proofs, batches and errors.

import Client from 'bitcoin-core';

const { PARENT_URL } = process.env;
const clientOf = (wallet) => new Client({ host: PARENT_URL, username: 'any', password: 'any', wallet });

for (const wallet of ['mining', 'savings']) await clientOf().command('createwallet', wallet);
const [client, savings] = [clientOf('mining'), clientOf('savings')];
const [miner, receiver] = [await client.getNewAddress(), await savings.getNewAddress()];
await client.generateToAddress(101, miner);
const txid = await client.sendToAddress(receiver, 1.5);
const [hash] = await client.generateToAddress(1, miner);
const proof = await client.command('gettxoutproof', [txid], hash);
const batch = await client.command([
  { method: 'getblockcount', parameters: [] },
  { method: 'getblockhash', parameters: [102] },
]);
const unknown = await client.command('nosuchcall').catch(({ code, message }) => ({ code, message }));
const tooMuch = await client
  .sendToAddress(receiver, 1_000_000)
  .catch(({ code, message }) => ({ code, message }));
const raw = await client.getRawTransaction(txid, true);
const result = {
  balance: await savings.getBalance(),
  confirmations: raw.confirmations,
  isIncluded: raw.blockhash === hash && proof.length > 160,
  batch: [batch[0], batch[1] === hash],
  unknown,
  tooMuch,
};
process.stdout.write(JSON.stringify(result));
