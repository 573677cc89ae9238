import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { compileFunction } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

const EXTENSION = join(REPOSITORY, 'fixtures/editors/vscode');
const require = createRequire(import.meta.url);

interface AdapterCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

interface Settings {
  readonly path: string;
  readonly runtime: string;
}

const { adapterCommand } = require(join(EXTENSION, 'adapter.js')) as {
  adapterCommand(
    configuration: object,
    folder: string | null,
    settings: Settings,
    system: { readonly path: typeof posix; readonly exists: (path: string) => boolean },
  ): AdapterCommand;
};

const DEFAULTS: Settings = { path: '', runtime: 'node' };
const LAUNCH = { type: 'node-cli', request: 'launch', failure: 'last' };

function systemWith(path: typeof posix, ...files: readonly string[]) {
  return { path, exists: (file: string) => files.includes(file) };
}

describe('adapterCommand', () => {
  it('starts the node-cli of the workspace folder', () => {
    const program = '/code/app/node_modules/node-cli/bin/node-cli.js';
    expect(adapterCommand(LAUNCH, '/code/app', DEFAULTS, systemWith(posix, program))).toEqual({
      command: 'node',
      args: [program, 'debug', '--stdio'],
      cwd: '/code/app',
    });
  });

  it('finds the node-cli of a workspace above the folder', () => {
    const program = '/code/node_modules/node-cli/bin/node-cli.js';
    const { args } = adapterCommand(LAUNCH, '/code/packages/app', DEFAULTS, systemWith(posix, program));
    expect(args[0]).toBe(program);
  });

  it('starts the program of a Windows folder with Node', () => {
    const program = 'C:\\code\\app\\node_modules\\node-cli\\bin\\node-cli.js';
    const found = adapterCommand(LAUNCH, 'C:\\code\\app', DEFAULTS, systemWith(win32, program));
    expect(found).toEqual({ command: 'node', args: [program, 'debug', '--stdio'], cwd: 'C:\\code\\app' });
    const share = '\\\\server\\share\\app\\node_modules\\node-cli\\bin\\node-cli.js';
    const shared = adapterCommand(LAUNCH, '\\\\server\\share\\app', DEFAULTS, systemWith(win32, share));
    expect(shared.args[0]).toBe(share);
  });

  it('passes the URL of the node', () => {
    const system = systemWith(posix, '/app/node_modules/node-cli/bin/node-cli.js');
    const argsOf = (configuration: object) =>
      adapterCommand(configuration, '/app', DEFAULTS, system).args.slice(1);
    const url = 'http://127.0.0.1:1234';
    expect(argsOf({ ...LAUNCH, url })).toEqual(['debug', '--stdio', '--url', url]);
    expect(argsOf({ request: 'attach', url })).toEqual(['debug', '--stdio', '--url', url]);
    expect(argsOf({ request: 'attach' })).toEqual(['debug', '--stdio', '--url', 'http://127.0.0.1:8545']);
  });

  it('uses the path and the runtime of the settings', () => {
    const settings = { path: 'tools/node-cli.js', runtime: '/opt/node' };
    const system = systemWith(posix, '/app/tools/node-cli.js', '/bin/node-cli');
    expect(adapterCommand(LAUNCH, '/app', settings, system)).toMatchObject({
      command: '/opt/node',
      args: ['/app/tools/node-cli.js', 'debug', '--stdio'],
    });
    expect(adapterCommand(LAUNCH, '/app', { ...settings, path: '/bin/node-cli' }, system)).toMatchObject({
      command: '/bin/node-cli',
      args: ['debug', '--stdio'],
    });
  });

  it('reports a project without node-cli, a wrong path, and a window without a folder', () => {
    const system = systemWith(posix);
    expect(() => adapterCommand(LAUNCH, '/app', DEFAULTS, system)).toThrow(
      'node-cli is not installed in /app: run "npm install --save-dev node-cli", or set node-cli.path',
    );
    expect(() => adapterCommand(LAUNCH, '/app', { ...DEFAULTS, path: 'x.js' }, system)).toThrow(
      'node-cli.path: the file /app/x.js does not exist',
    );
    expect(() => adapterCommand(LAUNCH, null, DEFAULTS, system)).toThrow('open the folder of a project');
  });
});

interface Factory {
  createDebugAdapterDescriptor(session: object): unknown;
}

interface Provider {
  resolveDebugConfiguration(folder: undefined, configuration: object): unknown;
}

