/** The difference between two runs of a project, whatever state they are in: what is there is compared. */
import { DiffParams, RunDiff } from '@tidemark/contracts/http/links'
import type { Difference, DiffReads } from '../adapters/diff-reads.ts'
import type { App } from '../app.ts'
import { mediaTypes } from '../domain/list-format.ts'
import { ApiProblem } from '../domain/problem.ts'
import { arrayText } from './long-list.ts'
import { sendText } from './text-stream.ts'

export type DiffPorts = {
  diffs: DiffReads
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

export function diffRoutes(app: App, { diffs, hasRun }: DiffPorts): void {
  app.get(
    '/v1/crawls/:id/diff/:new_id',
    {
      schema: {
        operationId: 'diffCrawls',
        summary: 'Compare the pages of two crawls',
        tags: ['Crawls'],
        params: DiffParams,
        response: { 200: RunDiff },
      },
    },
    async ({ caller: { projectId }, params: { id, new_id } }, reply) => {
      const known = await Promise.all([hasRun(projectId, id), hasRun(projectId, new_id)])
      if (known.includes(false)) throw new ApiProblem('not_found')
      const difference = await diffs.compare(projectId, id, new_id)
      return sendText(reply, mediaTypes.json, diffText(projectId, id, new_id, difference))
    },
  )

  async function* diffText(projectId: number, oldId: number, newId: number, difference: Difference) {
    const { unchanged, added, removed, changedNew } = difference
    const summary = {
      added: added.length,
      removed: removed.length,
      changed: changedNew.length,
      unchanged,
    }
    const head = { old_run_id: oldId, new_run_id: newId, summary }
    yield JSON.stringify(head).slice(0, -1)
    yield ',"added":'
    yield* arrayText(diffs.pages(projectId, added))
    yield ',"removed":'
    yield* arrayText(diffs.pages(projectId, removed))
    yield ',"changed":'
    yield* arrayText(diffs.changes(projectId, difference))
    yield '}'
  }
}
