// Registers a pegin and requests a pegout with Rootstock's packages. Prints the results as JSON.

import {
  BlockchainConnection,
  BlockchainReadOnlyConnection,
  decodeBtcAddress,
  ethers,
  executeContractFunction,
  executeContractView,
  isBtcTestnetAddress,
} from '@rsksmart/bridges-core-sdk';
import pmtBuilder from '@rsksmart/pmt-builder';
import abis from '@rsksmart/rsk-precompiled-abis';

const url = process.env.NODE_URL;
const MNEMONIC = 'test test test test test test test test test test test junk';
const RECEIVER = `0x${'ab'.repeat(20)}`;

async function call(path, method, ...params) {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = await (await fetch(`${url}${path}`, { method: 'POST', headers, body })).json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
const rpc = (method, ...params) => call('', method, ...params);
const bitcoin = (method, ...params) => call('/parent', method, ...params);

const reader = await BlockchainReadOnlyConnection.createUsingRpc(url);
const account = await BlockchainConnection.createUsingPassphrase(MNEMONIC, url);
const { abi, address } = abis.bridge;
const bridge = new ethers.Contract(address, abi, account.getAbstraction());
const view = (name, ...params) => executeContractView(bridge, name, ...params);
const eventsOf = ({ logs }) => logs.map((log) => bridge.interface.parseLog(log).name);

/** A member of the federation: the key is the hash of its name. */
async function member(name) {
  const wallet = new ethers.Wallet(ethers.utils.id(name), reader.getUnderlyingProvider());
  await rpc('hardhat_setBalance', wallet.address, '0xde0b6b3a7640000');
  return bridge.connect(wallet);
}

const federation = await view('getFederationAddress');
const own = await bitcoin('getnewaddress', '', 'legacy');
await bitcoin('generatetoaddress', 101, own);
const outputs = [{ [federation]: '0.5' }, { data: `52534b5401${RECEIVER.slice(2)}` }];
const { hex } = await bitcoin('fundrawtransaction', await bitcoin('createrawtransaction', [], outputs));
const signed = await bitcoin('signrawtransactionwithwallet', hex);
const txid = await bitcoin('sendrawtransaction', signed.hex);
const [block] = await bitcoin('generatetoaddress', 3, own);

const height = await bitcoin('getblockcount');
const headers = [];
for (let at = 1; at <= height; at++) {
  headers.push(`0x${await bitcoin('getblockheader', await bitcoin('getblockhash', at), false)}`);
}
const federator = await member('federator1');
for (let first = 0; first < headers.length; first += 50) {
  await executeContractFunction(federator, 'receiveHeaders', headers.slice(first, first + 50));
}

const { tx } = await bitcoin('getblock', block, 1);
const proof = pmtBuilder.buildPMT(tx, txid);
const pegin = await executeContractFunction(
  bridge,
  'registerBtcTransaction',
  `0x${signed.hex}`,
  height - 2,
  `0x${proof.hex}`,
);
const peginReceipt = await reader.getTransactionReceipt(pegin.txHash);

const pegout = await account.executeTransaction({
  to: address,
  data: '0x',
  value: ethers.utils.parseEther('0.25').toHexString(),
});
const pegoutReceipt = await reader.getTransactionReceipt(pegout.txHash);
const queued = (await view('getQueuedPegoutsCount')).toString();
const fee = (await view('getEstimatedFeesForNextPegOutEvent')).toNumber();
const created = await executeContractFunction(federator, 'updateCollections');

process.stdout.write(
  JSON.stringify({
    isAddress: isBtcTestnetAddress(federation),
    addressSize: decodeBtcAddress(federation).length,
    chainId: await reader.getChainId(),
    proven: proof.totalTX,
    bestHeight: (await view('getBtcBlockchainBestChainHeight')).toNumber() === height,
    pegin: eventsOf(peginReceipt),
    balance: (await reader.getUnderlyingProvider().getBalance(RECEIVER)).toString(),
    processed: await view('isBtcTxHashAlreadyProcessed', txid),
    pegout: eventsOf(pegoutReceipt),
    queued,
    fee: fee > 0,
    created: eventsOf(await reader.getTransactionReceipt(created.txHash)),
  }),
);
