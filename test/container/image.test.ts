import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltImage, buildImage, startContainer } from './built-image.ts';

/** Milliseconds for a build with its package installation and bundling. */
const BUILD_TIME = 1_800_000;

/** Requests the chain id with the host name of the first argument; prints status and response. */
const ASK = `
const { request } = require('node:http');
const headers = { host: process.argv[1], 'content-type': 'application/json' };
const asked = request({ port: 8545, host: '127.0.0.1', method: 'POST', headers }, (response) => {
  response.on('data', (chunk) => console.log(response.statusCode, String(chunk)));
});
asked.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}');`;

describe('the image of fixtures/container/Dockerfile', () => {
  let image: BuiltImage;

  beforeAll(() => {
    image = buildImage();
  }, BUILD_TIME);

  afterAll(() => image?.remove());

  it('runs Node as an unprivileged user and stops with SIGTERM', () => {
    const { User: user, Entrypoint: entrypoint, StopSignal: signal } = image.config;
    expect(user).toBe('node');
    expect(entrypoint[0]).toBe('node');
    expect(signal).toBe('SIGTERM');
  });

  it('contains the package with its native parts, without sources and tools', () => {
    const packages = execFileSync('ls', [`${image.root}/opt/node-cli/node_modules`], { encoding: 'utf8' });
    expect(packages.split('\n')).toEqual(expect.arrayContaining(['node-cli', 'secp256k1', 'classic-level']));
    expect(packages).not.toMatch(/typescript|esbuild|vitest/);
    expect(execFileSync('ls', [`${image.root}`], { encoding: 'utf8' })).not.toContain('src');
    const [kilobytes = ''] = execFileSync('du', ['-sk', `${image.root}/opt/node-cli`], {
      encoding: 'utf8',
    }).split('\t');
    expect(Number(kilobytes)).toBeLessThan(40_000);
  });

  it('contains the V8 code cache, because its file system is read-only', () => {
    const kept = execFileSync('ls', [`${image.root}/opt/node-cli/node_modules/node-cli/dist/cache`], {
      encoding: 'utf8',
    });
    expect(kept).toMatch(/^main-.*\.bin$/m);
  });

  it('serves as process 1 on a read-only root, is healthy, and exits with 0 on SIGTERM', async () => {
    const container = await startContainer(image);
    const [kind, ...check] = image.config.Healthcheck.Test;
    expect(kind).toBe('CMD');
    expect(await container.run(...check)).toEqual({ code: 0, output: '' });
    const refused = await container.run('node', '-e', "require('fs').writeFileSync('/home/node/a', '')");
    expect(refused.output).toMatch(/EROFS|EACCES/);
    expect((await container.run('node', '-p', 'process.getuid()')).output).toBe('1000\n');
    expect(await container.end('SIGTERM')).toBe(0);
  });

  it('is unhealthy if no node serves its port', async () => {
    const container = await startContainer(image);
    const [, command = '', ...options] = image.config.Healthcheck.Test;
    const elsewhere = options.map((word) => word.replace(':8545', ':8546'));
    expect(await container.run(command, ...elsewhere)).toEqual({ code: 1, output: '' });
  });

  it.each([
    ['chain:8545', 200],
    ['anything.internal:8545', 200],
    ['localhost:8545', 200],
    ['evil.example', 403],
  ])('answers requests to the host %s with HTTP %i', async (host, status) => {
    const container = await startContainer(image);
    const { output } = await container.run('node', '-e', ASK, host);
    expect(output).toMatch(new RegExp(`^${status} `));
    if (status === 200) expect(output).toContain('"result":"0x21"');
  });
});
