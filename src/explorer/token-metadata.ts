/** The metadata of tokens: JSON and images in data URIs. Remote addresses are never fetched. */

import { askToken, textIn } from './token-facts.ts';

export interface Metadata {
  /** The URI that the token returns. */
  readonly uri: string;
  /** `null` unless the URI contains the JSON itself. */
  readonly json: ItemFacts | null;
}

export interface ItemFacts {
  readonly name: string | null;
  readonly description: string | null;
  /** A data URI of an image; `null` for a remote image. */
  readonly image: string | null;
  /** The URI of a remote image. */
  readonly remoteImage: string | null;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
}

/** Maximum bytes of a URI. Contracts build images of some hundred kilobytes. */
const MAX_URI = 1_000_000;
const MAX_ATTRIBUTES = 50;

const CONTRACT_URI = '0xe8a3d485';
const TOKEN_URI = '0xc87b56dd';
const URI = '0x0e89341c';

const IMAGE = /^data:image\/(?:png|gif|jpeg|webp|avif|svg\+xml)(?:;[\w.=+-]{1,40})*,/i;
const JSON_URI = /^data:application\/json(?<parameters>(?:;[\w.=+-]{1,40})*),(?<body>.*)$/is;

/** Returns the URI if it contains an image; otherwise `null`. */
export function imageOf(uri: unknown): string | null {
  return typeof uri === 'string' && uri.length <= MAX_URI && IMAGE.test(uri) ? uri : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Returns the text of a data URI with JSON; `null` for other URIs, and if the data are invalid. */
function jsonText(uri: string): string | null {
  const { parameters, body } = JSON_URI.exec(uri)?.groups ?? {};
  if (parameters === undefined || body === undefined) {
    const text = uri.trimStart();
    return text.startsWith('{') ? text : null;
  }
  try {
    if (/;base64$/i.test(parameters)) return new TextDecoder().decode(bytesOf(body));
    return decodeURIComponent(body);
  } catch {
    // Contracts often write JSON without percent-encoding.
    return body;
  }
}

function attributesOf(value: unknown): ItemFacts['attributes'] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ATTRIBUTES).flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [];
    const { trait_type: name, value: own }: Readonly<Record<string, unknown>> = { ...each };
    return own === undefined || own === null ? [] : [{ name: textOf(name) ?? '', value: String(own) }];
  });
}

/** Returns the facts in a data URI with JSON; `null` for other URIs. */
export function factsIn(uri: string): ItemFacts | null {
  const text = jsonText(uri);
  if (text === null) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const {
      name,
      description,
      image,
      image_data: drawn,
      attributes,
    }: Readonly<Record<string, unknown>> = {
      ...parsed,
    };
    const svg =
      typeof drawn === 'string' && drawn.trimStart().startsWith('<svg')
        ? `data:image/svg+xml,${encodeURIComponent(drawn)}`
        : drawn;
    const shownImage = imageOf(image) ?? imageOf(svg);
    return {
      name: textOf(name),
      description: textOf(description),
      image: shownImage,
      remoteImage: shownImage === null ? textOf(image) : null,
      attributes: attributesOf(attributes),
    };
  } catch {
    return null;
  }
}

async function readMetadata(token: string, data: string, tag: string): Promise<Metadata | null> {
  const uri = textIn(await askToken(token, data, tag, null), MAX_URI);
  return uri === null ? null : { uri, json: factsIn(uri) };
}

/** Resolves to the result of `contractURI()`; `null` without it. */
export function contractMetadata(token: string, tag: string): Promise<Metadata | null> {
  return readMetadata(token, CONTRACT_URI, tag);
}

/** Resolves to the metadata of an id. In a URI of ERC-1155, `{id}` stands for the id in 64 digits. */
export async function itemMetadata(
  token: string,
  id: bigint,
  isMulti: boolean,
  tag: string,
): Promise<Metadata | null> {
  const word = id.toString(16).padStart(64, '0');
  const found = await readMetadata(token, `${isMulti ? URI : TOKEN_URI}${word}`, tag);
  return found && { ...found, uri: isMulti ? found.uri.replaceAll('{id}', word) : found.uri };
}
