import { Interface, keccak256, SigningKey, toUtf8Bytes } from 'ethers';
import type { ExecutionResult } from '../../../src/evm/engine.ts';
import { fromHex, hexKey, toHex } from '../../../src/primitives/hex.ts';
import { addressOfPrivateKey, curve } from '../../../src/primitives/secp256k1/curve.ts';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import type { Transaction, TransactionRequest } from '../../../src/protocol/transaction.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { signedBy } from '../../../src/protocol/transaction-encoding.ts';
import { type EnginePair, enginePair } from '../../evm/interpreter/engine-pair.ts';
import { code, ETHER, SENDER } from '../../reference/scene.ts';

export const BRIDGE: Uint8Array = fromHex('0x0000000000000000000000000000000001000006');

/** Initial balance of the Bridge, in wei. */
export const BRIDGE_BALANCE = 21_000_000n * ETHER;

/** The ABI of the Bridge, written again for an independent codec. */
export const ABI = new Interface([
  'function getFederationAddress() view returns (string)',
  'function getFederationSize() view returns (int256)',
  'function getFederationThreshold() view returns (int256)',
  'function getFederationCreationTime() view returns (int256)',
  'function getFederationCreationBlockNumber() view returns (int256)',
  'function getFederatorPublicKeyOfType(int256 index, string atype) view returns (bytes)',
  'function getActivePowpegRedeemScript() view returns (bytes)',
  'function getActiveFederationCreationBlockHeight() view returns (uint256)',
  'function getRetiringFederationAddress() view returns (string)',
  'function getRetiringFederationSize() view returns (int256)',
  'function getRetiringFederationThreshold() view returns (int256)',
  'function getRetiringFederationCreationTime() view returns (int256)',
  'function getRetiringFederationCreationBlockNumber() view returns (int256)',
  'function getRetiringFederatorPublicKeyOfType(int256 index, string atype) view returns (bytes)',
  'function getProposedFederationAddress() view returns (string)',
  'function getProposedFederationSize() view returns (int256)',
  'function getProposedFederationCreationTime() view returns (int256)',
  'function getProposedFederationCreationBlockNumber() view returns (int256)',
  'function getProposedFederatorPublicKeyOfType(int256 index, string atype) view returns (bytes)',
  'function getPendingFederationHash() view returns (bytes)',
  'function getPendingFederationSize() view returns (int256)',
  'function getPendingFederatorPublicKeyOfType(int256 index, string atype) view returns (bytes)',
  'function createFederation() returns (int256)',
  'function addFederatorPublicKeyMultikey(bytes btcKey, bytes rskKey, bytes mstKey) returns (int256)',
  'function commitFederation(bytes hash) returns (int256)',
  'function rollbackFederation() returns (int256)',
  'function getBtcBlockchainBestChainHeight() view returns (int256)',
  'function getBtcBlockchainInitialBlockHeight() view returns (int256)',
  'function getBtcBlockchainBlockHashAtDepth(int256 depth) view returns (bytes)',
  'function getBtcBlockchainBestBlockHeader() view returns (bytes)',
  'function getBtcBlockchainBlockHeaderByHash(bytes32 hash) view returns (bytes)',
  'function getBtcBlockchainBlockHeaderByHeight(uint256 height) view returns (bytes)',
  'function getBtcBlockchainParentBlockHeaderByHash(bytes32 hash) view returns (bytes)',
  'function getBtcTransactionConfirmations(bytes32 tx, bytes32 block, uint256 path, bytes32[] branch) view returns (int256)',
  'function getBtcTxHashProcessedHeight(string hash) view returns (int64)',
  'function isBtcTxHashAlreadyProcessed(string hash) view returns (bool)',
  'function hasBtcBlockCoinbaseTransactionInformation(bytes32 hash) view returns (bool)',
  'function receiveHeaders(bytes[] blocks)',
  'function receiveHeader(bytes header) returns (int256)',
  'function registerBtcTransaction(bytes tx, int256 height, bytes pmt)',
  'function registerBtcCoinbaseTransaction(bytes tx, bytes32 block, bytes pmt, bytes32 witness, bytes32 reserved)',
  'function registerFastBridgeBtcTransaction(bytes, uint256, bytes, bytes32, bytes, address, bytes, bool) returns (int256)',
  'function addSignature(bytes pubkey, bytes[] signatures, bytes txhash)',
  'function releaseBtc()',
  'function updateCollections()',
  'function getMinimumLockTxValue() view returns (int256)',
  'function getFeePerKb() view returns (int256)',
  'function voteFeePerKbChange(int256 fee) returns (int256)',
  'function getLockingCap() view returns (int256)',
  'function increaseLockingCap(int256 cap) returns (bool)',
  'function getLockWhitelistSize() view returns (int256)',
  'function getLockWhitelistAddress(int256 index) view returns (string)',
  'function getLockWhitelistEntryByAddress(string destination) view returns (int256)',
  'function addOneOffLockWhitelistAddress(string destination, int256 value) returns (int256)',
  'function addUnlimitedLockWhitelistAddress(string destination) returns (int256)',
  'function removeLockWhitelistAddress(string destination) returns (int256)',
  'function setLockWhitelistDisableBlockDelay(int256 delay) returns (int256)',
  'function getQueuedPegoutsCount() view returns (uint256)',
  'function getNextPegoutCreationBlockNumber() view returns (uint256)',
  'function getEstimatedFeesForNextPegOutEvent() view returns (uint256)',
  'function getEstimatedFeesForPegOutAmount(uint256 wei) view returns (uint256)',
  'function getStateForBtcReleaseClient() view returns (bytes)',
  'function getStateForSvpClient() view returns (bytes)',
  'function getStateForDebugging() view returns (bytes)',
  'function getUnionBridgeContractAddress() view returns (address)',
  'function getUnionBridgeLockingCap() view returns (uint256)',
  'function setUnionBridgeContractAddressForTestnet(address union) returns (int256)',
  'function increaseUnionBridgeLockingCap(uint256 cap) returns (int256)',
  'function setUnionBridgeTransferPermissions(bool request, bool release) returns (int256)',
  'function requestUnionBridgeRbtc(uint256 amount) returns (int256)',
  'function releaseUnionBridgeRbtc() payable returns (int256)',
  'function getSuperEvent() view returns (bytes)',
  'function setSuperEvent(bytes data)',
  'function clearSuperEvent()',
  'function getBaseEvent() view returns (bytes)',
  'function setBaseEvent(bytes data)',
  'function clearBaseEvent()',
  'event release_request_received(address indexed sender, string btcDestinationAddress, uint256 amount)',
  'event release_request_rejected(address indexed sender, uint256 amount, int256 reason)',
  'event release_requested(bytes32 indexed rskTxHash, bytes32 indexed btcTxHash, uint256 amount)',
  'event batch_pegout_created(bytes32 indexed btcTxHash, bytes releaseRskTxHashes)',
  'event pegout_transaction_created(bytes32 indexed btcTxHash, bytes utxoOutpointValues)',
  'event pegout_confirmed(bytes32 indexed btcTxHash, uint256 pegoutCreationRskBlockNumber)',
  'event add_signature(bytes32 indexed releaseRskTxHash, address indexed federatorRskAddress, bytes federatorBtcPublicKey)',
  'event release_btc(bytes32 indexed releaseRskTxHash, bytes btcRawTransaction)',
  'event pegin_btc(address indexed receiver, bytes32 indexed btcTxHash, int256 amount, int256 protocolVersion)',
  'event rejected_pegin(bytes32 indexed btcTxHash, int256 reason)',
  'event unrefundable_pegin(bytes32 indexed btcTxHash, int256 reason)',
  'event update_collections(address sender)',
  'event union_bridge_locking_cap_increased(address indexed caller, uint256 previousLockingCap, uint256 newLockingCap)',
  'event union_bridge_transfer_permissions_updated(address indexed caller, bool request, bool release)',
  'event union_rbtc_requested(address indexed requester, uint256 amount)',
  'event union_rbtc_released(address indexed receiver, uint256 amount)',
]);

