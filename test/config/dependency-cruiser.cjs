// The modules of src from top to bottom. A module may import from itself and from the modules below it.
const MODULES = [
  'library',
  'cli',
  'start',
  'node',
  'log',
  'config',
  'server',
  'rpc',
  'bundler',
  'persistence',
  'fork',
  'reports',
  'inspect',
  'artifacts',
  'chain',
  'storage',
  'history',
  'execution',
  'reference',
  'rootstock',
  'evm',
  'wire',
  'protocol',
  'state',
  'wallet',
  'json',
  'scheduling',
  'primitives',
];

// The entry of a thread creates an engine, as node/open-node.ts does in the main thread.
const THREAD_ENTRIES = '^src/evm/javascript-tracer/thread[.]ts$';

// The modules that may divide their work into time slices. The lower modules offer steps (primitives/steps.ts), and
// their callers run the steps. The reference engine implements the interface of engines, which can be interrupted.
const SLICED = [
  'node',
  'log',
  'server',
  'rpc',
  'bundler',
  'persistence',
  'fork',
  'reports',
  'inspect',
  'artifacts',
  'chain',
  'storage',
  'history',
  'execution',
  'reference',
  'evm',
  'scheduling',
];

const arrowRules = MODULES.slice(1).map((module, index) => ({
  name: `no-upward-import-from-${module}`,
  comment: `src/${module} may import only from itself and from the modules below it.`,
  severity: 'error',
  from: { path: `^src/${module}/`, pathNot: THREAD_ENTRIES },
  to: { path: `^src/(?:${MODULES.slice(0, index + 1).join('|')})/` },
}));

// The layers of large modules from top to bottom. A file may import from its own layer and from the layers below it. Each layer
// has a pattern for the part of a path after the module.
const LAYERS = {
  // The parts of the chain lie above its core, which everything of one chain shares; the leaves of the core lie below it.
  chain: [
    ['chain', 'chain[.]ts$'],
    ['state-writes', 'state-writes[.]ts$'],
    ['execution', 'execution/'],
    ['mining', 'mining/'],
    ['snapshots', 'snapshots/'],
    ['filters', 'filters/'],
    ['core', '(?:chain-core|mining-controls|final-blocks)[.]ts$'],
    ['pool', 'pool/'],
    ['blobs', 'blobs[.]ts$'],
    ['settings', 'settings/'],
    ['genesis', 'genesis/'],
    ['leaves', '(?:errors|block-selector|call-environment|changes|live-parent-chain)[.]ts$'],
  ],
  // Methods import the code that finds and writes their results. The codecs of parameters import neither.
  rpc: [
    ['service', '(?:rpc-service|request-context)[.]ts$'],
    ['table', '(?:method-(?:finder|table)|registry|usual-methods)[.]ts$'],
    ['methods', 'methods/'],
    ['fork', 'fork/'],
    [
      'answers',
      '(?:(?:block|log|execution)-answers|attach-debugger|(?:decoded-)?traces|trace-(?:decoding|timeout)|executions|transaction-request|sending|signed-bundles|user-artifacts|local-paths|discovery|method-examples)[.]ts$|examples/|views/(?!pool[.])|beacon/',
    ],
    ['definition', 'method[.]ts$'],
    [
      'context',
      '(?:(?:lanes|pegs)/[a-z]+|rpc-node|rpc-context|result-shapes|request-check|call-batches)[.]ts$',
    ],
    ['compat', '(?:compat|compat-errors|hardhat-failures|anvil-halts)[.]ts$|views/pool[.]ts$'],
    ['codecs', 'codecs/'],
    [
      'leaves',
      '(?:peers|errors|connection|activity|chain-notifications|served-addresses|hint-streams)[.]ts$',
    ],
  ],
  // Both engines run on the rules of messages, the precompiles and the tracers; all of them know an engine by its interface.
  evm: [
    ['javascript-tracer', 'javascript-tracer/'],
    ['interpreter', 'interpreter/(?!generated/)'],
    ['messages', '(?:admission|authorizations)[.]ts$'],
    ['kzg', 'kzg/'],
    ['precompiles', 'precompiles/'],
    ['tracers', 'tracers/'],
    [
      'engine',
      '(?:engine|errors|observer|own-storage|console|execution-counts|frame-recorder|halt-reasons|signers|revert-reason)[.]ts$',
    ],
    ['generated', 'interpreter/generated/'],
  ],
  // The option table is above the definitions of options, and below the code that reads options.
  config: [
    ['help', 'help-topics[.]ts$'],
    [
      'reading',
      '(?:commands|forking|ganache-flags|local-options|node-settings|option-checks|option-values|project-compat|usage-messages)[.]ts$',
    ],
    ['table', 'options[.]ts$'],
    ['groups', 'options/'],
    ['definition', '(?:option-definition|value-form)[.]ts$'],
    ['leaves', '(?:errors|url-variables)[.]ts$'],
  ],
};

