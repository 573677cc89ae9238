import { describe, expect, it } from 'vitest';
import { findingsOf, kindsOf } from './checked-files.ts';

const found = (path: string, source: string): string[] =>
  findingsOf(path, source).map(({ kind, line, words }) => `${kind} ${line}: ${words}`);

describe('kindsOf', () => {
  it.each([
    ['README.md', ['text']],
    ['src/fork/README.md', ['text']],
    ['.github/changesets/a.md', ['text']],
    ['fixtures/container/README.md', ['text']],
    ['src/explorer/index.html', ['text']],
    ['src/cli/main.ts', ['text', 'comments']],
    ['src/explorer/views/gas.tsx', ['text', 'comments']],
    ['bin/require.cjs', ['text', 'comments']],
    ['test/fork/fork.test.ts', ['comments']],
    ['fixtures/compile.mjs', ['comments']],
    ['LICENSE', []],
    ['fixtures/service/rules.md', []],
    ['fixtures/contracts/Vault.sol', []],
    ['fixtures/contracts/Vault.json', []],
    ['package.json', []],
  ])('returns the kinds of prose in %s', (path, kinds) => {
    expect(kindsOf(path)).toEqual(kinds);
  });
});

describe('findings in strings', () => {
  it('are in literals that read as prose', () => {
    const source = [
      "const message = 'the lane is gone now';",
      "const sql = 'is gone';",
      "const code = 'if (a) { the lane is gone }';",
      "const list = 'what those such where'.split(' ');",
    ].join('\n');
    expect(found('src/a.ts', source)).toEqual(['text 1: is gone']);
  });

  it('are in templates, with their values as one word', () => {
    expect(found('src/a.ts', `const a = \`block \${n + 1} is\nrefused\`;`)).toEqual([]);
    expect(found('src/a.ts', `const a = \`the block \${n + 1} is refused\`;`)).toEqual([
      'text 1: is refused',
    ]);
  });

  it('are in the strings inside the values of a template', () => {
    const source = `const a = \`the lane \${b ? "of the chain is gone" : ""} of it\`;`;
    expect(found('src/a.ts', source)).toEqual(['text 1: is gone']);
  });

  it('are in concatenated strings, across their joints', () => {
    const source = [
      "const a = 'the block is mined at ' +",
      "  'once, and the lane is ' +",
      "  name + ' is gone';",
    ];
    expect(found('src/a.ts', source.join('\n'))).toEqual(['text 1: at once', 'text 3: is gone']);
  });

  it('are in the lines of a text, which end at line breaks', () => {
    const source = "const a = 'mined by the node at\\nonce for all';\nconst b = 'one\\nthe lane is gone';";
    expect(found('src/a.ts', source)).toEqual(['text 2: is gone']);
  });

  it('are in wrapped lines of a template', () => {
    const long = 'the node mines every transaction that a client sends to it at';
    expect(found('src/a.ts', `const a = \`\n${long}\nonce, in order\`;`)).toEqual(['text 2: at once']);
  });

  it('are not in modules, types, tags and names of members', () => {
    const source = [
      "import a from 'the lane is gone';",
      "type A = 'the lane is gone';",
      "const b = { 'the lane is gone': 1 };",
      "b['the lane is gone'];",
      'const c = css`the lane is gone`;',
    ].join('\n');
    expect(found('src/a.ts', source)).toEqual([]);
  });

  it('are in JSX texts, with inline elements in the sentence', () => {
    const source = [
      'const a = (',
      '  <div title="the lane is gone" class="what those such where">',
      '    <p>',
      '      It is mined <b>at</b> once by {name} <i>and</i>{" "}',
      '      is gone.',
      '    </p>',
      "    {b ? 'the key is refused' : null}",
      '  </div>',
      ');',
    ].join('\n');
    expect(found('src/a.tsx', source)).toEqual([
      'text 2: is gone',
      'text 4: at once',
      'text 4: is gone',
      'text 7: is refused',
    ]);
  });

  it('are in the names and errors of tests, and not in expected texts', () => {
    const source = [
      "describe('a lane that is gone', () => {",
      "  it.each([['the lane is gone']])('mines the block at once', () => {",
      "    expect(a).toBe('the lane is gone');",
      "    throw new Error('the lane is gone');",
      '  });',
      '});',
    ].join('\n');
    expect(found('test/a.test.ts', source)).toEqual([
      'comments 1: is gone',
      'comments 2: at once',
      'comments 4: is gone',
    ]);
  });

  it('are in all strings of the tools of tests', () => {
    expect(found('test/tools/a.ts', "const a = 'the lane is gone';")).toEqual(['comments 1: is gone']);
  });
});

describe('findings in comments', () => {
  it('are in docstrings and line comments, with their lines', () => {
    const source = [
      '/**',
      ' * Ends the lane.',
      ' * The lane is gone then.',
      ' */',
      'const a = 1; // The block is refused.',
      '// It is mined at',
      '// once.',
    ].join('\n');
    expect(found('src/a.ts', source)).toEqual([
      'comments 3: is gone',
      'comments 5: is refused',
      'comments 6: at once',
    ]);
  });

  it('are not in strings, templates and patterns with marks of comments', () => {
    const source = [
      "const a = '// the lane is gone';",
      'const b = /\\/* the lane is gone/;',
      `const c = \`/* \${d} the lane is gone */\`;`,
      "const e = 'http://a'; // The lane is gone.",
    ].join('\n');
    expect(found('test/a.test.ts', source)).toEqual(['comments 4: is gone']);
  });

  it('are in the texts of JSDoc tags, each on its own', () => {
    const source = '/**\n * Mines it at\n * @param once the block that is gone now\n */\n';
    expect(found('src/a.ts', source)).toEqual(['comments 3: is gone']);
  });

  it('are not in directives and code', () => {
    const source =
      '// biome-ignore lint: the lane is gone\n// if (a) { theLane(is, gone); }\n/** `the lane is gone` */';
    expect(found('src/a.ts', source)).toEqual([]);
  });
});
