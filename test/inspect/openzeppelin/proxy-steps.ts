/** Proxies of each kind around one contract, with their upgrades and administrators. */

import { concatHex, getContractAddress, type Hex, zeroHash } from 'viem';
import { deploy, MINIMAL_PROXY, prepare, read, type Scene, type Step, send } from './scene.ts';

/** A kind of proxy and its implementation. `frames` are the frames of the proxy in a stack trace. */
function behind(proxy: string, frames: readonly string[]): Step[] {
  return [
    send(proxy, 'Counter.initialize(first: $admin)', ['$admin'], { events: ['Initialized(version: 1)'] }),
    send(proxy, 'Counter.initialize(first: $other)', ['$other'], {
      fails: 'InvalidInitialization()',
      frames: ['Counter.initializer', 'Counter.initialize', ...frames],
    }),
    send(proxy, 'Counter.add(step: 3)', [3n], {
      events: ['Changed(change: { by: $admin, step: 3 }, count: 3)'],
    }),
    send(proxy, 'Counter.add(step: -4)', [-4n], {
      fails: 'BelowZero(change: { by: $admin, step: -4 }, count: 3)',
      frames: ['Counter.add', ...frames],
    }),
    read(proxy, 'Counter.count()', [], { results: '3' }),
  ];
}

const delegated = (name: string): string[] => [
  `${name}._delegate`,
  `${name}._fallback`,
  `${name}.<fallback>`,
];

const UUPS: readonly Step[] = [
  deploy('target', 'new Counter()', []),
  deploy('second', 'new Counter()', []),
  deploy('factory', 'new Factory()', []),
  deploy('none', 'new ERC1967Proxy(implementation: $other, _data: 0x)', ['$other', '0x'], {
    fails: 'ERC1967InvalidImplementation(implementation: $other)',
  }),
  deploy('none', 'new ERC1967Proxy(implementation: $target, _data: 0x)', ['$target', '0x'], {
    value: 1n,
    fails: 'ERC1967NonPayable()',
  }),
  deploy('none', 'new ERC1967Proxy(implementation: $target, _data: 0x12345678)', ['$target', '0x12345678'], {
    fails: 'FailedCall()',
  }),
  deploy('proxy', 'new ERC1967Proxy(implementation: $target, _data: 0x)', ['$target', '0x'], {
    events: ['Upgraded(implementation: $target)'],
  }),
  ...behind('proxy', delegated('ERC1967Proxy')),
  prepare(async (scene) => {
    scene.names.set('addOne', scene.data('Counter', 'add', [1n]));
    scene.names.set('takeNine', scene.data('Counter', 'add', [-9n]));
  }),
  send('proxy', 'Counter.upgradeToAndCall(newImplementation: $second, data: 0x)', ['$second', '0x'], {
    from: 'other',
    fails: 'NotKeeper(caller: $other)',
  }),
  send('proxy', 'Counter.upgradeToAndCall(newImplementation: $factory, data: 0x)', ['$factory', '0x'], {
    fails: 'ERC1967InvalidImplementation(implementation: $factory)',
  }),
  send(
    'proxy',
    'Counter.upgradeToAndCall(newImplementation: $second, data: $takeNine)',
    ['$second', '$takeNine'],
    {
      fails: 'BelowZero(change: { by: $admin, step: -9 }, count: 3)',
    },
  ),
  send(
    'proxy',
    'Counter.upgradeToAndCall(newImplementation: $second, data: $addOne)',
    ['$second', '$addOne'],
    {
      events: ['Upgraded(implementation: $second)', 'Changed(change: { by: $admin, step: 1 }, count: 4)'],
    },
  ),
  send('target', 'Counter.upgradeToAndCall(newImplementation: $second, data: 0x)', ['$second', '0x'], {
    fails: 'UUPSUnauthorizedCallContext()',
  }),
  read('proxy', 'Counter.proxiableUUID()', [], { fails: 'UUPSUnauthorizedCallContext()' }),
];

