/** The route that compares one page of two runs line by line, from the stored bodies. Nothing is fetched. */

import { Refusal } from '@tidemark/bus/refusal'
import { DiffParams } from '@tidemark/contracts/http/links'
import {
  PageDiff,
  type PageDiff as PageDiffAnswer,
  PageDiffQuery,
  type TextDifference,
} from '@tidemark/contracts/http/page-diff'
import { urlKey } from '@tidemark/url/key'
import type { App } from '../app.ts'
import { normalUrl } from '../http/domain/page-url.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { callModel, type ModelBar, underWay } from '../live-pages/call-model.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import type { RunRules } from './adapters/run-rules.ts'

export type PageDiffPorts = {
  diffs: Pick<DiffReads, 'find'>
  contents: Pick<Contents, 'compare'>
  models: Models
  metering: Pick<Metering, 'served' | 'release'>
  rulesOf: RunRules
}

export function pageDiffRoute(app: App, ports: PageDiffPorts): void {
  const { diffs, contents, rulesOf } = ports
  app.get(
    '/v1/crawls/:old_id/diff/:new_id/page',
    {
      schema: {
        operationId: 'diffPage',
        summary: 'Compare one page of two crawls line by line',
        tags: ['Crawls'],
        description:
          'Lines that replace each other are compared word by word too. The `ignore_selectors`, `only_selectors` and `ignore_text` of the newer crawl apply. Derived from the stored bodies: nothing is fetched, and no page is billed. `in_words` adds the change in words, whose tokens are a row of the ledger.',
        params: DiffParams,
        querystring: PageDiffQuery,
        response: { 200: PageDiff },
      },
    },
    async ({ caller, params: { old_id, new_id }, query, id: requestId }) => {
      const { projectId } = caller
      const key = urlKey(normalUrl('url', query.url))
      const [old, fresh, { rules }] = await Promise.all([
        diffs.find(projectId, old_id, key),
        diffs.find(projectId, new_id, key),
        rulesOf(projectId, old_id, new_id),
      ])
      if (old === null || fresh === null) throw new ApiProblem('not_found', { message: notInBoth })
      const { mode = 'markdown', in_words = 'false' } = query
      const comparison = await contents.compare({ projectId, old, new: fresh, mode, ...(rules && { rules }) })
      if (comparison === null)
        throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
      const words =
        in_words === 'true' ? await inWords(ports, { projectId, requestId }, fresh.url, comparison) : {}
      return {
        old_run_id: old_id,
        new_run_id: new_id,
        url: fresh.url,
        old_page_id: old.id,
        new_page_id: fresh.id,
        mode,
        ...comparison,
        ...words,
      }
    },
  )
}

type InWords = Pick<PageDiffAnswer, 'in_words' | 'model' | 'warnings'>

/**
 * Returns the fields of the change in words. If there are no words, a warning states the reason. This is not an error,
 * because the lines are useful without words.
 */
async function inWords(
  ports: PageDiffPorts,
  request: { projectId: number; requestId: string },
  url: string,
  { lines, truncated }: TextDifference,
): Promise<InWords> {
  const changed = lines.flatMap(({ change, text }) => (change === 'same' ? [] : [{ change, text }]))
  if (changed.length === 0) return { in_words: null, ...(truncated && { warnings: [notCompared] }) }
  const work = { ...request, operation: 'page_diff' as const, what: url }
  const describe = () => ports.models.describe({ projectId: request.projectId, url, lines: changed })
  const described = await callModel(ports, work, describe).catch(error => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (described === null || described === underWay)
    return without('model_failed', 'the model could not be reached')
  if (typeof described === 'string') return without(described, bars[described])
  const { words, fault, isPart = false, use } = described
  const used = use && { model: use }
  if (fault !== null) return { ...without(fault.reason, fault.why), ...used }
  return { in_words: words, ...((isPart || truncated) && { warnings: [partOnly] }), ...used }
}

const partOnly =
  'in_words is about a part of the change: the model did not receive all changed lines, because they are too many, too long, or written to instruct a model.'
const notCompared =
  'in_words is null: the compared part has not changed, and the rest of the page was not compared.'

const without = (reason: string, why: string): InWords => ({
  in_words: null,
  warnings: [`in_words is null (${reason}): ${why}`],
})

const bars: Record<ModelBar, string> = {
  not_configured: 'this installation has no language model',
  no_consent: 'the project has not consented to the host of the model, see PUT /v1/model-consent',
  model_calls: 'the daily cap of calls of the model is used up',
}

const notInBoth =
  'There is no such crawl, or one of the two has no page of this URL. Only a page of both can be compared: read an added or removed one with GET /v1/pages/{id}.'

const notStored = 'The page cannot be compared, because one of the crawls was started with store_html: false.'
