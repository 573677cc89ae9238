/** Metadata of a token or of one id. Images come from data URIs only; nothing remote is loaded. */

import type { JSX } from 'preact';
import { shown } from '../../format.ts';
import { useReadState } from '../../parts/use-read.ts';
import { Address, Copy, Facts, Loaded, Text } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';
import { askToken } from '../../token-facts.ts';
import { type ItemFacts, itemMetadata, type Metadata } from '../../token-metadata.ts';

const OWNER_OF = '0x6352211e';

function Uri({ uri }: { readonly uri: string }): JSX.Element {
  return (
    <span class="value">
      <bdi class="mono">{shown(uri, 200)}</bdi>
      <Copy text={uri} label="Copy URI" />
    </span>
  );
}

function Picture({ json }: { readonly json: ItemFacts }): JSX.Element | null {
  if (json.image !== null)
    return <img class="picture" src={json.image} alt={shown(json.name ?? 'Unnamed item', 80)} />;
  if (json.remoteImage === null) return null;
  return (
    <p class="faint">
      The explorer loads no remote image: <Uri uri={json.remoteImage} />
    </p>
  );
}

/** The image, name, description and attributes of the metadata. */
export function MetadataFacts({ metadata }: { readonly metadata: Metadata | null }): JSX.Element | null {
  if (metadata === null) return null;
  const { uri, json } = metadata;
  if (json === null) return <Facts rows={[['URI', <Uri key="uri" uri={uri} />]]} />;
  return (
    <div class="metadata">
      <Picture json={json} />
      <div class="metadata-text">
        {json.name === null ? null : (
          <p>
            <b>
              <bdi>{shown(json.name, 120)}</bdi>
            </b>
          </p>
        )}
        {json.description === null ? null : (
          <p>
            <Text text={json.description} longest={1_000} />
          </p>
        )}
        {json.attributes.length === 0 ? null : (
          <ul class="plain attributes">
            {json.attributes.map(({ name, value }, index) => (
              <li key={`${index}${name}`} class="tag">
                <bdi>{shown(name, 60)}</bdi> <b>{shown(value, 80)}</b>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

interface ItemRead {
  readonly owner: string | null;
  readonly metadata: Metadata | null;
}

async function readItem(token: string, id: bigint, isMulti: boolean, tag: string): Promise<ItemRead> {
  const word = id.toString(16).padStart(64, '0');
  const [answer, metadata] = await Promise.all([
    isMulti ? null : askToken(token, `${OWNER_OF}${word}`, tag),
    itemMetadata(token, id, isMulti, tag),
  ]);
  return { owner: answer === null || answer.length < 66 ? null : `0x${answer.slice(26, 66)}`, metadata };
}

/** One id: its owner and metadata. */
export function Item({
  token,
  id,
  isMulti,
  tag,
}: {
  readonly token: string;
  readonly id: bigint;
  /** True for ERC-1155. */
  readonly isMulti: boolean;
  readonly tag: string;
}): JSX.Element {
  const asked = useReadState(() => readItem(token, id, isMulti, tag), [token, String(id), isMulti, tag]);
  const text = String(id);
  return (
    <section class="item-card" aria-label={`Item ${shown(text, 90)}`}>
      <h2>
        Item <span class="mono">#{text}</span>{' '}
        <a class="note" href={pathTo('token', token, { show: 'items' })}>
          Close
        </a>
      </h2>
      <Loaded asked={asked}>
        {({ owner, metadata }) => (
          <>
            {isMulti ? null : (
              <p>
                Owner {owner === null ? <span class="faint">none</span> : <Address address={owner} isWhole />}
              </p>
            )}
            {metadata === null ? <p class="faint">The token returns no metadata for this id.</p> : null}
            <MetadataFacts metadata={metadata} />
          </>
        )}
      </Loaded>
    </section>
  );
}
