/** ERC-721, ERC-1155, ERC-4626 and a vesting wallet. */

import { keccak256, toHex } from 'viem';
import { deploy, read, type Step, send } from './scene.ts';

const MINTER = keccak256(toHex('MINTER'));

const DEEDS: readonly Step[] = [
  deploy('none', 'new Deeds(owner: $zero)', ['$zero'], {
    fails: 'OwnableInvalidOwner(owner: $zero)',
    frames: ['Ownable.constructor', 'Deeds.constructor'],
  }),
  deploy('deeds', 'new Deeds(owner: $admin)', ['$admin'], {
    events: ['OwnershipTransferred(previousOwner: $zero, newOwner: $admin)'],
  }),
  send('deeds', 'Deeds.mint(to: $admin, id: 1)', ['$admin', 1n], {
    events: ['Transfer(from: $zero, to: $admin, tokenId: 1)'],
  }),
  send('deeds', 'Deeds.mint(to: $admin, id: 1)', ['$admin', 1n], {
    fails: 'ERC721InvalidSender(sender: $zero)',
  }),
  send('deeds', 'Deeds.mint(to: $zero, id: 2)', ['$zero', 2n], {
    fails: 'ERC721InvalidReceiver(receiver: $zero)',
  }),
  send('deeds', 'Deeds.mint(to: $deeds, id: 2)', ['$deeds', 2n], {
    fails: 'ERC721InvalidReceiver(receiver: $deeds)',
  }),
  send('deeds', 'Deeds.mint(to: $other, id: 2)', ['$other', 2n], {
    from: 'other',
    fails: 'OwnableUnauthorizedAccount(account: $other)',
    frames: ['Deeds._checkOwner', 'Deeds.onlyOwner', 'Deeds.mint'],
  }),
  read('deeds', 'Deeds.ownerOf(tokenId: 1)', [1n], { results: '$admin' }),
  read('deeds', 'Deeds.ownerOf(tokenId: 2)', [2n], { fails: 'ERC721NonexistentToken(tokenId: 2)' }),
  read('deeds', 'Deeds.balanceOf(owner: $zero)', ['$zero'], { fails: 'ERC721InvalidOwner(owner: $zero)' }),
  read('deeds', 'Deeds.tokenByIndex(index: 5)', [5n], {
    fails: 'ERC721OutOfBoundsIndex(owner: $zero, index: 5)',
  }),
  read('deeds', 'Deeds.tokenOfOwnerByIndex(owner: $admin, index: 0)', ['$admin', 0n], { results: '1' }),
  read('deeds', 'Deeds.tokenURI(tokenId: 1)', [1n], { results: '""' }),
  send('deeds', 'Deeds.approve(to: $other, tokenId: 1)', ['$other', 1n], {
    from: 'third',
    fails: 'ERC721InvalidApprover(approver: $third)',
  }),
  send('deeds', 'Deeds.transferFrom(from: $admin, to: $other, tokenId: 1)', ['$admin', '$other', 1n], {
    from: 'third',
    fails: 'ERC721InsufficientApproval(operator: $third, tokenId: 1)',
  }),
  send('deeds', 'Deeds.transferFrom(from: $other, to: $third, tokenId: 1)', ['$other', '$third', 1n], {
    fails: 'ERC721IncorrectOwner(sender: $other, tokenId: 1, owner: $admin)',
    frames: ['Deeds.transferFrom'],
  }),
  send('deeds', 'Deeds.setApprovalForAll(operator: $zero, approved: true)', ['$zero', true], {
    fails: 'ERC721InvalidOperator(operator: $zero)',
  }),
  send('deeds', 'Deeds.setApprovalForAll(operator: $other, approved: true)', ['$other', true], {
    events: ['ApprovalForAll(owner: $admin, operator: $other, approved: true)'],
  }),
  send('deeds', 'Deeds.approve(to: $third, tokenId: 1)', ['$third', 1n], {
    events: ['Approval(owner: $admin, approved: $third, tokenId: 1)'],
  }),
  send(
    'deeds',
    'Deeds.safeTransferFrom(from: $admin, to: $other, tokenId: 1, data: 0x1234)',
    ['$admin', '$other', 1n, '0x1234'],
    { from: 'third', events: ['Transfer(from: $admin, to: $other, tokenId: 1)'] },
  ),
  send('deeds', 'Deeds.transferOwnership(newOwner: $zero)', ['$zero'], {
    fails: 'OwnableInvalidOwner(owner: $zero)',
  }),
  send('deeds', 'Deeds.renounceOwnership()', [], {
    events: ['OwnershipTransferred(previousOwner: $admin, newOwner: $zero)'],
  }),
];

