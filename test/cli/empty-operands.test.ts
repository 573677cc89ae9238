import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { COMMANDS } from '../../src/config/commands.ts';
import { fakeHost } from './support/fake-host.ts';

/** Each command with operands, called with an empty one. */
const WITH_OPERANDS = Object.entries(COMMANDS).flatMap(([name, { operands }]) =>
  operands.length === 0 ? [] : [[name, operands.length] as const],
);

describe('empty operands', () => {
  it.each(WITH_OPERANDS)('an empty operand of %s is a usage error', async (name, count) => {
    const host = fakeHost({
      commandLine: [
        ...name.split(' '),
        ...(name === 'exec' ? ['--'] : []),
        ...Array.from({ length: count }, () => ''),
      ],
    });

    await runCommand(host);

    expect(host.written.errors).toMatch(
      /^node-cli: .*: expected .*, got an empty argument; for example npx node-cli /,
    );
    expect(host.written.errors).not.toMatch(/TypeError|internal error/);
    expect(host.exitCodes).toEqual([2]);
  });

  it('exec passes an empty argument to its program', async () => {
    const ran: (readonly string[])[] = [];
    const host = fakeHost({
      commandLine: ['exec', '--port', '0', '--', 'program', '', 'b'],
      runProgram: (program, parameters) => {
        ran.push([program, ...parameters]);
        return { ended: Promise.resolve(0), passOn: () => undefined };
      },
    });

    await runCommand(host);

    expect(ran).toEqual([['program', '', 'b']]);
    expect(host.exitCodes).toEqual([0]);
  });
});
