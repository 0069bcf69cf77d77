/** The links of a whole run as they are packed, batch by batch, with what decides what those of a page are worth. */
import type { Pool } from 'pg'

/** Some pages of a run, as columns. */
export type PackedLinks = {
  /** URL keys one behind the other. */
  keys: string
  /** Their canonical addresses in normal form; null where a page names none. */
  canonicals: (string | null)[]
  /** 1 for each page with nofollow for all links, else 0. */
  silent: Uint8Array
  /** How many bytes each one's links take. */
  sizes: Uint32Array
  /** Their links as blobs (`edges.ts`), one behind the other. */
  blobs: Uint8Array<ArrayBuffer>
}

/** Whether the page's robots meta, in lower case, or its X-Robots-Tag, contains nofollow. */
export type IsSilent = (directives: readonly string[], header: string | null) => boolean

export type PackedLinksReader = {
  /** All pages of the run in the order of their keys. */
  all(runId: number): AsyncGenerator<PackedLinks>
  /**
   * Returns those of these pages of the run that fit into a batch, in the order of their keys: at least one, if any
   * exists. The caller requests the rest again.
   */
  at(runId: number, urlKeys: readonly string[]): Promise<PackedLinks>
}

/** Either the metadata, or what is wanted of it. */
type Row = {
  url_key: string
  edges: Buffer
  metadata: string | null
  canonical: string | null
  robots: string | null
}

/** Of pages; and of bytes, though the last page of a batch may have more. */
const most = { pages: 500, bytes: 2 * 1024 ** 2 }

/** Characters of metadata that are read as they are, for Postgres takes ten times as long to search them as we do. */
const short = 8 * 1024

/**
 * Metadata is not parsed, as Postgres cannot with all that JSON may hold. The canonical address stands before all
 * that a page writes as it likes but two texts, in which every quote is escaped; robots and the header are the last.
 */
const columns = `url_key, edges,
  case when octet_length(metadata) <= ${short} then metadata end as metadata,
  case when octet_length(metadata) > ${short}
    then substring(split_part(metadata, '"canonical":', 2) from '^"([^"]*)"') end as canonical,
  case when octet_length(metadata) > ${short} and strpos(metadata, '"robots":[') > 0
    then split_part(metadata, '"robots":[', -1) end as robots`

const batchOf = (which: string) => `select ${columns} from (
    select *, sum(octet_length(edges)) over (order by url_key) - octet_length(edges) as before
    from (
      select url_key, edges, metadata from content.page where run_id = $1 and ${which}
      order by url_key limit ${most.pages}
    ) as these
  ) as counted
  where before <= ${most.bytes} order by url_key`

const next = batchOf('url_key > $2')
const some = batchOf('url_key = any($2)')

/** All reject as `pg` does. */
export function openPackedLinks(pool: Pick<Pool, 'query'>, isSilent: IsSilent): PackedLinksReader {
  return {
    async *all(runId) {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<Row>({ name: 'packed-links', text: next, values: [runId, after] })
        if (rows.length === 0) return
        yield packed(rows, isSilent)
        after = rows.at(-1)?.url_key ?? after
      }
    },

    async at(runId, urlKeys) {
      const { rows } = await pool.query<Row>({ name: 'some-links', text: some, values: [runId, urlKeys] })
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
  const said = rows.map(row => (row.metadata === null ? row : wantedOf(row.metadata)))
  return {
    keys: rows.map(({ url_key }) => url_key).join(''),
    canonicals: said.map(({ canonical }) => canonical && JSON.parse(`"${canonical}"`)),
    silent: Uint8Array.from(said, ({ robots }) =>
      Number(robots !== null && asksForSilence(robots, isSilent)),
    ),
    sizes,
    blobs,
  }
}

/** As the query has it. */
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

/** The value of most pages. */
const noDirective = ']}'

function asksForSilence(robots: string, isSilent: IsSilent): boolean {
  if (robots === noDirective) return false
  const said: { robots: string[]; x_robots_tag?: string } = JSON.parse(`{"robots":[${robots}`)
  return isSilent(said.robots, said.x_robots_tag ?? null)
}
