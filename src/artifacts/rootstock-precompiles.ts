/** Functions and events of Rootstock's precompiles in Solidity syntax. `../rootstock` implements them. */

import type { DecodedEntry } from './decoding.ts';

const BRIDGE = [
  'function addFederatorPublicKeyMultikey(bytes, bytes, bytes) returns (int256)',
  'function addOneOffLockWhitelistAddress(string, int256) returns (int256)',
  'function addSignature(bytes publicKey, bytes[] signatures, bytes rskTxHash)',
  'function addUnlimitedLockWhitelistAddress(string) returns (int256)',
  'function clearBaseEvent()',
  'function clearSuperEvent()',
  'function commitFederation(bytes) returns (int256)',
  'function createFederation() returns (int256)',
  'function getActiveFederationCreationBlockHeight() view returns (uint256)',
  'function getActivePowpegRedeemScript() view returns (bytes)',
  'function getBaseEvent() view returns (bytes)',
  'function getBtcBlockchainBestBlockHeader() view returns (bytes)',
  'function getBtcBlockchainBestChainHeight() view returns (int256)',
  'function getBtcBlockchainBlockHashAtDepth(int256) view returns (bytes)',
  'function getBtcBlockchainBlockHeaderByHash(bytes32) view returns (bytes)',
  'function getBtcBlockchainBlockHeaderByHeight(uint256) view returns (bytes)',
  'function getBtcBlockchainInitialBlockHeight() view returns (int256)',
  'function getBtcBlockchainParentBlockHeaderByHash(bytes32) view returns (bytes)',
  'function getBtcTransactionConfirmations(bytes32, bytes32, uint256, bytes32[]) view returns (int256)',
  'function getBtcTxHashProcessedHeight(string) view returns (int64)',
  'function getEstimatedFeesForNextPegOutEvent() view returns (uint256)',
  'function getEstimatedFeesForPegOutAmount(uint256) view returns (uint256)',
  'function getFederationAddress() view returns (string)',
  'function getFederationCreationBlockNumber() view returns (int256)',
  'function getFederationCreationTime() view returns (int256)',
  'function getFederationSize() view returns (int256)',
  'function getFederationThreshold() view returns (int256)',
  'function getFederatorPublicKeyOfType(int256, string) view returns (bytes)',
  'function getFeePerKb() view returns (int256)',
  'function getLockWhitelistAddress(int256) view returns (string)',
  'function getLockWhitelistEntryByAddress(string) view returns (int256)',
  'function getLockWhitelistSize() view returns (int256)',
  'function getLockingCap() view returns (int256)',
  'function getMinimumLockTxValue() view returns (int256)',
  'function getNextPegoutCreationBlockNumber() view returns (uint256)',
  'function getPendingFederationHash() view returns (bytes)',
  'function getPendingFederationSize() view returns (int256)',
  'function getPendingFederatorPublicKeyOfType(int256, string) view returns (bytes)',
  'function getProposedFederationAddress() view returns (string)',
  'function getProposedFederationCreationBlockNumber() view returns (int256)',
  'function getProposedFederationCreationTime() view returns (int256)',
  'function getProposedFederationSize() view returns (int256)',
  'function getProposedFederatorPublicKeyOfType(int256, string) view returns (bytes)',
  'function getQueuedPegoutsCount() view returns (uint256)',
  'function getRetiringFederationAddress() view returns (string)',
  'function getRetiringFederationCreationBlockNumber() view returns (int256)',
  'function getRetiringFederationCreationTime() view returns (int256)',
  'function getRetiringFederationSize() view returns (int256)',
  'function getRetiringFederationThreshold() view returns (int256)',
  'function getRetiringFederatorPublicKeyOfType(int256, string) view returns (bytes)',
  'function getStateForBtcReleaseClient() view returns (bytes)',
  'function getStateForDebugging() view returns (bytes)',
  'function getStateForSvpClient() view returns (bytes)',
  'function getSuperEvent() view returns (bytes)',
  'function getUnionBridgeContractAddress() view returns (address)',
  'function getUnionBridgeLockingCap() view returns (uint256)',
  'function hasBtcBlockCoinbaseTransactionInformation(bytes32) view returns (bool)',
  'function increaseLockingCap(int256) returns (bool)',
  'function increaseUnionBridgeLockingCap(uint256) returns (int256)',
  'function isBtcTxHashAlreadyProcessed(string) view returns (bool)',
  'function receiveHeader(bytes) returns (int256)',
  'function receiveHeaders(bytes[])',
  'function registerBtcCoinbaseTransaction(bytes tx, bytes32 blockHash, bytes pmt, bytes32 witnessMerkleRoot, bytes32 witnessReservedValue)',
  'function registerBtcTransaction(bytes tx, int256 height, bytes pmt)',
  'function registerFastBridgeBtcTransaction(bytes tx, uint256 height, bytes pmt, bytes32 derivationArgumentsHash, bytes userRefundAddress, address liquidityBridge, bytes liquidityProviderAddress, bool shouldTransferToContract) returns (int256)',
  'function releaseBtc() payable',
  'function releaseUnionBridgeRbtc() payable returns (int256)',
  'function removeLockWhitelistAddress(string) returns (int256)',
  'function requestUnionBridgeRbtc(uint256) returns (int256)',
  'function rollbackFederation() returns (int256)',
  'function setBaseEvent(bytes)',
  'function setLockWhitelistDisableBlockDelay(int256) returns (int256)',
  'function setSuperEvent(bytes)',
  'function setUnionBridgeContractAddressForTestnet(address) returns (int256)',
  'function setUnionBridgeTransferPermissions(bool, bool) returns (int256)',
  'function updateCollections()',
  'function voteFeePerKbChange(int256) returns (int256)',
  'event lock_btc(address indexed receiver, bytes32 btcTxHash, string senderBtcAddress, int256 amount)',
  'event pegin_btc(address indexed receiver, bytes32 indexed btcTxHash, int256 amount, int256 protocolVersion)',
  'event rejected_pegin(bytes32 indexed btcTxHash, int256 reason)',
  'event unrefundable_pegin(bytes32 indexed btcTxHash, int256 reason)',
  'event update_collections(address sender)',
  'event add_signature(bytes32 indexed releaseRskTxHash, address indexed federatorRskAddress, bytes federatorBtcPublicKey)',
  'event release_btc(bytes32 indexed releaseRskTxHash, bytes btcRawTransaction)',
  'event commit_federation(bytes oldFederationBtcPublicKeys, string oldFederationBtcAddress, bytes newFederationBtcPublicKeys, string newFederationBtcAddress, int256 activationHeight)',
  'event commit_federation_failed(bytes proposedFederationRedeemScript, int256 blockNumber)',
  'event release_requested(bytes32 indexed rskTxHash, bytes32 indexed btcTxHash, uint256 amount)',
  'event release_request_received(address indexed sender, bytes btcDestinationAddress, uint256 amount)',
  'event release_request_received(address indexed sender, string destination, uint256 amount)',
  'event release_request_rejected(address indexed sender, uint256 amount, int256 reason)',
  'event batch_pegout_created(bytes32 indexed btcTxHash, bytes releaseRskTxHashes)',
  'event pegout_confirmed(bytes32 indexed btcTxHash, uint256 pegoutCreationRskBlockNumber)',
  'event pegout_transaction_created(bytes32 indexed btcTxHash, bytes utxoOutpointValues)',
  'event union_bridge_locking_cap_increased(address indexed caller, uint256 previous, uint256 cap)',
  'event union_bridge_transfer_permissions_updated(address indexed caller, bool mayRequest, bool mayRelease)',
  'event union_rbtc_requested(address indexed requester, uint256 amount)',
  'event union_rbtc_released(address indexed releaser, uint256 amount)',
] as const;