const ITEMS: readonly Step[] = [
  deploy('items', 'new Items(owner: $admin)', ['$admin'], {
    events: ['OwnershipTransferred(previousOwner: $zero, newOwner: $admin)'],
  }),
  send('items', 'Items.mintBatch(to: $other, ids: [1, 2], amounts: [5, 6])', ['$other', [1n, 2n], [5n, 6n]], {
    events: ['TransferBatch(operator: $admin, from: $zero, to: $other, ids: [1, 2], values: [5, 6])'],
  }),
  send('items', 'Items.mintBatch(to: $other, ids: [1], amounts: [1, 2])', ['$other', [1n], [1n, 2n]], {
    fails: 'ERC1155InvalidArrayLength(idsLength: 1, valuesLength: 2)',
  }),
  send('items', 'Items.mintBatch(to: $zero, ids: [1], amounts: [1])', ['$zero', [1n], [1n]], {
    fails: 'ERC1155InvalidReceiver(receiver: $zero)',
  }),
  send('items', 'Items.mintBatch(to: $items, ids: [1], amounts: [1])', ['$items', [1n], [1n]], {
    fails: 'ERC1155InvalidReceiver(receiver: $items)',
  }),
  send(
    'items',
    'Items.safeTransferFrom(from: $other, to: $third, id: 1, value: 9, data: 0x)',
    ['$other', '$third', 1n, 9n, '0x'],
    { from: 'other', fails: 'ERC1155InsufficientBalance(sender: $other, balance: 5, needed: 9, tokenId: 1)' },
  ),
  send(
    'items',
    'Items.safeTransferFrom(from: $other, to: $third, id: 1, value: 1, data: 0x)',
    ['$other', '$third', 1n, 1n, '0x'],
    { from: 'third', fails: 'ERC1155MissingApprovalForAll(operator: $third, owner: $other)' },
  ),
  send('items', 'Items.setApprovalForAll(operator: $zero, approved: true)', ['$zero', true], {
    fails: 'ERC1155InvalidOperator(operator: $zero)',
  }),
  send(
    'items',
    'Items.safeTransferFrom(from: $other, to: $third, id: 1, value: 2, data: 0xabcd)',
    ['$other', '$third', 1n, 2n, '0xabcd'],
    {
      from: 'other',
      events: ['TransferSingle(operator: $other, from: $other, to: $third, id: 1, value: 2)'],
    },
  ),
  send(
    'items',
    'Items.safeBatchTransferFrom(from: $other, to: $third, ids: [1, 2], values: [1, 6], data: 0x)',
    ['$other', '$third', [1n, 2n], [1n, 6n], '0x'],
    {
      from: 'other',
      events: ['TransferBatch(operator: $other, from: $other, to: $third, ids: [1, 2], values: [1, 6])'],
    },
  ),
  read(
    'items',
    'Items.balanceOfBatch(accounts: [$other, $third], ids: [1, 1])',
    [
      ['$other', '$third'],
      [1n, 1n],
    ],
    {
      results: '[2, 3]',
    },
  ),
  read('items', 'Items.uri(7)', [7n], { results: '"ipfs://items/{id}"' }),
];