/** Activates the extension with a stub of the API of VS Code. */
function activate(folder: string, settings: Partial<Settings> = {}) {
  class DebugAdapterExecutable {
    constructor(
      readonly command: string,
      readonly args: readonly string[],
      readonly options: { readonly cwd: string },
    ) {}
  }
  const registered = new Map<string, unknown>();
  const workspaceFolder = { uri: { fsPath: folder } };
  const vscode = {
    DebugAdapterExecutable,
    workspace: {
      workspaceFolders: [workspaceFolder],
      getConfiguration: () => ({ get: (name: keyof Settings, other: string) => settings[name] ?? other }),
    },
    debug: {
      registerDebugAdapterDescriptorFactory: (type: string, factory: Factory) =>
        registered.set(`factory of ${type}`, factory),
      registerDebugConfigurationProvider: (type: string, provider: Provider) =>
        registered.set(`provider of ${type}`, provider),
    },
  };
  const load = createRequire(join(EXTENSION, 'extension.js'));
  const module = { exports: {} as { activate(context: { subscriptions: unknown[] }): void } };
  compileFunction(readFileSync(join(EXTENSION, 'extension.js'), 'utf8'), ['require', 'module'])(
    (name: string) => (name === 'vscode' ? vscode : load(name)),
    module,
  );
  const subscriptions: unknown[] = [];
  module.exports.activate({ subscriptions });
  return {
    subscriptions,
    workspaceFolder,
    factory: registered.get('factory of node-cli') as Factory,
    provider: registered.get('provider of node-cli') as Provider,
  };
}

describe('the extension', () => {
  it('returns the executable of the project of the session, or of the first folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-editor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, 'node_modules', 'node-cli', 'bin', 'node-cli.js');
    const { factory, subscriptions, workspaceFolder } = activate(folder);
    expect(subscriptions).toHaveLength(2);
    const session = { configuration: LAUNCH, workspaceFolder };
    expect(() => factory.createDebugAdapterDescriptor(session)).toThrow(
      `node-cli is not installed in ${folder}`,
    );
    mkdirSync(join(program, '..'), { recursive: true });
    writeFileSync(program, '');
    const expected = { command: 'node', args: [program, 'debug', '--stdio'], options: { cwd: folder } };
    expect(factory.createDebugAdapterDescriptor(session)).toMatchObject(expected);
    expect(factory.createDebugAdapterDescriptor({ configuration: LAUNCH })).toMatchObject(expected);
  });

  it('attaches if there is no launch.json', () => {
    const { provider } = activate('/app');
    expect(provider.resolveDebugConfiguration(undefined, {})).toEqual({
      type: 'node-cli',
      request: 'attach',
      name: 'Attach to node-cli',
    });
    expect(provider.resolveDebugConfiguration(undefined, LAUNCH)).toBe(LAUNCH);
  });
});

describe('the manifest', () => {
  const manifest = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8'));
  const [contributed] = manifest.contributes.debuggers;
  const { launch, attach } = contributed.configurationAttributes;

  it('contributes breakpoints and the members of both requests', () => {
    expect(manifest.contributes.breakpoints).toEqual([{ language: 'solidity' }, { language: 'vyper' }]);
    expect(Object.keys(launch.properties)).toEqual(
      'transaction failure call test url lane key stopOnEntry projectRoot pathMap'.split(' '),
    );
    expect(Object.keys(attach.properties)).toEqual('url lane key projectRoot pathMap'.split(' '));
    expect(Object.keys(launch.properties.call.properties)).toEqual(
      'to data function args from value block'.split(' '),
    );
  });

  it('has only known members in its configurations', () => {
    const configurations = [
      ...contributed.initialConfigurations,
      ...contributed.configurationSnippets.map(({ body }: { body: object }) => body),
    ];
    expect(configurations).toHaveLength(7);
    for (const { type, request, name, ...members } of configurations) {
      expect([type, typeof name]).toEqual(['node-cli', 'string']);
      const known = Object.keys((request === 'attach' ? attach : launch).properties);
      expect(known).toEqual(expect.arrayContaining(Object.keys(members)));
    }
  });

  it('is packed by vsce, always with the same bytes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'node-cli-vsix-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pack = (name: string, env: NodeJS.ProcessEnv = {}): Buffer => {
      const file = join(folder, name);
      const options = { cwd: REPOSITORY, env: { ...process.env, ...env }, stdio: 'pipe' } as const;
      execFileSync(process.execPath, [join(REPOSITORY, 'src/build/extension.mjs'), file], options);
      return readFileSync(file);
    };
    const packed = pack('one.vsix');
    expect(packed.equals(pack('other.vsix', { TZ: 'Asia/Tokyo' }))).toBe(true);
    for (const name of ['extension.vsixmanifest', 'extension/adapter.js', 'extension/extension.js'])
      expect(packed.includes(name)).toBe(true);
  });
});