const anyOf = (layers) => layers.map(([, path]) => path).join('|');

const layerRules = Object.entries(LAYERS).flatMap(([module, layers]) => [
  ...layers.slice(1).map(([layer, path], index) => ({
    name: `no-upward-import-from-${module}-${layer}`,
    comment: `The layer ${layer} of src/${module} may import only from itself and from the layers below it.`,
    severity: 'error',
    from: { path: `^src/${module}/(?:${path})` },
    to: { path: `^src/${module}/(?:${anyOf(layers.slice(0, index + 1))})` },
  })),
  {
    name: `known-${module}-layers-only`,
    comment: `A new folder or file of src/${module} must get its place in the list of its layers.`,
    severity: 'error',
    from: {},
    to: { path: `^src/${module}/`, pathNot: `^src/${module}/(?:${anyOf(layers)})` },
  },
]);

module.exports = {
  forbidden: [
    ...arrowRules,
    ...layerRules,
    {
      name: 'known-modules-only',
      comment: 'A new folder of src must be added to the list of modules.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(?:(?:index|viem)[.]ts$|(?:${MODULES.join('|')})/)` },
    },
    {
      name: 'nothing-imports-the-index',
      comment: 'The library entries are for users of the package.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/(?:index|viem)[.]ts$' },
    },
    {
      name: 'library-without-the-command',
      comment:
        'The library shares the options (config) with the command, not its terminal, files and signals.',
      severity: 'error',
      from: { path: '^src/(?:(?:index|viem)[.]ts$|library/)' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'command-opens-nodes-through-node',
      comment:
        'The command and the library open and serve nodes by node/ only, so that every option reaches both.',
      severity: 'error',
      from: { path: '^src/(?:cli|library)/' },
      to: {
        path: '^src/(?:server/(?:server|metrics|get-requests)|rpc/(?:rpc-service|activity)|log/(?:chain-watch|rejection-notices|revert-code-notice))[.]ts$',
      },
    },
    {
      name: 'browser-entries-without-node',
      comment:
        'Browsers load the entries viem and lanes, so that no file behind them may use a global or module of Node.',
      severity: 'error',
      from: { path: '^src/(?:viem|library/lanes)[.]ts$' },
      to: {
        pathNot:
          '^src/(?:viem[.]ts|chain/genesis/predeploy-addresses[.]ts|library/lanes[.]ts|library/runners/(?:answers|local-nodes|test-lane)[.]ts|fork/upstream/blocked-port[.]ts)$',
        reachable: true,
      },
    },
    {
      name: 'scheduling-in-some-modules-only',
      comment: 'Other modules offer steps, and their callers yield between the steps.',
      severity: 'error',
      // The warm-up of a start shares the event loop with the first requests.
      from: { path: '^src/', pathNot: `^src/(?:(?:${SLICED.join('|')})/|start/warm-up[.]ts$)` },
      to: { path: '^src/scheduling/' },
    },
    {
      name: 'loader-without-the-program',
      comment:
        'Each start compiles the loader without a cache, so it contains only start/ and modules of Node.',
      severity: 'error',
      from: { path: '^src/start/', pathNot: '^src/start/(?:warm-up|memory-connection)[.]ts$' },
      to: {
        path: '^src/',
        pathNot: '^src/start/(?!(?:warm-up|memory-connection)[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'ethereumjs-in-the-reference-engine-only',
      comment: 'It is heavy and slow: everything else works with our own types.',
      severity: 'error',
      from: { pathNot: '^src/reference/' },
      to: { path: '@ethereumjs/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-test-code',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(?:test|fixtures)/' },
    },
    {
      name: 'no-dead-files',
      comment: 'Neither the command nor a library entry needs the file.',
      severity: 'error',
      from: {
        path: '^src/(?:start/start|cli/main|cli/signal-guard-thread|cli/typescript-hooks|index|viem|library/lanes|library/runners/(?:vitest|jest|mocha|node-test|playwright|hardhat)[^/]*|evm/javascript-tracer/thread)[.]ts$',
      },
      to: {
        path: '^src/',
        pathNot:
          '^src/(?:start/start|cli/main|cli/signal-guard-thread|cli/typescript-hooks|index|viem|library/lanes|library/runners/(?:vitest|jest|mocha|node-test|playwright|hardhat)[^/]*|evm/javascript-tracer/thread)[.]ts$',
        reachable: false,
      },
    },
  ],
  options: {
    doNotFollow: { path: '(?:^|/)node_modules/' },
    // These are no part of the program: the source that is compiled to WebAssembly, the scripts of the build, and the
    // types of the platform.
    exclude: { path: '^src/(?:evm/interpreter/assembly/|build/|explorer/|.*[.]d[.]ts$)' },
    // Imports of types count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
