// Sends a transaction from a local wallet of ethers 5, and prints its type and price.

import { ethers } from 'ethers';

const { NODE_URL, PRIVATE_KEY } = process.env;
const provider = new ethers.providers.JsonRpcProvider(NODE_URL);
const wallet = new ethers.Wallet(PRIVATE_KEY, provider);
const sent = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000a11ce', value: 1 });
const { type, status, effectiveGasPrice } = await sent.wait();
process.stdout.write(JSON.stringify({ type, status, price: effectiveGasPrice.toString() }));
