import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { AccessControl } from './access-control.ts';
import type { RejectedError } from './errors.ts';
import { isImmutable, pageTarget, showsPages } from './get-requests.ts';
import { REFUSAL_POLICY, rejectionPage } from './rejection-page.ts';

/** The folder of the built explorer. The build defines it for bundles in other folders. */
declare const PAGE_DIRECTORY: string | undefined;

/** A file of the explorer in the build's `manifest.json`. */
interface PageFile {
  /** The name of the file, compressed by gzip. */
  readonly name: string;
  readonly type: string;
  /** The hash of the content, quoted as an entity tag (RFC 9110, section 8.8.3). */
  readonly tag: string;
}

/** The files by path. `/_/` is the document. */
type Manifest = Readonly<Record<string, PageFile>>;

/** The path of the document in the manifest. */
const DOCUMENT = '/_/';

const YEAR = 31_536_000;

/**
 * The explorer uses only its own scripts, styles and origin, and cannot be in a frame (Content Security
 * Policy, level 3).
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept, Accept-Encoding',
};

const unzip = promisify(gunzip);
const zip = promisify(gzip);

/** Placeholder in the document for the relative path to the root of the node. */
const ROOT = '{{root}}';

/** The document's line for the root path, which browsers can open without its final slash. */
const FOR_THE_ROOT = /^<script async .*\n/m;

/** Returns the relative path to the node's root, because a proxy may add a path prefix. */
function rootFrom(path: string): string {
  const depth = path.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** The explorer. Reads its files on demand and caches them compressed. */
export class Page {
  readonly #directory: URL;
  #manifest: Promise<Manifest | null> | null = null;
  readonly #contents = new Map<string, Promise<Buffer>>();

  constructor(
    directory = new URL(
      typeof PAGE_DIRECTORY === 'undefined' ? '../../dist/page/' : PAGE_DIRECTORY,
      import.meta.url,
    ),
  ) {
    this.#directory = directory;
  }

  /** Responds to a request of an allowed client if {@link isExplorerRequest} is true. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    access: AccessControl,
  ): Promise<void> {
    const target = pageTarget(path);
    if (target === null) return answerInWords(request, response, 404, 'Page not found.');
    const refusal = target.asset === null ? access.rejectPath({ url: target.chain }) : undefined;
    if (refusal !== undefined) return this.refuse(request, response, refusal);
    const manifest = await this.#load();
    if (manifest === null) return answerInWords(request, response, 404, 'This build has no explorer.');
    const file = manifest[target.asset ?? DOCUMENT];
    if (file === undefined) {
      return answerInWords(request, response, 404, 'File not found; reload the page.');
    }
    const isDocument = target.asset === null;
    const content = isDocument ? await this.#document(file, path) : await this.#content(file.name);
    await this.#send(request, response, file, content, !isDocument && isImmutable(target.asset));
  }

  /** Answers with a readable reason, because a browser displays it. */
  refuse(request: IncomingMessage, response: ServerResponse, { status, message }: RejectedError): void {
    answerInWords(request, response, status, message);
  }

  /** Resolves to the compressed document for a path. */
  async #document({ name }: PageFile, path: string): Promise<Buffer> {
    const text = (await unzip(await this.#content(name))).toString();
    return zip((path === '/' ? text : text.replace(FOR_THE_ROOT, '')).replaceAll(ROOT, rootFrom(path)));
  }

  async #send(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { type, tag }: PageFile,
    compressed: Buffer,
    isFixed: boolean,
  ): Promise<void> {
    const freshness = {
      ...HEADERS,
      ETag: tag,
      'Cache-Control': isFixed ? `public, max-age=${YEAR}, immutable` : 'no-cache',
    };
    if (headers['if-none-match']?.split(/\s*,\s*/).includes(tag)) {
      response.writeHead(304, freshness).end();
      return;
    }
    const isCompressed = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
      headers['accept-encoding']?.toString() ?? '',
    );
    const body = isCompressed ? compressed : await unzip(compressed);
    response.writeHead(200, {
      ...freshness,
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
      'Content-Type': type,
      'Content-Length': body.length,
    });
    response.end(method === 'HEAD' ? undefined : body);
  }

  #load(): Promise<Manifest | null> {
    this.#manifest ??= readFile(new URL('manifest.json', this.#directory), 'utf8').then(
      (text): Manifest => JSON.parse(text),
      () => null,
    );
    return this.#manifest;
  }

  #content(name: string): Promise<Buffer> {
    const kept = this.#contents.get(name);
    if (kept !== undefined) return kept;
    const read = readFile(new URL(name, this.#directory));
    this.#contents.set(name, read);
    return read;
  }
}

/** Answers with a page if a browser displays the response, else with plain text, for example for a script. */
function answerInWords(
  { headers }: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  const isShown = showsPages(headers);
  response.writeHead(status, {
    ...HEADERS,
    ...(isShown ? { 'Content-Security-Policy': REFUSAL_POLICY } : {}),
    'Content-Type': isShown ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(isShown ? rejectionPage(status, text) : `node-cli: ${text}\n`);
}
