// Writes the licence notices of all bundled code, from the metafiles of esbuild.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of a package that must accompany copies. */
const NOTICE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-][\w.-]+)?$/i;

/** Packages with code in the WebAssembly modules. These are compiled before the bundling. */
const COMPILED_IN = ['node_modules/assemblyscript'];

const BSD_3_CLAUSE = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
   disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products
   derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING,
BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT
SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

/** Packages without a licence text, by name, and the package with the identical text. */
const SAME_TEXT_AS = {
  '@ethereumjs/mpt': 'node_modules/@ethereumjs/vm',
  '@ethereumjs/blockchain': 'node_modules/@ethereumjs/vm',
  'proxy-agent-negotiate': 'node_modules/https-proxy-agent',
};

/** Licence texts of other packages without one, by name. */
const TEXTS = {
  'mcl-wasm': `Copyright (c) 2015 MITSUNARI Shigeo. All rights reserved.\n\n${BSD_3_CLAUSE}`,
};

/** Third-party code that is compiled into a package but not in its licence. */
const WITHIN = {
  '@jitl/quickjs-wasmfile-release-sync':
    'Holds QuickJS (https://bellard.org/quickjs/), compiled to WebAssembly:\nCopyright (c) 2017-2024 Fabrice Bellard, Charlie Gordon, under the same MIT License.',
  '@bitauth/libauth':
    'Holds libsecp256k1 (https://github.com/bitcoin-core/secp256k1), compiled to WebAssembly:\nCopyright (c) 2013 Pieter Wuille, under the same MIT License.',
};

/** Returns the package folder of a bundled file; `undefined` for a file of this project. */
function packageFolder(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** The namespace of an esbuild plugin, a prefix of paths in metafiles. */
const NAMESPACE = /^[\w-]+:(?=.*\/)/;

/** Returns the files with code in the output, from a metafile. */
export function bundledFiles({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path.replace(NAMESPACE, '')] : [],
    ),
  );
}

function sourceOf({ repository, homepage, name }) {
  const url = typeof repository === 'string' ? repository : (repository?.url ?? homepage);
  if (url === undefined) return `https://www.npmjs.com/package/${name}`;
  const plain = url
    .replace(/^git\+/, '')
    .replace(/^(?:git|http):\/\//, 'https://')
    .replace(/\.git$/, '');
  return /^[\w.-]+\/[\w.-]+$/.test(plain) ? `https://github.com/${plain}` : plain;
}

async function noticeTexts(folder) {
  const files = (await readdir(folder)).filter((file) => NOTICE_FILE.test(file)).sort();
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
}

async function noticeOf(folder) {
  const description = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = description;
  const same = SAME_TEXT_AS[name];
  const texts = [...(await noticeTexts(folder)), ...(same === undefined ? [] : await noticeTexts(same))];
  const within = WITHIN[name] === undefined ? [] : [WITHIN[name]];
  const own = texts.length > 0 || TEXTS[name] === undefined ? texts : [TEXTS[name]];
  const text = own.length > 0 ? [...own, ...within].map((one) => one.trim()).join('\n\n') : undefined;
  if (license === undefined || text === undefined) {
    throw new Error(
      `no licence text found for the bundled package ${name}; add the text to src/build/third-party.mjs`,
    );
  }
  return { name, version, license, source: sourceOf(description), text };
}

/** Returns the notices of the predeployed contracts, from the README of the fixtures. */
async function contractNotices() {
  const text = await readFile('fixtures/predeploys/README.md', 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!contract |---)/.test(line));
  return rows.map((row) => {
    const [name, source, license] = row.slice(2, -2).split(' | ');
    return `${name}: ${license}. Bytes from ${source.replaceAll(/[`<>]/g, '')}`;
  });
}

const RULE = '-'.repeat(100);

/** Returns the notices for these files. Rejects if a package has no known licence. */
export async function thirdPartyText(files) {
  const folders = new Set([...COMPILED_IN, ...files.flatMap((path) => packageFolder(path) ?? [])]);
  const notices = await Promise.all(Array.from(folders, noticeOf));
  const byName = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  const sorted = [...byName].sort(([left], [right]) => (left < right ? -1 : 1));
  const sections = sorted.map(([title, { license, source, text }]) =>
    [RULE, title, `Licence: ${license}`, `Source: ${source}`, '', text, ''].join('\n'),
  );
  return [
    'node-cli contains the following works of others, in parts or as a whole, under their own licences.',
    'The source of each is to be had where it says.',
    '',
    ...sorted.map(([title, { license }]) => `  ${title} (${license})`),
    '',
    'It puts the compiled code of these contracts on each new chain, as it stands on public networks:',
    '',
    ...(await contractNotices()).map((line) => `  ${line}`),
    '',
    ...sections,
  ].join('\n');
}
