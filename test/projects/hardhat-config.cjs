// Wraps the config of a project. Its suite then runs on the node of PROJECTS_URL, with compilers of the npm
// package solc and the reporter of this folder.
const { existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const REPORTER = join(__dirname, 'mocha-reporter.cjs');
/** Milliseconds. Hardhat's node needs more than the default of 40 s for the largest requests on a busy machine. */
const TIMEOUT = 600_000;
/** Settings that a network over HTTP does not have. */
const ONLY_IN_PROCESS = new Set([
  ...['accounts', 'chains', 'coinbase', 'enableRip7212', 'enableTransientStorage', 'forking', 'hardfork'],
  ...[
    'initialBaseFeePerGas',
    'initialDate',
    'loggingEnabled',
    'minGasPrice',
    'mining',
    'throwOnCallFailures',
  ],
  ...['throwOnTransactionFailures', 'type', 'gas', 'gasPrice'],
]);

const url = process.env.PROJECTS_URL ?? 'http://127.0.0.1:8545';

/** The file of a JavaScript compiler. Throws if it is not installed. */
function compilerOf(version) {
  const path = join(process.env.PROJECTS_COMPILERS, 'node_modules', `solc-${version}`, 'soljson.js');
  if (!existsSync(path)) throw new Error(`solc ${version} is not installed: ${path}`);
  return path;
}

const mochaOptions = (own) => ({
  ...own,
  reporter: REPORTER,
  parallel: false,
  bail: false,
  timeout: TIMEOUT,
});

function sharedSettings(network) {
  const entries = Object.entries(network ?? {}).filter(([name]) => !ONLY_IN_PROCESS.has(name));
  return Object.fromEntries(entries);
}

/** Writes a value as JSON, with big integers as strings. */
function writeSettings(value) {
  const text = JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? `${field}` : field));
  writeFileSync(process.env.PROJECTS_SETTINGS, text);
}

/** Config of a Hardhat 2 project. */
exports.wrapHardhat2 = (loaded, { subtask, task }) => {
  const own = loaded.default ?? loaded;
  subtask('compile:solidity:solc:get-build').setAction(async ({ solcVersion }) => ({
    compilerPath: compilerOf(solcVersion),
    isSolcJs: true,
    version: solcVersion,
    longVersion: require(`${compilerOf(solcVersion).slice(0, -'soljson.js'.length)}package.json`).version,
  }));
  task('projects:settings', async (_, { config }) => {
    const {
      chains: _chains,
      forking: _forking,
      minGasPrice: _price,
      // Hardhat resolves it to the time of the compilation.
      initialDate: _date,
      ...resolved
    } = config.networks.hardhat;
    const network = { ...resolved, initialDate: own.networks?.hardhat?.initialDate };
    const { compilers, overrides } = config.solidity;
    const versions = [...compilers, ...Object.values(overrides)].map(({ version }) => version);
    writeSettings({ network, versions, paths: config.paths });
  });
  const { hardhat, localhost } = own.networks ?? {};
  const { forking: _forking, ...inProcess } = hardhat ?? {};
  const overHttp = { ...sharedSettings(hardhat), ...localhost, url, timeout: TIMEOUT, accounts: 'remote' };
  return {
    ...own,
    networks: { ...own.networks, hardhat: inProcess, localhost: overHttp },
    mocha: mochaOptions(own.mocha),
    gasReporter: { ...own.gasReporter, enabled: false },
  };
};

/** Config of a Hardhat 3 project. */
exports.wrapHardhat3 = (own) => {
  const versions = [];
  const withCompiler = (solidity) => {
    if (typeof solidity === 'string') return withCompiler({ version: solidity });
    if (Array.isArray(solidity)) return { compilers: solidity.map((version) => withCompiler({ version })) };
    const { profiles, compilers, overrides, version, ...settings } = solidity;
    const each = (entries) =>
      entries &&
      Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, withCompiler(entry)]));
    if (version !== undefined) versions.push(version);
    return {
      ...settings,
      ...(version && {
        version,
        ...(process.env.PROJECTS_SETTINGS === undefined && { path: compilerOf(version) }),
      }),
      ...(profiles && { profiles: each(profiles) }),
      ...(compilers && { compilers: compilers.map(withCompiler) }),
      ...(overrides && { overrides: each(overrides) }),
    };
  };
  const solidity = withCompiler(own.solidity);
  if (process.env.PROJECTS_SETTINGS !== undefined) writeSettings({ versions });
  return {
    ...own,
    solidity,
    networks: { ...own.networks, localhost: { type: 'http', url, timeout: TIMEOUT } },
    test: { ...own.test, mocha: mochaOptions(own.test?.mocha) },
  };
};
