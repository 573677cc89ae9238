import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';

export const EXECUTABLE = fileURLToPath(new URL('../../../../bin/node-cli.js', import.meta.url));

/** A Hardhat project with its build outputs, whose contracts fail in every way. */
export const PROJECT = fileURLToPath(new URL('../../../../fixtures/projects/hardhat-3', import.meta.url));

/** The response of a tool, as a model receives it. */
export interface Answer {
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A client connected to its own server. */
export interface Agent {
  readonly client: Client;
  /** The stderr output of the server so far. */
  readonly errors: () => string;
  /** Calls a tool. Resolves also if the response is an error. */
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Calls a tool. Rejects if the response is an error. */
  succeed(name: string, given?: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** Starts `node-cli mcp` with these options in the project folder, and connects the client of the SDK. */
export async function connectAgent(...options: readonly string[]): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [EXECUTABLE, 'mcp', ...options],
    cwd: PROJECT,
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Answer> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...given } });
    const [first] = content as { readonly type: string; readonly text: string }[];
    return {
      text: first?.text ?? '',
      content: (structuredContent ?? {}) as Answer['content'],
      isError: isError === true,
    };
  };
  return {
    client,
    errors: () => errors,
    call,
    async succeed(name, given) {
      const answer = await call(name, given);
      if (answer.isError) throw new Error(`${name}: ${answer.text}`);
      return answer;
    },
  };
}
