/**
 * The table `content.archive`: the commits of runs that ended long ago, as one compressed blob per run. It replaces
 * the commits after they were removed from the stream. A run is read from here first, then from the stream after
 * `lastSequence`.
 */
import type { Pool } from 'pg'
import { compress, decompress } from './zstd.ts'

/** A commit of the stream: its facet of the run, its sequence and its bytes (JSON without line breaks). */
export type ArchivedCommit = { facet: string; sequence: number; data: Buffer }

/**
 * An archived run, with commits in the order of the stream. It includes all commits up to `lastSequence`, also those
 * that are still in the stream.
 */
export type ArchivedRun = { runId: number; lastSequence: number; commits: ArchivedCommit[] }

export type Archives = {
  /** Stores the commits of a run, at least one. They replace earlier ones. */
  store(runId: number, commits: readonly ArchivedCommit[]): Promise<void>
  /** Returns an archived run, or null if it has no archive, or only commits up to `after` (0 by default). */
  read(runId: number, after?: number): Promise<ArchivedRun | null>
  remove(runId: number): Promise<void>
}

/** Migrations in order. They never change once they have run anywhere. */
export const archiveTables: readonly string[] = [
  `create table content.archive (
    run_id bigint primary key,
    data bytea not null,
    commits integer not null,
    first_seq bigint not null,
    last_seq bigint not null
  )`,
  'alter table content.archive alter column data set storage external',
]

type Row = { run_id: number | string; data: Buffer; last_seq: number | string }

const version = 1
const maxBytes = 2 ** 30

/** Opens the archive. All calls reject with the errors of `pg`. */
export const openArchives = (pool: Pick<Pool, 'query'>): Archives => ({
  async store(runId, commits) {
    await pool.query(
      `insert into content.archive (run_id, data, commits, first_seq, last_seq) values ($1, $2, $3, $4, $5)
       on conflict (run_id) do update set data = excluded.data, commits = excluded.commits,
         first_seq = excluded.first_seq, last_seq = excluded.last_seq`,
      [runId, pack(commits), commits.length, commits.at(0)?.sequence, commits.at(-1)?.sequence],
    )
  },

  async read(runId, after = 0) {
    const { rows } = await pool.query<Row>(
      'select run_id, data, last_seq from content.archive where run_id = $1 and last_seq > $2',
      [runId, after],
    )
    return rows[0] ? runOf(rows[0]) : null
  },

  async remove(runId) {
    await pool.query('delete from content.archive where run_id = $1', [runId])
  },
})

/**
 * Returns at most `limit` archived runs in the order of their ids, after this id. Rebuilds apply these first, then
 * the stream without the commits of an archived run up to its `lastSequence`.
 */
export async function readArchives(
  pool: Pick<Pool, 'query'>,
  afterRunId: number,
  limit: number,
): Promise<ArchivedRun[]> {
  const { rows } = await pool.query<Row>(
    'select run_id, data, last_seq from content.archive where run_id > $1 order by run_id limit $2',
    [afterRunId, limit],
  )
  return rows.map(runOf)
}

const runOf = ({ run_id, data, last_seq }: Row): ArchivedRun => ({
  runId: Number(run_id),
  lastSequence: Number(last_seq),
  commits: unpack(data),
})

/** Packs commits: a version byte, then zstd over lines of `facet sequence json`. */
function pack(commits: readonly ArchivedCommit[]): Buffer {
  const lines = commits.flatMap(({ facet, sequence, data }) => [
    Buffer.from(`${facet} ${sequence} `),
    data,
    Buffer.of(lineBreak),
  ])
  return Buffer.concat([Buffer.of(version), compress(Buffer.concat(lines))])
}

const lineBreak = 10
const space = 32

function unpack(packed: Buffer): ArchivedCommit[] {
  if (packed[0] !== version) throw new RangeError(`An archive of version ${packed[0]} cannot be read.`)
  const text = decompress(packed.subarray(1), maxBytes)
  const commits: ArchivedCommit[] = []
  for (let at = 0; at < text.length; ) {
    const facetEnd = text.indexOf(space, at)
    const sequenceEnd = text.indexOf(space, facetEnd + 1)
    const end = text.indexOf(lineBreak, sequenceEnd)
    commits.push({
      facet: text.toString('utf8', at, facetEnd),
      sequence: Number(text.toString('utf8', facetEnd + 1, sequenceEnd)),
      data: text.subarray(sequenceEnd + 1, end),
    })
    at = end + 1
  }
  return commits
}
