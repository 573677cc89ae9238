// Writes the last failures of a node and of its lanes into a folder, one file per failure, and adds them to the summary of the
// job: `node collect-failures.mjs <url> <folder>`. Prints the number of failures.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum number of failures that a chain stores. */
const MOST = '0x10';

const [url = '', folder = '.'] = process.argv.slice(2);

async function ask(path, method, ...params) {
  const response = await fetch(new URL(path, `${url}/`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

/** The keys of the lanes; empty for a node without lanes. */
async function lanes() {
  const listed = await ask('', 'lane_list').catch(() => []);
  return listed.map(({ key }) => key);
}

function summaryOf(lane, { transactionHash, call, failure, stack }) {
  const where = lane === '' ? '' : ` on lane \`${lane}\``;
  const what = call?.call?.signature ?? call?.input?.slice(0, 10) ?? 'a creation';
  const of = [call?.to?.name ?? call?.to?.address, what].filter(Boolean).join('.');
  const kind = transactionHash === null ? 'call' : `transaction \`${transactionHash}\``;
  const lines = [`${of}: ${failure?.message ?? 'failed'}`, ...(stack ? [stack] : [])];
  return `- ${kind}${where}\n\n  \`\`\`text\n${lines.join('\n').replaceAll(/^/gm, '  ')}\n  \`\`\`\n`;
}

const summaries = [];
for (const lane of ['', ...(await lanes())]) {
  const { failures } = await ask(lane, 'inspect_failures', MOST);
  for (const failure of failures) {
    const name = `${lane === '' ? 'base' : `lane-${lane}`}-${Number(failure.number)}.json`;
    writeFileSync(join(folder, name), `${JSON.stringify(failure, null, 2)}\n`);
    summaries.push(summaryOf(lane, failure));
  }
}
if (summaries.length > 0 && process.env.GITHUB_STEP_SUMMARY)
  appendFileSync(process.env.GITHUB_STEP_SUMMARY, `### Last failures of the node\n\n${summaries.join('\n')}`);
process.stdout.write(`${summaries.length}\n`);
