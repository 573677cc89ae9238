import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/main.ts';
import { flagOf, OPTION_ENTRIES } from '../../../src/config/options.ts';
import { fakeHost } from '../support/fake-host.ts';

async function run(...commandLine: readonly string[]) {
  const host = fakeHost({ commandLine });
  await runCommand(host);
  return { ...host.written, code: host.exitCodes[0] };
}

/** The completions that bash offers for these words. */
async function completedByBash(...words: readonly string[]): Promise<string[]> {
  const { output } = await run('completion', 'bash');
  const list = ['node-cli', ...words].map((word) => `'${word}'`).join(' ');
  const asked = `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _node_cli; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['-u', '-c', `${output}\n${asked}`], { encoding: 'utf8' });
  return text.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it('completion bash offers commands, subcommands, options and values', async () => {
    expect(await completedByBash('')).toEqual(expect.arrayContaining(['start', 'accounts', 'state', 'help']));
    expect(await completedByBash('ver')).toEqual(['version']);
    expect(await completedByBash('state', '')).toEqual(['inspect', 'diff']);
    expect(await completedByBash('help', 'acc')).toEqual(['accounts']);
    expect(await completedByBash('completion', 'z')).toEqual(['zsh']);
    expect(await completedByBash('--block-t')).toEqual(['--block-time']);
    expect(await completedByBash('accounts', '--mnemonic-r')).toEqual(['--mnemonic-random']);
    expect(await completedByBash('start', '--compat', 'a')).toEqual(['auto', 'anvil']);
    expect(await completedByBash('--compat', '')).toEqual(['auto', 'service', 'anvil', 'hardhat']);
    expect(await completedByBash('--port', '')).toEqual([]);
    expect(await completedByBash('--state', 'package.js')).toEqual(['package.json']);
  });

  it.each(['bash', 'zsh', 'fish'])('completion %s contains every option of the node', async (shell) => {
    const { output, code } = await run('completion', shell);
    expect(code).toBe(0);
    for (const [key] of OPTION_ENTRIES) {
      const flag = flagOf(key);
      expect(output, flag).toMatch(shell === 'fish' ? ` -l ${flag.slice(2)} ` : flag);
    }
  });

  it('completion rejects other shells', async () => {
    expect(await run('completion', 'bahs')).toEqual({
      output: '',
      errors: 'node-cli: unknown shell "bahs" (did you mean bash?); expected one of bash, zsh, fish\n',
      code: 2,
    });
    expect((await run('completion')).errors).toContain('for example npx node-cli completion bash');
  });
});