/** Calls the Bridge with its calldata. Returns 1 if the call succeeds, else 0. */
const FORWARDER = code(
  `36 6000 6000 37 6000 6000 36 6000 6000 73${hexKey(BRIDGE)} 5a f1 6000 52 6020 6000 f3`,
);

/** The private key: the hash of a text, like all keys with a role in a local network. */
export function keyOfSeed(seed: string): Uint8Array {
  return fromHex(keccak256(toUtf8Bytes(seed)));
}

/** The address of the key. */
export function addressOfSeed(seed: string): Uint8Array {
  return addressOfPrivateKey(keyOfSeed(seed));
}

/** The public key (33 bytes) of the key. */
export function publicKeyOfSeed(seed: string): string {
  return new SigningKey(keyOfSeed(seed)).compressedPublicKey;
}

/** Calldata of a method. */
export function callData(method: string, ...values: unknown[]): Uint8Array {
  return fromHex(ABI.encodeFunctionData(method, values));
}

/** Both engines, on a state with the balance of the Bridge. */
export interface BridgeScene {
  readonly pair: EnginePair;
  /** Calls a method like eth_call. */
  ask(method: string, ...values: unknown[]): Promise<unknown>;
  /**
   * Sends a transaction that calls a method, from the account of a seed. Returns the result of the method.
   */
  send(seed: string, method: string, ...values: unknown[]): Promise<unknown>;
  /** True if code at an address can call a method within a transaction. */
  succeedsFor(address: Uint8Array, method: string, ...values: unknown[]): Promise<boolean>;
  /** Sends a signed transaction to the Bridge. */
  transact(seed: string, fields: Partial<TransactionRequest>): Promise<ExecutionResult>;
}

