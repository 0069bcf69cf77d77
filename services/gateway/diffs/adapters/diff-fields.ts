/**
 * Reads the fields of changed pages that differ besides the content, in batches with the list of changes. Only stored
 * fields are read.
 */
import { readMetadata } from '@tidemark/content/page-batches'
import type { DiffField, RunDiff } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import type { InlinkCounts, InlinkReads } from '../../read-model/adapters/inlink-reads.ts'
import { type Described, fieldsOfDiff, needMetadata, valuesOf } from '../domain/diff-fields.ts'
import type { ChangedPage } from './diff-reads.ts'

type Change = RunDiff['changed'][number]
type Runs = {
  projectId: number
  oldId: number
  newId: number
  /** Whether any page has changed, so that its fields are read. */
  hasChanged: boolean
}
/** Runs a scan of all links within the limits of a project. */
type Scan = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>
type OneRun = { runId: number; inlinks: InlinkCounts }
type Client = ReturnType<OfProject>

/** Counts links before it resolves, so that a refusal of the scan is not in the middle of an answer. */
export type DiffFieldReads = (
  /** Names of fields as the client sent them. */
  fields: string | undefined,
  runs: Runs,
  scan: Scan,
) => Promise<{
  /** Yields the changes without their ids, and with the fields that differ. Pages that are deleted meanwhile are absent. */
  changes(pieces: AsyncIterable<ChangedPage[]>): AsyncIterable<Change[]>
  warnings: string[]
}>

type Row = { id: number; url_key: string; title: string | null; status: number; depth: number }
type Pair = { change: Change; old: Row; new: Row }

const pagesById = `select id, url_key, title, status, depth from read.page
  where project_id = $1 and id = any($2::bigint[])`

/** Maximum number of changes that are yielded together. Each may have long texts. */
const maxYielded = 250

export function openDiffFields(reads: OfProject, inlinksOf: InlinkReads): DiffFieldReads {
  return async (requested, { projectId, oldId, newId, hasChanged }, scan) => {
    const { fields, warnings } = fieldsOfDiff(requested)
    if (fields.length === 0) return { changes: withoutIds, warnings }
    const isCounted = fields.includes('inlinks') && hasChanged
    // The runs are scanned one after the other, because a scan covers one run.
    const [oldInlinks, newInlinks] = isCounted
      ? await scan(async signal => [
          await inlinksOf({ projectId, runId: oldId }, signal),
          await inlinksOf({ projectId, runId: newId }, signal),
        ])
      : []
    const before: OneRun = { runId: oldId, inlinks: oldInlinks ?? null }
    const after: OneRun = { runId: newId, inlinks: newInlinks ?? null }
    return {
      warnings,
      async *changes(pieces) {
        const client = reads(projectId)
        for await (const piece of pieces) {
          const pairs = await pairsOf(client, projectId, piece)
          for (let at = 0; at < pairs.length; at += maxYielded)
            yield await compared(pairs.slice(at, at + maxYielded))
        }
      },
    }

    async function compared(pairs: readonly Pair[]): Promise<Change[]> {
      const client = reads(projectId)
      const olds = pairs.map(({ old }) => old)
      const news = pairs.map(pair => pair.new)
      const [was, is] = [
        await described(client, before, fields, olds),
        await described(client, after, fields, news),
      ]
      return pairs.map(({ change }, n) => ({ ...change, fields: differing(fields, was[n], is[n]) }))
    }
  }
}

/** Returns the changes with the rows of both pages, without pages that are deleted meanwhile. */
async function pairsOf(client: Client, projectId: number, piece: readonly ChangedPage[]): Promise<Pair[]> {
  const byId = async (ids: number[]) => {
    const { rows } = await client.query<Row>(pagesById, [projectId, ids])
    return new Map(rows.map(row => [row.id, row]))
  }
  const [olds, news] = [
    await byId(piece.map(({ oldId }) => oldId)),
    await byId(piece.map(({ newId }) => newId)),
  ]
  return piece.flatMap(({ oldId, newId, ...change }) => {
    const [old, fresh] = [olds.get(oldId), news.get(newId)]
    return old && fresh ? [{ change, old, new: fresh }] : []
  })
}

/** Returns the values of pages in their order. Reads metadata only for fields that the rows lack. */
async function described(
  client: Client,
  { runId, inlinks }: OneRun,
  fields: readonly DiffField[],
  rows: readonly Row[],
): Promise<Described[]> {
  const keys = rows.map(({ url_key }) => url_key)
  const stored = needMetadata(fields) ? readMetadata(client, runId, keys) : null
  const values: Described[] = []
  for (const row of rows) {
    const metadata = (await stored?.next())?.value
    values.push(valuesOf(row, metadata, inlinks === null ? null : (inlinks.get(row.id) ?? 0)))
  }
  return values
}

async function* withoutIds(pieces: AsyncIterable<ChangedPage[]>): AsyncGenerator<Change[]> {
  for await (const piece of pieces) yield piece.map(({ oldId, newId, ...change }) => change)
}

function differing(fields: readonly DiffField[], before: Described = {}, after: Described = {}) {
  const pairs = fields.map(
    field => [field, { old: before[field] ?? null, new: after[field] ?? null }] as const,
  )
  return Object.fromEntries(pairs.filter(([, pair]) => JSON.stringify(pair.old) !== JSON.stringify(pair.new)))
}
