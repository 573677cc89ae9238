import type { Method } from './method.ts';
import { ANVIL_ACCOUNTS } from './methods/anvil/accounts.ts';
import { ANVIL_MINING } from './methods/anvil/mining.ts';
import { ANVIL_NODE } from './methods/anvil/node.ts';
import { ANVIL_TRANSACTIONS } from './methods/anvil/transactions.ts';
import { ETH_ACCOUNTS } from './methods/eth/accounts.ts';
import { ETH_BLOCKS } from './methods/eth/blocks.ts';
import { ETH_CALL } from './methods/eth/call.ts';
import { ETH_CHAIN } from './methods/eth/chain.ts';
import { ETH_FEES } from './methods/eth/fees.ts';
import { ETH_FILTERS } from './methods/eth/filters.ts';
import { ETH_MINING } from './methods/eth/mining.ts';
import { ETH_SEND } from './methods/eth/send.ts';
import { ETH_STATE } from './methods/eth/state.ts';
import { ETH_SUBSCRIPTIONS } from './methods/eth/subscriptions.ts';
import { ETH_TRANSACTIONS } from './methods/eth/transactions.ts';
import { EVM_ACCOUNTS } from './methods/evm/accounts.ts';
import { EVM_MINING } from './methods/evm/mining.ts';
import { EVM_SNAPSHOTS } from './methods/evm/snapshots.ts';
import { HARDHAT } from './methods/hardhat/hardhat.ts';
import { NET_NETWORK } from './methods/net/network.ts';
import { WEB3_WEB3 } from './methods/web3/web3.ts';

/** The methods of usual clients. A start evaluates only these topics of the method table. */
export const USUAL_METHODS: readonly Method[] = [
  ...ANVIL_ACCOUNTS,
  ...ANVIL_MINING,
  ...ANVIL_NODE,
  ...ANVIL_TRANSACTIONS,
  ...ETH_ACCOUNTS,
  ...ETH_BLOCKS,
  ...ETH_CALL,
  ...ETH_CHAIN,
  ...ETH_FEES,
  ...ETH_FILTERS,
  ...ETH_MINING,
  ...ETH_SEND,
  ...ETH_STATE,
  ...ETH_SUBSCRIPTIONS,
  ...ETH_TRANSACTIONS,
  ...EVM_ACCOUNTS,
  ...EVM_MINING,
  ...EVM_SNAPSHOTS,
  ...HARDHAT,
  ...NET_NETWORK,
  ...WEB3_WEB3,
];