const TRANSPARENT: readonly Step[] = [
  deploy(
    'none',
    'new TransparentUpgradeableProxy(_logic: $target, initialOwner: $zero, _data: 0x)',
    ['$target', '$zero', '0x'],
    { fails: 'OwnableInvalidOwner(owner: $zero)' },
  ),
  // The proxy creates its administrator.
  prepare(async (scene) => {
    const nonce = (await scene.call('eth_getTransactionCount', [scene.filled('$admin'), 'latest'])) as Hex;
    const transparent = getContractAddress({ from: scene.filled('$admin') as Hex, nonce: BigInt(nonce) });
    scene.names.set('manager', getContractAddress({ from: transparent, nonce: 1n }));
  }),
  deploy(
    'transparent',
    'new TransparentUpgradeableProxy(_logic: $target, initialOwner: $admin, _data: 0x)',
    ['$target', '$admin', '0x'],
    {
      events: [
        'Upgraded(implementation: $target)',
        'OwnershipTransferred(previousOwner: $zero, newOwner: $admin)',
        'AdminChanged(previousAdmin: $zero, newAdmin: $manager)',
      ],
    },
  ),
  // Its own fallback calls the fallback of all proxies.
  ...behind('transparent', [
    'TransparentUpgradeableProxy._delegate',
    'TransparentUpgradeableProxy._fallback',
    'TransparentUpgradeableProxy._fallback',
    'TransparentUpgradeableProxy.<fallback>',
  ]),
  send(
    'manager',
    'ProxyAdmin.upgradeAndCall(proxy: $transparent, implementation: $second, data: 0x)',
    ['$transparent', '$second', '0x'],
    { from: 'other', fails: 'OwnableUnauthorizedAccount(account: $other)' },
  ),
  send(
    'manager',
    'ProxyAdmin.upgradeAndCall(proxy: $transparent, implementation: $other, data: 0x)',
    ['$transparent', '$other', '0x'],
    { fails: 'ERC1967InvalidImplementation(implementation: $other)' },
  ),
  send(
    'manager',
    'ProxyAdmin.upgradeAndCall(proxy: $transparent, implementation: $second, data: $addOne)',
    ['$transparent', '$second', '$addOne'],
    {
      events: ['Upgraded(implementation: $second)', 'Changed(change: { by: $manager, step: 1 }, count: 4)'],
    },
  ),
];

const BEACON: readonly Step[] = [
  deploy(
    'none',
    'new UpgradeableBeacon(implementation_: $other, initialOwner: $admin)',
    ['$other', '$admin'],
    {
      fails: 'BeaconInvalidImplementation(implementation: $other)',
    },
  ),
  deploy(
    'beacon',
    'new UpgradeableBeacon(implementation_: $target, initialOwner: $admin)',
    ['$target', '$admin'],
    {
      events: [
        'OwnershipTransferred(previousOwner: $zero, newOwner: $admin)',
        'Upgraded(implementation: $target)',
      ],
    },
  ),
  deploy('none', 'new BeaconProxy(beacon: $other, data: 0x)', ['$other', '0x'], {
    fails: 'ERC1967InvalidBeacon(beacon: $other)',
  }),
  deploy('beaconProxy', 'new BeaconProxy(beacon: $beacon, data: 0x)', ['$beacon', '0x'], {
    events: ['BeaconUpgraded(beacon: $beacon)'],
  }),
  ...behind('beaconProxy', delegated('BeaconProxy')),
  send('beacon', 'UpgradeableBeacon.upgradeTo(newImplementation: $second)', ['$second'], {
    from: 'other',
    fails: 'OwnableUnauthorizedAccount(account: $other)',
  }),
  send('beacon', 'UpgradeableBeacon.upgradeTo(newImplementation: $third)', ['$third'], {
    fails: 'BeaconInvalidImplementation(implementation: $third)',
  }),
  send('beacon', 'UpgradeableBeacon.upgradeTo(newImplementation: $second)', ['$second'], {
    events: ['Upgraded(implementation: $second)'],
  }),
];

/** Stores the address of the next minimal proxy in `$clone`. */
async function nameClone(scene: Scene): Promise<void> {
  const target = scene.filled('$target') as Hex;
  const bytecode = concatHex([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    target,
    '0x5af43d82803e903d91602b57fd5bf3',
  ]);
  const from = scene.filled('$factory') as Hex;
  scene.names.set('clone', getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode }));
}

const CLONES: readonly Step[] = [
  prepare(nameClone),
  send('factory', `Factory.clone(implementation: $target, salt: ${zeroHash})`, ['$target', zeroHash], {
    events: ['Cloned(clone: $clone)'],
  }),
  send('factory', `Factory.clone(implementation: $target, salt: ${zeroHash})`, ['$target', zeroHash], {
    fails: 'FailedDeployment()',
  }),
  ...behind('clone', [MINIMAL_PROXY]),
];

export const PROXY_STEPS: readonly Step[] = [...UUPS, ...TRANSPARENT, ...BEACON, ...CLONES];
