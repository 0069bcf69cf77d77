/** The route that compares one page of two runs line by line, from the stored bodies. Nothing is fetched. */
import { DiffParams } from '@tidemark/contracts/http/links'
import { PageDiff, PageDiffQuery } from '@tidemark/contracts/http/page-diff'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { App } from '../app.ts'
import { unusable } from '../http/domain/address.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import type { Contents } from '../reading/adapters/contents.ts'
import type { DiffReads } from './adapters/diff-reads.ts'
import type { RunRules } from './adapters/run-rules.ts'

export type PageDiffPorts = {
  diffs: Pick<DiffReads, 'find'>
  contents: Pick<Contents, 'compare'>
  rulesOf: RunRules
}

export function pageDiffRoute(app: App, { diffs, contents, rulesOf }: PageDiffPorts): void {
  app.get(
    '/v1/crawls/:old_id/diff/:new_id/page',
    {
      schema: {
        operationId: 'diffPage',
        summary: 'Compare one page of two crawls line by line',
        tags: ['Crawls'],
        description:
          'Lines that replace each other are compared word by word too. The `ignore_selectors`, `only_selectors` and `ignore_text` of the newer crawl apply. Derived from the stored bodies: nothing is fetched, and nothing is billed.',
        params: DiffParams,
        querystring: PageDiffQuery,
        response: { 200: PageDiff },
      },
    },
    async ({ caller: { projectId }, params: { old_id, new_id }, query }) => {
      const key = keyOf(query.url)
      const [old, fresh, { rules }] = await Promise.all([
        diffs.find(projectId, old_id, key),
        diffs.find(projectId, new_id, key),
        rulesOf(projectId, old_id, new_id),
      ])
      if (old === null || fresh === null) throw new ApiProblem('not_found')
      const { mode = 'markdown' } = query
      const told = await contents.compare({ projectId, old, new: fresh, mode, ...(rules && { rules }) })
      if (told === null) throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
      const pages = { old_page_id: old.id, new_page_id: fresh.id }
      return { old_run_id: old_id, new_run_id: new_id, url: fresh.url, ...pages, mode, ...told }
    },
  )
}

function keyOf(url: string): string {
  const fault = unusable(url)
  if (fault !== null) throw refusal('url', 'bad_url', `url is not the URL of a page: ${fault}.`)
  return urlKey(normalForm(url) ?? url)
}

const notStored = 'The page cannot be compared, because one of the crawls was started with store_html: false.'
