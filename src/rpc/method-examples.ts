// The examples are in separate files, so that a node reads them only for its description.
import anvil from './examples/anvil.json' with { type: 'json' };
import chain from './examples/chain.json' with { type: 'json' };
import debug from './examples/debug.json' with { type: 'json' };
import eth from './examples/eth.json' with { type: 'json' };
import evm from './examples/evm.json' with { type: 'json' };
import fork from './examples/fork.json' with { type: 'json' };
import hardhat from './examples/hardhat.json' with { type: 'json' };
import inspect from './examples/inspect.json' with { type: 'json' };
import lane from './examples/lane.json' with { type: 'json' };
import mev from './examples/mev.json' with { type: 'json' };
import miner from './examples/miner.json' with { type: 'json' };
import mnr from './examples/mnr.json' with { type: 'json' };
import net from './examples/net.json' with { type: 'json' };
import ots from './examples/ots.json' with { type: 'json' };
import peg from './examples/peg.json' with { type: 'json' };
import personal from './examples/personal.json' with { type: 'json' };
import rpc from './examples/rpc.json' with { type: 'json' };
import sco from './examples/sco.json' with { type: 'json' };
import tenderly from './examples/tenderly.json' with { type: 'json' };
import testing from './examples/testing.json' with { type: 'json' };
import trace from './examples/trace.json' with { type: 'json' };
import txpool from './examples/txpool.json' with { type: 'json' };
import wallet from './examples/wallet.json' with { type: 'json' };
import web3 from './examples/web3.json' with { type: 'json' };

/** An example call of a method, as JSON. */
export interface MethodExample {
  /** The option of the node that answers the call; absent for a node without options. */
  readonly option?: string;
  /** Calls that must run first, for example to create a filter. */
  readonly before?: readonly { readonly method: string; readonly params: readonly unknown[] }[];
  readonly params: readonly unknown[];
  /** The whole result. With {@link isExcerpt}, some members of an object or the start of a string. */
  readonly result: unknown;
  readonly isExcerpt?: boolean;
  /** The error of a method that always rejects the call; the result is then `null`. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** The examples of all methods by method name. Discovery and the tests read them. */
export const METHOD_EXAMPLES: Readonly<Record<string, MethodExample>> = {
  ...anvil,
  ...chain,
  ...debug,
  ...eth,
  ...evm,
  ...fork,
  ...hardhat,
  ...inspect,
  ...lane,
  ...mev,
  ...miner,
  ...mnr,
  ...net,
  ...ots,
  ...peg,
  ...personal,
  ...rpc,
  ...sco,
  ...tenderly,
  ...testing,
  ...trace,
  ...txpool,
  ...wallet,
  ...web3,
};
