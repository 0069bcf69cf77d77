/** `POST /v1/pages/{id}/extract`: values of a stored page by a JSON Schema. */
import { PageExtraction, PageExtractRequest } from '@tidemark/contracts/http/extraction'
import { PageParams } from '@tidemark/contracts/http/pages'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Contents } from '../reading/adapters/contents.ts'
import { assertNothingElse, assertSchema } from '../reading/domain/extract-request.ts'
import type { PageReads } from './adapters/page-reads.ts'

export type PageExtractPorts = { pages: Pick<PageReads, 'find'>; contents: Pick<Contents, 'read'> }

const nothingElse = { html: false, markdown: null, article: false, signals: false, anchors: false }

export function pageExtractRoute(app: App, { pages, contents }: PageExtractPorts): void {
  app.post(
    '/v1/pages/:id/extract',
    {
      schema: {
        operationId: 'extractFromPage',
        summary: 'Read values of a page by a JSON Schema',
        tags: ['Pages'],
        description:
          'Fills the schema from the structured data, metadata, tables and definition lists of the stored body. Nothing is fetched, and nothing is billed.',
        params: PageParams,
        body: PageExtractRequest,
        response: { 200: PageExtraction },
      },
    },
    async ({ body, params, caller: { projectId } }) => {
      const { schema, prompt, model } = body
      const others = { ...(prompt !== undefined && { prompt }), ...(model !== undefined && { model }) }
      assertNothingElse(others, '')
      await assertSchema(schema, 'schema')
      const page = await pages.find(projectId, params.id)
      if (page === null) throw new ApiProblem('not_found')
      const { id, url, status, runId, urlKey } = page
      const wanted = { ...nothingElse, schema }
      const content = await contents.read({ projectId, runId, urlKey, url, status, wanted })
      if (content === null)
        throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
      const { extraction, warnings } = content
      if (extraction === undefined) throw new Error('the extractor returned no extraction')
      return { id, url, status, extraction, ...(warnings.length > 0 && { warnings }) }
    },
  )
}

const notStored =
  'The body of this page was not kept; its crawl was started with store_html: false. Crawl the page again.'
