/**
 * The difference between two runs of a project, whatever state they are in: what is there is compared, and what could
 * not be read is no difference.
 */
import { DiffParams, DiffQuery, RunDiff } from '@tidemark/contracts/http/links'
import type { DiffFieldReads } from '../adapters/diff-fields.ts'
import type { DiffReads } from '../adapters/diff-reads.ts'
import type { App } from '../app.ts'
import type { Difference } from '../domain/difference.ts'
import { mediaTypes } from '../domain/list-format.ts'
import { ApiProblem } from '../domain/problem.ts'
import { Seats } from '../domain/seats.ts'
import { arrayText } from './long-list.ts'
import { takeSeat } from './take-seat.ts'
import { sendText } from './text-stream.ts'

export type DiffPorts = {
  diffs: DiffReads
  diffFields: DiffFieldReads
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

/** Comparisons of a project at once: each reads all pages of two runs, and nothing is billed for it. */
const comparisonsOfProject = 2

const noSeat = {
  reason: 'comparisons',
  message: `The project already compares ${comparisonsOfProject} pairs of crawls. Wait for one to end first.`,
} as const

type Asked = { projectId: number; oldId: number; newId: number; fields: string | undefined }

export function diffRoutes(app: App, { diffs, diffFields, hasRun }: DiffPorts): void {
  const seats = new Seats(comparisonsOfProject)
  app.get(
    '/v1/crawls/:old_id/diff/:new_id',
    {
      schema: {
        operationId: 'diffCrawls',
        summary: 'Compare the pages of two crawls',
        tags: ['Crawls'],
        description:
          'By `content_hash`, whatever state they are in. Pages that one of them could not read are no difference: they are listed apart, each with the cause.',
        params: DiffParams,
        querystring: DiffQuery,
        response: { 200: RunDiff },
      },
    },
    async ({ caller: { projectId }, params, query: { fields } }, reply) => {
      const { old_id: oldId, new_id: newId } = params
      const asked = { projectId, oldId, newId, fields }
      const signal = takeSeat(seats, projectId, reply, noSeat)
      const known = await Promise.all([hasRun(projectId, oldId), hasRun(projectId, newId)])
      if (known.includes(false)) throw new ApiProblem('not_found')
      const difference = await diffs.compare(projectId, oldId, newId, signal)
      return sendText(reply, mediaTypes.json, diffText(asked, difference))
    },
  )

  async function* diffText({ projectId, oldId, newId, fields }: Asked, difference: Difference) {
    const { unchanged, added, removed, changedNew, notRevisited, notCompared } = difference
    const summary = {
      added: added.length,
      removed: removed.length,
      changed: changedNew.length,
      unchanged,
      not_revisited: notRevisited.ids.length,
      not_compared: notCompared.ids.length,
    }
    const head = { old_run_id: oldId, new_run_id: newId, summary }
    const { changes, warnings } = diffFields(fields, { projectId, oldId, newId })
    yield JSON.stringify(head).slice(0, -1)
    yield ',"added":'
    yield* arrayText(diffs.pages(projectId, added))
    yield ',"removed":'
    yield* arrayText(diffs.pages(projectId, removed))
    yield ',"changed":'
    yield* arrayText(changes(diffs.changes(projectId, difference), difference))
    yield ',"not_revisited":'
    yield* arrayText(diffs.left(projectId, notRevisited))
    yield ',"not_compared":'
    yield* arrayText(diffs.left(projectId, notCompared))
    yield warnings.length === 0 ? '}' : `,"warnings":${JSON.stringify(warnings)}}`
  }
}