const VAULT: readonly Step[] = [
  deploy('asset', 'new Shares(admin: $admin, cap: 1000)', ['$admin', 1000n], {
    events: [`RoleGranted(role: 0x${'00'.repeat(32)}, account: $admin, sender: $admin)`],
  }),
  send('asset', `Shares.grantRole(role: ${MINTER}, account: $admin)`, [MINTER, '$admin'], {
    events: [`RoleGranted(role: ${MINTER}, account: $admin, sender: $admin)`],
  }),
  send('asset', 'Shares.mint(to: $admin, amount: 100)', ['$admin', 100n], {
    events: ['Transfer(from: $zero, to: $admin, value: 100)'],
  }),
  deploy('vault', 'new Vault(asset: $asset)', ['$asset']),
  read('vault', 'Vault.asset()', [], { results: '$asset' }),
  send('vault', 'Vault.deposit(assets: 10, receiver: $admin)', [10n, '$admin'], {
    fails: 'ERC20InsufficientAllowance(spender: $vault, allowance: 0, needed: 10)',
  }),
  send('asset', 'Shares.approve(spender: $vault, value: 50)', ['$vault', 50n], {
    results: 'true',
    events: ['Approval(owner: $admin, spender: $vault, value: 50)'],
  }),
  send('vault', 'Vault.deposit(assets: 10, receiver: $admin)', [10n, '$admin'], {
    results: '10',
    events: [
      'Transfer(from: $admin, to: $vault, value: 10)',
      'Transfer(from: $zero, to: $admin, value: 10)',
      'Deposit(sender: $admin, owner: $admin, assets: 10, shares: 10)',
    ],
  }),
  read('vault', 'Vault.previewDeposit(assets: 5)', [5n], { results: '5' }),
  read('vault', 'Vault.maxWithdraw(owner: $admin)', ['$admin'], { results: '10' }),
  send('vault', 'Vault.withdraw(assets: 11, receiver: $other, owner: $admin)', [11n, '$other', '$admin'], {
    fails: 'ERC4626ExceededMaxWithdraw(owner: $admin, assets: 11, max: 10)',
  }),
  send('vault', 'Vault.redeem(shares: 11, receiver: $other, owner: $admin)', [11n, '$other', '$admin'], {
    fails: 'ERC4626ExceededMaxRedeem(owner: $admin, shares: 11, max: 10)',
  }),
  send('vault', 'Vault.withdraw(assets: 5, receiver: $other, owner: $admin)', [5n, '$other', '$admin'], {
    from: 'other',
    fails: 'ERC20InsufficientAllowance(spender: $other, allowance: 0, needed: 5)',
    frames: ['Vault._spendAllowance', 'Vault._withdraw', 'Vault.withdraw'],
  }),
  send('vault', 'Vault.withdraw(assets: 4, receiver: $other, owner: $admin)', [4n, '$other', '$admin'], {
    results: '4',
    events: [
      'Transfer(from: $admin, to: $zero, value: 4)',
      'Transfer(from: $vault, to: $other, value: 4)',
      'Withdraw(sender: $admin, receiver: $other, owner: $admin, assets: 4, shares: 4)',
    ],
  }),
];

const VESTING: readonly Step[] = [
  deploy('none', 'new Vesting(beneficiary: $zero, start: 1, duration: 100)', ['$zero', 1n, 100n], {
    fails: 'OwnableInvalidOwner(owner: $zero)',
    frames: ['Ownable.constructor', 'Vesting.constructor'],
  }),
  deploy('vesting', 'new Vesting(beneficiary: $other, start: 1, duration: 100)', ['$other', 1n, 100n], {
    events: ['OwnershipTransferred(previousOwner: $zero, newOwner: $other)'],
  }),
  send('asset', 'Shares.transfer(to: $vesting, value: 3)', ['$vesting', 3n], {
    results: 'true',
    events: ['Transfer(from: $admin, to: $vesting, value: 3)'],
  }),
  read('vesting', 'Vesting.releasable(token: $asset)', ['$asset'], { results: '3' }),
  send('vesting', 'Vesting.release(token: $asset)', ['$asset'], {
    events: ['ERC20Released(token: $asset, amount: 3)', 'Transfer(from: $vesting, to: $other, value: 3)'],
  }),
  send('vesting', 'Vesting.release()', [], { events: ['EtherReleased(amount: 0)'] }),
];

export const ASSETS_STEPS: readonly Step[] = [...DEEDS, ...ITEMS, ...VAULT, ...VESTING];
