/** Reads the packed links of a whole run, batch by batch, with the facts that decide the value of a page's links. */
import type { Pool } from 'pg'

/** Pages of a run, as columns. */
export type PackedLinks = {
  /** Concatenated URL keys. */
  keys: string
  /** Canonical addresses in normal form, or null if a page has none. */
  canonicals: (string | null)[]
  /** 1 for each page with a directive not to follow its links, else 0. */
  silent: Uint8Array
  /** Bytes of the links of each page. */
  sizes: Uint32Array
  /** Concatenated blobs of links (`edges.ts`). */
  blobs: Uint8Array<ArrayBuffer>
}

/** Returns whether a page's robots meta tag, in lower case, or its X-Robots-Tag forbids following its links. */
export type IsSilent = (directives: readonly string[], header: string | null) => boolean

export type PackedLinksReader = {
  /** Yields all pages of the run in the order of their keys. */
  all(runId: number): AsyncGenerator<PackedLinks>
  /**
   * Returns the requested pages that fit into a batch, in the order of their keys: at least one if any exists. Callers
   * request the rest again.
   */
  at(runId: number, urlKeys: readonly string[]): Promise<PackedLinks>
}

/** A row with short metadata in `metadata`, or with the required parts of long metadata in the other columns. */
type Row = {
  url_key: string
  edges: Buffer
  metadata: string | null
  canonical: string | null
  robots: string | null
}

/**
 * Maximum pages and bytes of a batch: of links, and of long metadata, which Postgres searches within the time limit of a
 * statement. The last page of a batch may exceed the bytes.
 */
const batchLimits = { pages: 500, bytes: 2 * 1024 ** 2, metadataBytes: 8 * 1024 ** 2 }

/**
 * Metadata up to this number of bytes is read whole, because Postgres takes ten times as long as this process to
 * search it.
 */
const maxWholeMetadata = 8 * 1024

/**
 * Metadata is not parsed, because Postgres cannot parse everything that JSON allows. The canonical address precedes
 * all text that a page writes freely, except for two texts in which every quote is escaped. Robots and the header are
 * last.
 */
const columns = `url_key, edges,
  case when octet_length(metadata) <= ${maxWholeMetadata} then metadata end as metadata,
  case when octet_length(metadata) > ${maxWholeMetadata}
    then substring(split_part(metadata, '"canonical":', 2) from '^"([^"]*)"') end as canonical,
  case when octet_length(metadata) > ${maxWholeMetadata} and strpos(metadata, '"robots":[') > 0
    then split_part(metadata, '"robots":[', -1) end as robots`

const batchOf = (which: string) => `select ${columns} from (
    select *, sum(octet_length(edges)) over (order by url_key) - octet_length(edges) as before,
      sum(long_bytes) over (order by url_key) - long_bytes as long_before
    from (
      select url_key, edges, metadata,
        case when octet_length(metadata) > ${maxWholeMetadata} then octet_length(metadata) else 0 end as long_bytes
      from content.page where run_id = $1 and ${which}
      order by url_key limit ${batchLimits.pages}
    ) as these
  ) as counted
  where before <= ${batchLimits.bytes} and long_before <= ${batchLimits.metadataBytes} order by url_key`

const batchAfter = batchOf('url_key > $2')
const batchAt = batchOf('url_key = any($2)')

/** Opens the reader. All calls reject with the errors of `pg`. */
export function openPackedLinks(pool: Pick<Pool, 'query'>, isSilent: IsSilent): PackedLinksReader {
  return {
    async *all(runId) {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<Row>({
          name: 'packed-links',
          text: batchAfter,
          values: [runId, after],
        })
        if (rows.length === 0) return
        yield packed(rows, isSilent)
        after = rows.at(-1)?.url_key ?? after
      }
    },

    async at(runId, urlKeys) {
      const { rows } = await pool.query<Row>({ name: 'some-links', text: batchAt, values: [runId, urlKeys] })
      return packed(rows, isSilent)
    },
  }
}

function packed(rows: readonly Row[], isSilent: IsSilent): PackedLinks {
  const sizes = Uint32Array.from(rows, ({ edges }) => edges.byteLength)
  const blobs = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  for (const { edges } of rows) {
    blobs.set(edges, at)
    at += edges.byteLength
  }
  const wanted = rows.map(row => (row.metadata === null ? row : wantedOf(row.metadata)))
  return {
    keys: rows.map(({ url_key }) => url_key).join(''),
    canonicals: wanted.map(({ canonical }) => canonical && JSON.parse(`"${canonical}"`)),
    silent: Uint8Array.from(wanted, ({ robots }) =>
      Number(robots !== null && forbidsFollowing(robots, isSilent)),
    ),
    sizes,
    blobs,
  }
}

/** Returns the parts of short metadata that the query itself extracts from long metadata. */
function wantedOf(metadata: string): Pick<Row, 'canonical' | 'robots'> {
  const address = metadata.indexOf(canonicalKey) + canonicalKey.length
  const hasAddress = address >= canonicalKey.length && metadata[address] === '"'
  const robots = metadata.lastIndexOf(robotsKey)
  return {
    canonical: hasAddress ? metadata.slice(address + 1, metadata.indexOf('"', address + 1)) : null,
    robots: robots < 0 ? null : metadata.slice(robots + robotsKey.length),
  }
}

const canonicalKey = '"canonical":'
const robotsKey = '"robots":['

/** The metadata after `robotsKey` of a page without directives. Most pages have none. */
const noDirective = ']}'

function forbidsFollowing(robots: string, isSilent: IsSilent): boolean {
  if (robots === noDirective) return false
  const wanted: { robots: string[]; x_robots_tag?: string } = JSON.parse(`{"robots":[${robots}`)
  return isSilent(wanted.robots, wanted.x_robots_tag ?? null)
}
