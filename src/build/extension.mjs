// Packs the extension for VS Code: `node src/build/extension.mjs <file.vsix>`. The same sources give the same bytes.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SOURCES = 'fixtures/editors/vscode';

// vsce reads the time of the files from this variable: 1 January 1980, the first time of a zip file. A zip file
// contains local times.
process.env.SOURCE_DATE_EPOCH = '315532800';
process.env.TZ = 'UTC';
const { createVSIX } = await import('@vscode/vsce');

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

const [, , file = 'dist/node-cli.vsix'] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'node-cli-extension-'));
try {
  cpSync(SOURCES, folder, { recursive: true });
  cpSync('LICENSE', join(folder, 'LICENSE'));
  const { version } = readJson('package.json');
  const manifest = { ...readJson(join(SOURCES, 'package.json')), version };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await createVSIX({
    cwd: folder,
    packagePath: resolve(file),
    dependencies: false,
    // package.json names no repository.
    allowMissingRepository: true,
    // The scanner for secrets is not installed: see `overrides` in package.json.
    allowPackageAllSecrets: true,
    allowPackageEnvFile: true,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
