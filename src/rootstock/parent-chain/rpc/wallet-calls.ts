// Calls that manage wallets and read their balances.

import type { Steps } from '../../../primitives/steps.ts';
import { toCoins } from '../amounts.ts';
import type { ParentChain } from '../parent-chain.ts';
import { createWallet, type ParentWallet } from '../wallet/parent-wallet.ts';
import { type Balances, balancesOf, type WalletCoin, walletCoins } from '../wallet/wallet-coins.ts';
import { type BitcoinCall, type CallContext, type JsonObject, optional, required, shown } from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { walletTransactionIds } from './wallet-history.ts';
import { updateWallet } from './wallet-state.ts';

const WALLET_VERSION = 169_900;
const MAX_NAME_LENGTH = 200;
const MAX_WALLETS = 1000;

function findWallet(chain: ParentChain, name: string): ParentWallet | undefined {
  return chain.state.wallets.find((wallet) => wallet.name === name);
}

function create({ chain, arguments: given }: CallContext): JsonObject {
  const name = given.text('wallet_name');
  if (name.length > MAX_NAME_LENGTH) {
    throw new BitcoinRpcError(CODES.parameter, `wallet_name: expected at most ${MAX_NAME_LENGTH} characters`);
  }
  if ((given.optionalText('passphrase') ?? '') !== '') {
    throw new BitcoinRpcError(CODES.wallet, 'Encrypted wallets are not supported: leave out passphrase');
  }
  if (findWallet(chain, name) !== undefined) {
    throw new BitcoinRpcError(
      CODES.wallet,
      `Wallet file verification failed. Failed to create database path '${shown(name)}'. Database already exists.`,
    );
  }
  const { wallets, seed } = chain.state;
  if (wallets.length >= MAX_WALLETS) {
    throw new BitcoinRpcError(CODES.wallet, `at most ${MAX_WALLETS} wallets are allowed`);
  }
  chain.setWallets([...wallets, createWallet(seed, name, !given.boolean('disable_private_keys', false))]);
  return { name };
}

function load({ chain, arguments: given }: CallContext): JsonObject {
  const name = given.text('filename');
  const wallet = findWallet(chain, name);
  if (wallet === undefined) {
    throw new BitcoinRpcError(
      CODES.walletNotFound,
      `Wallet file verification failed. Failed to load database path '${shown(name)}'. Path does not exist.`,
    );
  }
  if (wallet.isLoaded) {
    throw new BitcoinRpcError(CODES.walletAlreadyLoaded, `Wallet "${name}" is already loaded.`);
  }
  updateWallet(chain, { ...wallet, isLoaded: true });
  return { name };
}

function unload(context: CallContext): JsonObject {
  const { chain, arguments: given, walletName } = context;
  const name = given.optionalText('wallet_name') ?? walletName;
  if (name !== null && walletName !== null && name !== walletName) {
    throw new BitcoinRpcError(
      CODES.parameter,
      'RPC endpoint wallet and wallet_name parameter specify different wallets',
    );
  }
  const wallet = name === null ? context.wallet : findWallet(chain, name);
  if (wallet === undefined || !wallet.isLoaded) {
    throw new BitcoinRpcError(CODES.walletNotFound, 'Requested wallet does not exist or is not loaded');
  }
  updateWallet(chain, { ...wallet, isLoaded: false });
  return {};
}

/** Returns the kind of coins that the wallet's balance counts. */
function mainKind(wallet: ParentWallet): 'key' | 'watched' {
  return wallet.hasPrivateKeys ? 'key' : 'watched';
}

