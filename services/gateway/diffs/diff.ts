/**
 * The route that compares two runs of a project, in any status. Every page of either run is in one class, and an unread
 * page is not a difference.
 */
import { DiffParams, DiffQuery, RunDiff } from '@tidemark/contracts/http/links'
import type { App } from '../app.ts'
import { arrayText, warningsText } from '../http/answers/long-list.ts'
import { takeSeat } from '../http/answers/take-seat.ts'
import { sendText } from '../http/answers/text-stream.ts'
import { mediaTypes } from '../http/domain/list-format.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { Seats } from '../http/domain/seats.ts'
import type { DiffFieldReads } from './adapters/diff-fields.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import type { Difference } from './domain/difference.ts'

export type DiffPorts = {
  diffs: DiffReads
  diffFields: DiffFieldReads
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

/** Maximum number of concurrent comparisons of a project. Each reads all pages of two runs, and is not billed. */
const comparisonsOfProject = 2

const noSeat = {
  reason: 'comparisons',
  message: `The project already compares ${comparisonsOfProject} pairs of crawls. Wait for one to end first.`,
} as const

type Compared = {
  oldId: number
  newId: number
  difference: Difference
  changes: ReturnType<DiffFieldReads>['changes']
  /** The warnings as the last field of the response's text. */
  warnings: string
}

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
          'Compares `content_hash` and HTTP status of crawls in any status. HTTP errors count as responses: a page that was fine and returns 500 or 403 is `changed`, and one that returns 404 or 410 is `removed`. Pages that one crawl could not read are no difference: they are listed separately, each with its cause. Every page of either crawl is in exactly one class, so `pages` is the sum of the other counts.',
        params: DiffParams,
        querystring: DiffQuery,
        response: { 200: RunDiff },
      },
    },
    async ({ caller: { projectId }, params, query: { fields }, warnings }, reply) => {
      const { old_id: oldId, new_id: newId } = params
      const signal = takeSeat(seats, projectId, reply, noSeat)
      const known = await Promise.all([hasRun(projectId, oldId), hasRun(projectId, newId)])
      if (known.includes(false)) throw new ApiProblem('not_found')
      const difference = await diffs.compare(projectId, oldId, newId, signal)
      const described = diffFields(fields, { projectId, oldId, newId })
      warnings.push(...described.warnings)
      const { changes } = described
      const compared = { oldId, newId, difference, changes, warnings: warningsText(reply) }
      return sendText(reply, mediaTypes.json, diffText(projectId, compared))
    },
  )

  async function* diffText(projectId: number, { oldId, newId, difference, changes, warnings }: Compared) {
    const { pages, unchanged, added, removed, changedNew, notRevisited, notCompared } = difference
    const summary = {
      added: added.length,
      removed: removed.length,
      changed: changedNew.length,
      unchanged,
      not_revisited: notRevisited.ids.length,
      not_compared: notCompared.ids.length,
      pages,
    }
    const head = { old_run_id: oldId, new_run_id: newId, summary }
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
    yield `${warnings}}`
  }
}
