/**
 * The route that compares two runs of a project, in any status. Every page of either run is in one class, and an unread
 * page is not a difference.
 */
import { DiffParams, DiffQuery, RunDiff } from '@tidemark/contracts/http/links'
import type { App } from '../app.ts'
import { formatOf, mediaTypes } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { Slots } from '../http/domain/slots.ts'
import { vary } from '../http/requests/vary.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import type { ScanLinks } from '../http/responses/link-scans.ts'
import { warningsText } from '../http/responses/long-list.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { sendText } from '../http/responses/text-stream.ts'
import { assertExist, type HasRun, whileExist } from '../read-model/existing-run.ts'
import type { DiffFieldReads } from './adapters/diff-fields.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import { fieldsOfDiff } from './domain/diff-fields.ts'
import { diffShape } from './domain/diff-rows.ts'
import { classesOf, diffRows, diffText, summaryOf } from './write-diff.ts'

export type DiffPorts = {
  diffs: DiffReads
  diffFields: DiffFieldReads
  scanLinks: ScanLinks
  hasRun: HasRun
}

/** Maximum number of concurrent comparisons of a project. Each reads all pages of two runs, and is not billed. */
const comparisonsOfProject = 2

const noSlot = {
  reason: 'comparisons',
  message: `The project already compares ${comparisonsOfProject} pairs of crawls. Wait for one to end first.`,
} as const

const otherRules =
  'the crawls have different rules of comparison (ignore_selectors, only_selectors, ignore_text), so pages were compared as a whole'

export function diffRoutes(app: App, { diffs, diffFields, scanLinks, hasRun }: DiffPorts): void {
  const slots = new Slots(comparisonsOfProject)
  app.get(
    '/v1/crawls/:old_id/diff/:new_id',
    {
      schema: {
        operationId: 'diffCrawls',
        summary: 'Compare the pages of two crawls',
        tags: ['Crawls'],
        description:
          'Compares `content_hash` and HTTP status of crawls in any status. If both crawls have the same `ignore_selectors`, `only_selectors` and `ignore_text`, only the parts that count by them are compared. HTTP errors count as responses: a page that was fine and returns 500 or 403 is `changed`, and one that returns 404 or 410 is `removed`. Pages that one crawl could not read are not differences: they are listed separately, each with its cause. Every page of either crawl is in exactly one class, so `pages` is the sum of the other counts. With ndjson and csv, each row is one page that is not unchanged.',
        params: DiffParams,
        querystring: DiffQuery,
        response: { 200: RunDiff },
      },
    },
    async ({ caller: { projectId }, params, query, headers, warnings }, reply) => {
      const { old_id: oldId, new_id: newId } = params
      const { fields } = query
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const signal = acquireSlot(slots, projectId, reply, noSlot)
      const both = [oldId, newId].map(runId => ({ projectId, runId }))
      await assertExist(hasRun, ...both)
      const difference = await diffs.compare(projectId, oldId, newId, signal)
      if (difference.haveOtherRules) warnings.push(otherRules)
      const runs = { projectId, oldId, newId, hasChanged: difference.changedNew.length > 0 }
      const described = await diffFields(fields, runs, work => scanLinks(reply, work))
      warnings.push(...described.warnings)
      await assertExist(hasRun, ...both)
      const read = classesOf(diffs, { projectId, difference, changes: described.changes })
      const classes = { ...read, not_compared: whileExist(read.not_compared, hasRun, ...both) }
      if (format === 'json') {
        const head = { old_run_id: oldId, new_run_id: newId, summary: summaryOf(difference) }
        return sendText(reply, mediaTypes.json, diffText(head, classes, warningsText(reply)))
      }
      const shape = diffShape(fieldsOfDiff(fields).fields)
      const rows = rowsText(format, shape, diffRows(classes, shape.columns))
      const path = `/v1/crawls/${oldId}/diff/${newId}`
      return sendRows(reply, { format, rows, next: null, path, query })
    },
  )
}
