/**
 * Reads the fields of changed pages that differ besides the content, in batches with the list of changes. Only stored
 * fields are read.
 */
import { openContent } from '@tidemark/content/store'
import type { DiffField, RunDiff } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import type { InlinkCounts, InlinkReads } from '../../read-model/adapters/inlink-reads.ts'
import { type Described, fieldsOfDiff, valuesOf } from '../domain/diff-fields.ts'
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
type OneRun = { projectId: number; runId: number; inlinks: InlinkCounts }

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

const described = `select id, url_key, title, status, depth from read.page
  where project_id = $1 and id = any($2::bigint[])`

export function openDiffFields(reads: OfProject, inlinksOf: InlinkReads): DiffFieldReads {
  return async (requested, { projectId, oldId, newId, hasChanged }, scan) => {
    const { fields, warnings } = fieldsOfDiff(requested)
    if (fields.length === 0) return { changes: withoutIds, warnings }
    const isCounted = fields.includes('inlinks') && hasChanged
    // One after the other, because a scan is of one run.
    const [oldInlinks, newInlinks] = isCounted
      ? await scan(async signal => [
          await inlinksOf({ projectId, runId: oldId }, signal),
          await inlinksOf({ projectId, runId: newId }, signal),
        ])
      : []
    const before: OneRun = { projectId, runId: oldId, inlinks: oldInlinks ?? null }
    const after: OneRun = { projectId, runId: newId, inlinks: newInlinks ?? null }
    return {
      warnings,
      async *changes(pieces) {
        for await (const piece of pieces) {
          const [olds, news] = await Promise.all([
            read(
              before,
              piece.map(({ oldId }) => oldId),
            ),
            read(
              after,
              piece.map(({ newId }) => newId),
            ),
          ])
          yield piece.flatMap(({ oldId, newId, ...change }) => {
            const [old, fresh] = [olds.get(oldId), news.get(newId)]
            return old && fresh ? [{ ...change, fields: differing(fields, old, fresh) }] : []
          })
        }
      },
    }
  }

  async function read({ projectId, runId, inlinks }: OneRun, ids: number[]): Promise<Map<number, Described>> {
    const client = reads(projectId)
    const { rows } = await client.query<Row>(described, [projectId, ids])
    const keys = rows.map(({ url_key }) => url_key)
    const metadata = await openContent(client).readMetadata(runId, keys)
    return new Map(
      rows.map(({ id, url_key, ...row }) => [
        id,
        valuesOf(row, metadata.get(url_key), inlinks === null ? null : (inlinks.get(id) ?? 0)),
      ]),
    )
  }
}

async function* withoutIds(pieces: AsyncIterable<ChangedPage[]>): AsyncGenerator<Change[]> {
  for await (const piece of pieces) yield piece.map(({ oldId, newId, ...change }) => change)
}

function differing(fields: readonly DiffField[], before: Described, after: Described) {
  const pairs = fields.map(
    field => [field, { old: before[field] ?? null, new: after[field] ?? null }] as const,
  )
  return Object.fromEntries(pairs.filter(([, pair]) => JSON.stringify(pair.old) !== JSON.stringify(pair.new)))
}