/** A transaction to the Bridge, signed by the key of a seed, with nonce 0 and gas price 0 by default. */
export function signedMessage(seed: string, fields: Partial<TransactionRequest>): Transaction {
  const request: TransactionRequest = {
    type: 0,
    chainId: 33n,
    nonce: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    gasLimit: 1_000_000n,
    to: BRIDGE,
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
  const key = keyOfSeed(seed);
  return signedBy(request, addressOfPrivateKey(key), (hash) => curve.sign(hash, key));
}

/** A new scene without transactions. */
export async function setBridgeScene(
  environment: Parameters<typeof enginePair>[1] = {},
  chainId = 33,
  federation: FederationFormat = 'legacy',
  ruleSet: RuleSetName = 'rootstock',
): Promise<BridgeScene> {
  const pair = await enginePair(ruleSet, environment, chainId, federation);
  pair.state.setAccount(BRIDGE, { nonce: 0n, balance: BRIDGE_BALANCE });
  const transact = (seed: string, fields: Partial<TransactionRequest>) => {
    const sender = addressOfSeed(seed);
    const { nonce, balance } = pair.state.account(sender) ?? { nonce: 0n, balance: 0n };
    if (balance === 0n) pair.state.setAccount(sender, { nonce, balance: ETHER });
    return pair.transact(signedMessage(seed, { nonce, ...fields }));
  };
  return {
    pair,
    transact,
    async succeedsFor(address, method, ...values) {
      pair.state.setCode(address, FORWARDER);
      const nonce = pair.state.account(SENDER)?.nonce ?? 0n;
      const { returnData } = await pair.transact({ to: address, data: callData(method, ...values), nonce });
      pair.state.setCode(address, new Uint8Array(0));
      return returnData[31] === 1;
    },
    async ask(method, ...values) {
      const result = await pair.call({ to: BRIDGE, data: callData(method, ...values), gasLimit: 5_000_000n });
      return decoded(method, result);
    },
    async send(seed, method, ...values) {
      return decoded(method, await transact(seed, { data: callData(method, ...values) }));
    },
  };
}

/**
 * The result of a method; 'failure' if the call failed. A transaction succeeds in that case too, as on
 * Rootstock. For methods without a result, use `succeedsFor`.
 */
function decoded(method: string, { outcome, returnData }: ExecutionResult): unknown {
  if (outcome !== 'success') throw new Error(outcome);
  const outputs = ABI.getFunction(method)?.outputs ?? [];
  if (returnData.length === 0) return outputs.length === 0 ? undefined : 'failure';
  return ABI.decodeFunctionResult(method, toHex(returnData))[0];
}