/** The logs of REMASC are not in the ABI. */
const REMASC = ['function processMinersFees()'] as const;

const HD_WALLET_UTILS = [
  'function toBase58Check(bytes hash, int256 version) view returns (string)',
  'function deriveExtendedPublicKey(string key, string path) view returns (string)',
  'function extractPublicKeyFromExtendedPublicKey(string key) view returns (bytes)',
  'function getMultisigScriptHash(int256 required, bytes[] keys) view returns (bytes)',
] as const;

const BLOCK_HEADER = [
  'function getCoinbaseAddress(int256 depth) view returns (bytes)',
  'function getBlockHash(int256 depth) view returns (bytes)',
  'function getMergedMiningTags(int256 depth) view returns (bytes)',
  'function getMinGasPrice(int256 depth) view returns (bytes)',
  'function getGasLimit(int256 depth) view returns (bytes)',
  'function getGasUsed(int256 depth) view returns (bytes)',
  'function getDifficulty(int256 depth) view returns (bytes)',
  'function getBitcoinHeader(int256 depth) view returns (bytes)',
  'function getDifficultyWithUncles(int256 depth) view returns (bytes)',
  'function getCumulativeWork(int256 depth) view returns (bytes)',
  'function getUncleCoinbaseAddress(int256 depth, int256 index) view returns (bytes)',
] as const;

const ENVIRONMENT = ['function getCallStackDepth() view returns (uint32)'] as const;

/** Functions and events by contract address. */
export const ROOTSTOCK_FUNCTIONS = {
  '0x0000000000000000000000000000000001000006': BRIDGE,
  '0x0000000000000000000000000000000001000008': REMASC,
  '0x0000000000000000000000000000000001000009': HD_WALLET_UTILS,
  '0x0000000000000000000000000000000001000010': BLOCK_HEADER,
  '0x0000000000000000000000000000000001000011': ENVIRONMENT,
} as const;

/** The function that a call without data runs, by contract address. */
export const FUNCTION_WITHOUT_DATA: Readonly<Record<string, string>> = {
  '0x0000000000000000000000000000000001000006': 'releaseBtc',
};

/** The names of rskj for the numbers of `reason`, by event. The first name has the number 1. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  rejected_pegin: [
    'PEGIN_CAP_SURPASSED',
    'LEGACY_PEGIN_MULTISIG_SENDER',
    'LEGACY_PEGIN_UNDETERMINED_SENDER',
    'PEGIN_V1_INVALID_PAYLOAD',
    'INVALID_AMOUNT',
  ],
  unrefundable_pegin: [
    'LEGACY_PEGIN_UNDETERMINED_SENDER',
    'PEGIN_V1_REFUND_ADDRESS_NOT_SET',
    'INVALID_AMOUNT',
    'OUTPUTS_SENT_TO_DIFFERENT_TYPES_OF_FEDS',
  ],
  release_request_rejected: ['LOW_AMOUNT', 'CALLER_CONTRACT', 'FEE_ABOVE_VALUE'],
};

/** Adds the names of the Bridge's reasons to a decoded event. */
export function withReasonNames(event: DecodedEntry): DecodedEntry {
  const reasons = REASONS[event.name];
  if (reasons === undefined) return event;
  const parameters = event.parameters.map((parameter) => {
    const meaning = parameter.name === 'reason' ? reasons[Number(parameter.value) - 1] : undefined;
    return meaning === undefined ? parameter : { ...parameter, meaning };
  });
  return { ...event, parameters };
}
