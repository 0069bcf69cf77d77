/** What of changed pages is different besides their content, as far as it is stored: piece by piece with the list. */
import { openContent } from '@tidemark/content/store'
import type { DiffField, RunDiff } from '@tidemark/contracts/http/links'
import type { OfProject } from '@tidemark/db/of-project'
import { type Described, fieldsOfDiff, valuesOf } from '../domain/diff-fields.ts'
import type { Difference } from '../domain/difference.ts'
import type { InlinkReads } from './inlink-reads.ts'

type Change = RunDiff['changed'][number]
type Runs = { projectId: number; oldId: number; newId: number }

export type DiffFieldReads = (
  /** As the client names them. */
  fields: string | undefined,
  runs: Runs,
) => {
  /** The same changes, each with those of the fields that differ. */
  changes(
    pieces: AsyncIterable<Change[]>,
    difference: Pick<Difference, 'changedOld' | 'changedNew'>,
  ): AsyncIterable<Change[]>
  warnings: string[]
}

type Row = { id: number; url_key: string; title: string | null; status: number; depth: number }

const described = `select id, url_key, title, status, depth from read.page
  where project_id = $1 and id = any($2::bigint[])`

export function openDiffFields(reads: OfProject, inlinksOf: InlinkReads): DiffFieldReads {
  return (asked, { projectId, oldId, newId }) => {
    const { fields, warnings } = fieldsOfDiff(asked)
    if (fields.length === 0) return { changes: pieces => pieces, warnings }
    return {
      warnings,
      async *changes(pieces, { changedOld, changedNew }) {
        let at = 0
        for await (const piece of pieces) {
          const [olds, news] = await Promise.all([
            read({ projectId, runId: oldId }, changedOld.slice(at, at + piece.length), fields),
            read({ projectId, runId: newId }, changedNew.slice(at, at + piece.length), fields),
          ])
          yield piece.map((change, n) => ({ ...change, fields: differing(fields, olds[n], news[n]) }))
          at += piece.length
        }
      },
    }
  }

  async function read(
    run: { projectId: number; runId: number },
    ids: number[],
    fields: readonly DiffField[],
  ): Promise<(Described | undefined)[]> {
    const client = reads(run.projectId)
    const { rows } = await client.query<Row>(described, [run.projectId, ids])
    const keys = rows.map(({ url_key }) => url_key)
    const metadata = await openContent(client).readMetadata(run.runId, keys)
    const inlinks = fields.includes('inlinks') ? await inlinksOf(run) : null
    const pages = new Map(
      rows.map(({ id, url_key, ...row }) => [
        id,
        valuesOf(row, metadata.get(url_key), inlinks === null ? null : (inlinks.get(id) ?? 0)),
      ]),
    )
    return ids.map(id => pages.get(id))
  }
}

function differing(fields: readonly DiffField[], before?: Described, after?: Described) {
  const pairs = fields.map(
    field => [field, { old: before?.[field] ?? null, new: after?.[field] ?? null }] as const,
  )
  return Object.fromEntries(pairs.filter(([, pair]) => JSON.stringify(pair.old) !== JSON.stringify(pair.new)))
}
