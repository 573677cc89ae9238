/** Widely used interfaces. Values decoded with them instead of the contract's ABI are marked as guesses. */

import { type Abi, parseAbi } from 'abitype';
import { toHex } from '../primitives/hex.ts';
import { finish } from '../primitives/steps.ts';
import { type PrecompileName, precompileAddress } from '../protocol/hardforks/precompiles.ts';
import type { Log } from '../protocol/receipt.ts';
import { AbiTable, type DecodedEntry } from './decoding.ts';
import { FUNCTION_WITHOUT_DATA, ROOTSTOCK_FUNCTIONS, withReasonNames } from './rootstock-precompiles.ts';

/** The interfaces in Solidity syntax. Functions with the same selector appear once. */
const INTERFACES = [
  // ERC-20, ERC-2612
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  // ERC-721
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function getApproved(uint256 tokenId) view returns (address)',
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
  'function setApprovalForAll(address operator, bool approved)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function onERC721Received(address operator, address from, uint256 tokenId, bytes data) returns (bytes4)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  // ERC-1155
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event URI(string value, uint256 indexed id)',
  'function balanceOf(address account, uint256 id) view returns (uint256)',
  'function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  // ERC-4626
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
  'function asset() view returns (address)',
  'function totalAssets() view returns (uint256)',
  'function convertToShares(uint256 assets) view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function mint(uint256 shares, address receiver) returns (uint256 assets)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  // Errors of ERC-6093
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidSender(address sender)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721InvalidApprover(address approver)',
  'error ERC721InvalidOperator(address operator)',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'error ERC1155InvalidSender(address sender)',
  'error ERC1155InvalidReceiver(address receiver)',
  'error ERC1155MissingApprovalForAll(address operator, address owner)',
  'error ERC1155InvalidApprover(address approver)',
  'error ERC1155InvalidOperator(address operator)',
  'error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)',
  // Errors of OpenZeppelin's contracts
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error AccessControlBadConfirmation()',
  'error AccessManagedUnauthorized(address caller)',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error ReentrancyGuardReentrantCall()',
  'error SafeERC20FailedOperation(address token)',
  'error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)',
  'error InvalidInitialization()',
  'error NotInitializing()',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
  'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
  'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
  'error ERC20ExceededCap(uint256 increasedSupply, uint256 cap)',
  'error ERC20InvalidCap(uint256 cap)',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error FailedInnerCall()',
  'error FailedDeployment()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error ERC1967InvalidImplementation(address implementation)',
  'error ERC1967InvalidAdmin(address admin)',
  'error ERC1967InvalidBeacon(address beacon)',
  'error ERC1967NonPayable()',
  'error UUPSUnauthorizedCallContext()',
  'error UUPSUnsupportedProxiableUUID(bytes32 slot)',
  'error ProxyDeniedAdminAccess()',
  'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
  'error StringsInsufficientHexLength(uint256 value, uint256 length)',
  // Ownable and proxies
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event Upgraded(address indexed implementation)',
  'event AdminChanged(address previousAdmin, address newAdmin)',
  'event BeaconUpgraded(address indexed beacon)',
  'event Initialized(uint64 version)',
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
  'function renounceOwnership()',
  'function implementation() view returns (address)',
  'function upgradeTo(address newImplementation)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
  // Multicall3
  'struct Call { address target; bytes callData; }',
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate(Call[] calls) payable returns (uint256 blockNumber, bytes[] returnData)',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[] returnData)',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
  'function aggregate3Value(Call3Value[] calls) payable returns (Result[] returnData)',
  'function blockAndAggregate(Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)',
  'function tryBlockAndAggregate(bool requireSuccess, Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)',
  'function getBasefee() view returns (uint256 basefee)',
  'function getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)',
  'function getBlockNumber() view returns (uint256 blockNumber)',
  'function getChainId() view returns (uint256 chainid)',
  'function getCurrentBlockCoinbase() view returns (address coinbase)',
  'function getCurrentBlockGasLimit() view returns (uint256 gaslimit)',
  'function getCurrentBlockTimestamp() view returns (uint256 timestamp)',
  'function getEthBalance(address addr) view returns (uint256 balance)',
  'function getLastBlockHash() view returns (bytes32 blockHash)',
  // Permit2
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function permit(address owner, PermitSingle permitSingle, bytes signature)',
  'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes signature)',
  'function transferFrom(address from, address to, uint160 amount, address token)',
  'error AllowanceExpired(uint256 deadline)',
  'error InsufficientAllowance(uint256 amount)',
  'error InvalidNonce()',
  'error SignatureExpired(uint256 signatureDeadline)',
  // CreateX
  'event ContractCreation(address indexed newContract, bytes32 indexed salt)',
  'event ContractCreation(address indexed newContract)',
  'event Create3ProxyContractCreation(address indexed newContract, bytes32 indexed salt)',
  'function deployCreate(bytes initCode) payable returns (address newContract)',
  'function deployCreate2(bytes32 salt, bytes initCode) payable returns (address newContract)',
  'function deployCreate2(bytes initCode) payable returns (address newContract)',
  'function deployCreate3(bytes32 salt, bytes initCode) payable returns (address newContract)',
  'function deployCreate3(bytes initCode) payable returns (address newContract)',
  'error FailedContractCreation(address emitter)',
  'error InvalidSalt(address emitter)',
  // EntryPoint 0.7 (ERC-4337)
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function handleOps(PackedUserOperation[] ops, address beneficiary)',
  'struct UserOpsPerAggregator { PackedUserOperation[] userOps; address aggregator; bytes signature; }',
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function handleAggregatedOps(UserOpsPerAggregator[] opsPerAggregator, address beneficiary)',
  'function getUserOpHash(PackedUserOperation userOp) view returns (bytes32)',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
  'function addStake(uint32 unstakeDelaySec) payable',
  'function unlockStake()',
  'function withdrawStake(address withdrawAddress)',
  'function withdrawTo(address withdrawAddress, uint256 withdrawAmount)',
  'function incrementNonce(uint192 key)',
  'function getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'function depositTo(address account) payable',
  'function validateUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)',
  'event BeforeExecution()',
  'event Deposited(address indexed account, uint256 totalDeposit)',
  'event Withdrawn(address indexed account, address withdrawAddress, uint256 amount)',
  'event StakeLocked(address indexed account, uint256 totalStaked, uint256 unstakeDelaySec)',
  'event SignatureAggregatorChanged(address indexed aggregator)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event UserOperationPrefundTooLow(bytes32 indexed userOpHash, address indexed sender, uint256 nonce)',
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
] as const;