function* walletInfo({ chain, wallet }: CallContext): Steps<JsonObject> {
  const { trusted, pending, immature } = balancesOf(yield* walletCoins(chain, wallet), mainKind(wallet));
  return {
    walletname: wallet.name,
    walletversion: WALLET_VERSION,
    format: 'bdb',
    balance: toCoins(trusted),
    unconfirmed_balance: toCoins(pending),
    immature_balance: toCoins(immature),
    txcount: walletTransactionIds(chain, wallet).size,
    keypoolsize: wallet.hasPrivateKeys ? 1000 : 0,
    keypoolsize_hd_internal: wallet.hasPrivateKeys ? 1000 : 0,
    paytxfee: 0,
    private_keys_enabled: wallet.hasPrivateKeys,
    avoid_reuse: false,
    scanning: false,
    descriptors: false,
    external_signer: false,
    blank: false,
    lastprocessedblock: { hash: chain.tip.hash, height: chain.tip.height },
  };
}

function isCounted(coin: WalletCoin, kinds: readonly string[], minimum: number): boolean {
  const isConfirmed = coin.confirmations >= minimum && (coin.isTrusted || coin.confirmations > 0);
  return kinds.includes(coin.owner.kind) && coin.isMature && isConfirmed;
}

function* balance({ chain, wallet, arguments: given }: CallContext): Steps<number> {
  const dummy = given.optionalText('dummy');
  if (dummy !== undefined && dummy !== '*') {
    throw new BitcoinRpcError(CODES.misc, 'dummy first argument must be excluded or set to "*".');
  }
  const minimum = given.integer('minconf', 0);
  const includesWatched = given.boolean('include_watchonly', !wallet.hasPrivateKeys);
  const kinds = includesWatched ? ['key', 'watched'] : ['key'];
  const all = yield* walletCoins(chain, wallet);
  const coins = all.filter((coin) => isCounted(coin, kinds, minimum));
  return toCoins(coins.reduce((sum, { value }) => sum + value, 0n));
}

function balancesView({ trusted, pending, immature }: Balances): JsonObject {
  return {
    trusted: toCoins(trusted),
    untrusted_pending: toCoins(pending),
    immature: toCoins(immature),
  };
}

function* balances({ chain, wallet }: CallContext): Steps<JsonObject> {
  const coins = yield* walletCoins(chain, wallet);
  const hasWatched = wallet.hasPrivateKeys && wallet.watched.length > 0;
  return {
    mine: balancesView(balancesOf(coins, mainKind(wallet))),
    ...(hasWatched && { watchonly: balancesView(balancesOf(coins, 'watched')) }),
    lastprocessedblock: { hash: chain.tip.hash, height: chain.tip.height },
  };
}

export const WALLET_CALLS: readonly BitcoinCall[] = [
  {
    name: 'createwallet',
    group: 'Wallet',
    parameters: [
      required('wallet_name', 'string'),
      optional('disable_private_keys', 'bool'),
      optional('blank', 'bool'),
      optional('passphrase', 'string'),
      optional('avoid_reuse', 'bool'),
      optional('descriptors', 'bool'),
      optional('load_on_startup', 'bool'),
      optional('external_signer', 'bool'),
    ],
    run: create,
  },
  {
    name: 'loadwallet',
    group: 'Wallet',
    parameters: [required('filename', 'string'), optional('load_on_startup', 'bool')],
    run: load,
  },
  {
    name: 'unloadwallet',
    group: 'Wallet',
    parameters: [optional('wallet_name', 'string'), optional('load_on_startup', 'bool')],
    run: unload,
  },
  {
    name: 'listwallets',
    group: 'Wallet',
    parameters: [],
    run: ({ chain }) => chain.state.wallets.filter(({ isLoaded }) => isLoaded).map(({ name }) => name),
  },
  {
    name: 'listwalletdir',
    group: 'Wallet',
    parameters: [],
    run: ({ chain }) => ({ wallets: chain.state.wallets.map(({ name }) => ({ name })) }),
  },
  { name: 'getwalletinfo', group: 'Wallet', parameters: [], steps: walletInfo },
  {
    name: 'getbalance',
    group: 'Wallet',
    parameters: [
      optional('dummy', 'string'),
      optional('minconf', 'number'),
      optional('include_watchonly', 'bool'),
      optional('avoid_reuse', 'bool'),
    ],
    steps: balance,
  },
  { name: 'getbalances', group: 'Wallet', parameters: [], steps: balances },
];
