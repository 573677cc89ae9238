import { changeSettings } from '../../../chain/mining-controls.ts';
import { jsonParts } from '../../../json/json-writer.ts';
import { readHex } from '../../../primitives/hex.ts';
import { isRecord } from '../../../primitives/record.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { boolean, flag } from '../../codecs/basic.ts';
import { type Codec, chosenBy, leaf, type Reading } from '../../codecs/codec.ts';
import { chainId, upstreamUrl } from '../../codecs/settings.ts';
import { NoForkError, OwnUrlError, SharedForkError } from '../../errors.ts';
import { defineMethod, type Method, optional, param, SAME } from '../../method.ts';
import { clientCheck } from '../../request-check.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import { anvilMetadataView, nodeInfoView } from '../../views/node-info.ts';

const text = leaf<Uint8Array>(
  'a state dump: hexadecimal data, or the JSON of a state file',
  { oneOf: [{ type: 'string', pattern: '^(0x([0-9a-fA-F]{2})+|\\{.*)$' }, { type: 'object' }] },
  (value) => {
    if (typeof value !== 'string') return undefined;
    if (value.startsWith('{')) return Buffer.from(value);
    return value.length > 2 ? readHex(value) : undefined;
  },
);

function* jsonOf(value: unknown): Steps<Reading<Uint8Array>> {
  const texts = yield* jsonParts(value, () => undefined);
  return { value: Buffer.from(texts.join('')) };
}

const object: Codec<Uint8Array> = { ...text, read: (value) => jsonOf(value) };

/** A dump of a chain: its bytes as DATA, or the text or object of a JSON file. */
const stateDump: Codec<Uint8Array> = {
  ...chosenBy((value) => (isRecord(value) ? object : text), [text]),
  jsonSchema: text.jsonSchema,
};

export const ANVIL_NODE: readonly Method[] = [
  /** Returns the node version, the instance id (new after a reset), and the snapshots. */
  defineMethod({
    name: 'anvil_metadata',
    summary: 'The node version, chain instance id and snapshots',
    differs:
      "`clientVersion` is `node-cli/v…`. With `--compat anvil`, `clientVersion` has Anvil's form (`anvil/v1.7.1/…`)",
    priority: 'high',
    result: { description: "The node's metadata", schema: { type: 'object' } },
    handler: ({ node: { chain, fork }, settings }) => anvilMetadataView(chain, fork.current, settings),
  }),
  defineMethod({
    name: 'anvil_nodeInfo',
    summary: 'The latest block, hardfork and settings of the node',
    differs: "Under Rootstock's rules, `hardFork` is Cancun, the closest hardfork that Foundry supports",
    priority: 'high',
    result: { description: "The node's metadata", schema: { type: 'object' } },
    handler: ({ node: { chain, fork } }) => nodeInfoView(chain, fork.current),
  }),
  /**
   * Sets the chain id of new transactions and of CHAINID. It is also the network id, unless the node has its
   * own. Transactions in the pool stay.
   */
  defineMethod({
    name: 'anvil_setChainId',
    aliases: { hardhat_setChainId: TRUE },
    summary: 'Sets the chain id',
    params: [param('chainId', chainId)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, id) => chain.change(changeSettings({ chainId: id })),
  }),
  defineMethod({
    name: 'anvil_setLoggingEnabled',
    aliases: { hardhat_setLoggingEnabled: TRUE, ganache_setLoggingEnabled: TRUE },
    summary: "Switches the node's log on or off",
    params: [param('enabled', boolean)],
    // Not logged, because a test suite may switch the log off and on often.
    isLogged: false,
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, enabled) => {
      chain.isLogged = enabled;
    },
  }),
  defineMethod({
    name: 'anvil_setRpcUrl',
    aliases: { hardhat_setRpcUrl: TRUE, ganache_setRpcUrl: TRUE },
    summary: 'Sets the fork URL; a fork fetches missing state from this URL',
    differs:
      "The node at the new URL must have the fork's chain id and fork block; otherwise, nothing changes. URLs of this node are rejected. Returns an error if this node is not a fork",
    params: [param('url', upstreamUrl)],
    // A URL may contain an API key.
    hidesParams: true,
    result: { description: 'No meaningful value', schema: { type: 'null' } },
    handler: async ({ node: { fork }, services: { lanes, served } }, url) => {
      if (fork.current === null) throw new NoForkError();
      if (await served.includes(url)) throw new OwnUrlError('url');
      if (lanes?.areKeysSecret === true && fork.isShared) throw new SharedForkError();
      await fork.current.upstream.useUrls([url], fork.current.chainId);
      return null;
    },
  }),
  /**
   * Returns the whole chain, compressed with gzip: blocks, all states, pool, settings and snapshots, without
   * private keys. In compat mode `anvil`, it is an Anvil state file. The parameter of Anvil has no effect,
   * because history is always included.
   */
  defineMethod({
    name: 'anvil_dumpState',
    aliases: { hardhat_dumpState: SAME, ganache_dumpState: SAME },
    summary: 'Dumps the whole chain; `anvil_loadState` loads the dump',
    differs:
      'The dump always includes history, pool, settings, clock and snapshots. A dump never includes private keys. With `--compat anvil`, the dump is a state file that Anvil can also load (Anvil ignores the historical states in the file). On a fork, the dump contains the local changes (with `--fork-complete`, also the fetched state). The state file of a fork has only the local blocks and accounts',
    params: [optional('preserveHistoricalStates', flag, true)],
    result: { description: 'The dump', schema: { type: 'string', pattern: '^0x1f8b([0-9a-f]{2})+$' } },
    handler: async ({ node: { dump }, settings, connection, deadline }) => {
      const options = { isCompressed: true, withKeys: false, requireClient: clientCheck(connection) };
      const bytes = await (settings.compat.dumpsForAnvil ? dump.writeForAnvil(options) : dump.write(options));
      return deadline.run(hexInSteps(bytes));
    },
  }),
  /**
   * Replaces the chain with a dump: a result of `anvil_dumpState`, a file of this node, or an Anvil state
   * file, compressed or not. The accounts of an Anvil file are merged into the state at the head, with the
   * higher nonce. Under Ethereum rules, its blocks replace the local ones if it has all blocks from the
   * first; otherwise the log reports the reason. With `--compat anvil`, a file without blocks adds its newest
   * block, and a file with blocks but without the newest is invalid. Filters and subscriptions see a
   * reorganization. Nothing changes if the dump is invalid.
   */
  defineMethod({
    name: 'anvil_loadState',
    aliases: { hardhat_loadState: SAME, ganache_loadState: SAME },
    summary: 'Replaces the chain with a dump',
    differs:
      "Accepts dumps of node-cli and state files of Anvil, as hexadecimal data or JSON. The accounts of an Anvil file are added to the chain, as in Anvil. The blocks of an Anvil file are loaded if the file contains all blocks from block 0 on. On a fork and under Rootstock's rules, these blocks are not loaded. If blocks are not loaded, the log reports the reason. With `--compat anvil`, a file without blocks adds its newest block, as in Anvil. If the file is invalid, the chain does not change",
    params: [param('state', stateDump)],
    result: { description: 'True', schema: { const: true } },
    handler: async ({ node: { dump }, services: { unpackingBudget }, connection, call }, state) => {
      await dump.load(state, unpackingBudget, { call, requireClient: clientCheck(connection) });
      return true;
    },
  }),
];