/** The names of precompiles in call trees. */
const PRECOMPILE_NAMES: Readonly<Record<PrecompileName, string>> = {
  BRIDGE: 'Bridge',
  REMASC: 'Remasc',
  HD_WALLET_UTILS: 'HDWalletUtils',
  BLOCK_HEADER: 'BlockHeader',
  ENVIRONMENT: 'Environment',
  SECP256K1_ADD: 'secp256k1Add',
  SECP256K1_MUL: 'secp256k1Mul',
  ECREC: 'ecrecover',
  SHA256: 'sha256',
  RIPEMD160: 'ripemd160',
  ID: 'identity',
  MODEXP: 'modexp',
  BN254_ADD: 'bn254Add',
  BN254_MUL: 'bn254Mul',
  BN254_PAIRING: 'bn254Pairing',
  BLAKE2F: 'blake2f',
  KZG_POINT_EVALUATION: 'pointEvaluation',
  BLS12_G1ADD: 'bls12G1Add',
  BLS12_G1MSM: 'bls12G1Msm',
  BLS12_G2ADD: 'bls12G2Add',
  BLS12_G2MSM: 'bls12G2Msm',
  BLS12_PAIRING_CHECK: 'bls12PairingCheck',
  BLS12_MAP_FP_TO_G1: 'bls12MapFpToG1',
  BLS12_MAP_FP2_TO_G2: 'bls12MapFp2ToG2',
  P256VERIFY: 'p256Verify',
};

/**
 * The members of the federation of a local chain. Their names are the seeds of their public keys, as in
 * `rootstock/federate/federate-members.ts`.
 */
const MEMBER_NAMES = [
  ['0x6b045752f4d650a510a353bbf7e52988331e7f5b', 'federator1'],
  ['0x85845342b0d5260d516d6da5280a7df9a96d1925', 'federator2'],
  ['0x138161cda86b55c0de1bc3a0adef974633c85fbe', 'federator3'],
] as const;

/** Contracts with the same address on all chains, precompiles, and the members of the federation. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...MEMBER_NAMES,
  ['0x4e59b44847b379578588920ca78fbf26c0b4956c', 'CREATE2 deployer'],
  ['0xca11bde05977b3631167028862be2a173976ca11', 'Multicall3'],
  ['0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed', 'CreateX'],
  ['0x000000000022d473030f116ddee9f6b43ac78ba3', 'Permit2'],
  ['0x0000000071727de22e5e9d8baf0edac6f37da032', 'EntryPoint'],
  ['0x000000000000000000636f6e736f6c652e6c6f67', 'console'],
  ...Object.entries(PRECOMPILE_NAMES).map(([name, label]): [string, string] => [
    toHex(precompileAddress(name as PrecompileName)),
    label,
  ]),
]);

const ROOTSTOCK_ABIS: readonly (readonly [address: string, abi: Abi])[] = Object.entries(
  ROOTSTOCK_FUNCTIONS,
).map(([address, entries]) => [address, parseAbi(entries)]);

const ABI: Abi = [...parseAbi(INTERFACES), ...ROOTSTOCK_ABIS.flatMap(([, abi]) => abi)];

/** A precompiled contract of Rootstock with methods. */
export interface RootstockPrecompile {
  readonly table: AbiTable;
  /** Returns the name of the method that this call data selects; `null` for none. */
  functionNameOf(data: Uint8Array): string | null;
  /** Decodes a log of the contract; `null` if no event fits. */
  event(log: Pick<Log, 'topics' | 'data'>): DecodedEntry | null;
}

const NATIVE: ReadonlyMap<string, RootstockPrecompile> = new Map(
  ROOTSTOCK_ABIS.map(([address, abi]) => {
    const table = finish(AbiTable.read(abi, []));
    const functionNameOf = (data: Uint8Array): string | null =>
      data.length === 0 ? (FUNCTION_WITHOUT_DATA[address] ?? null) : (table.functionOf(data)?.name ?? null);
    const event = (log: Pick<Log, 'topics' | 'data'>): DecodedEntry | null => {
      const decoded = table.event(log);
      return decoded === null ? null : withReasonNames(decoded);
    };
    return [address, { table, functionNameOf, event }];
  }),
);

/** Returns Rootstock's precompiled contract with methods at an address (`0x` and digits); `null` for none. */
export function rootstockPrecompileAt(address: string): RootstockPrecompile | null {
  return NATIVE.get(address) ?? null;
}

/** Names by address, and ABI entries by selector. */
export const wellKnown = {
  abi: ABI,
  table: finish(AbiTable.read(ABI, [])),
  /** Returns the name of the contract at this address; `null` for none. */
  nameAt: (address: string): string | null => NAMES.get(address) ?? null,
} as const;
