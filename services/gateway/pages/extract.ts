/** `POST /v1/pages/{id}/extract`: values of a stored page by a JSON Schema. */
import { PageExtraction, PageExtractRequest } from '@tidemark/contracts/http/extraction'
import { PageParams } from '@tidemark/contracts/http/pages'
import { priceText } from '@tidemark/contracts/prices'
import { nothing } from '@tidemark/contracts/rpc/content'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { assertModel, reserveModelCall } from '../live-pages/assert-model.ts'
import { assertSchema, byModelOf } from '../live-pages/domain/extract-request.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { modelUsed } from '../metering/domain/metering.ts'
import type { PageReads } from './adapters/page-reads.ts'

export type PageExtractPorts = {
  pages: Pick<PageReads, 'find'>
  contents: Pick<Contents, 'read'>
  models: Models
  metering: Pick<Metering, 'served' | 'release'>
}

export function pageExtractRoute(app: App, { pages, contents, models, metering }: PageExtractPorts): void {
  app.post(
    '/v1/pages/:id/extract',
    {
      schema: {
        operationId: 'extractFromPage',
        summary: 'Read values of a page by a JSON Schema',
        tags: ['Pages'],
        description: `Fills the schema from the structured data, metadata, tables and definition lists of the stored body. \`prompt\` or \`model\` lets the language model of this installation fill the properties that are still null; its tokens are a row of the ledger. Nothing is fetched. ${priceText('page_extract')}`,
        params: PageParams,
        body: PageExtractRequest,
        response: { 200: PageExtraction },
      },
    },
    async ({ body, params, caller, id: requestId }) => {
      const { projectId } = caller
      const { schema } = body
      const byModel = byModelOf(body)
      await assertSchema(schema, 'schema')
      if (byModel) await assertModel(models, projectId, byModel, '')
      const page = found(await pages.find(projectId, params.id))
      const { id, url, status, runId, urlKey } = page
      const prompt = byModel?.prompt === undefined ? {} : { prompt: byModel.prompt }
      const wanted = { ...nothing, schema, ...(byModel && { byModel: prompt }) }
      const release = () => metering.release(caller, requestId)
      if (byModel) await reserveModelCall(models, { projectId, requestId }, release)
      const request = { projectId, runId, urlKey, url, status, wanted }
      const content = await contents.read(request).catch(error => {
        if (byModel) release()
        throw error
      })
      if (byModel && !content?.extraction?.model) release()
      if (content === null)
        throw new ApiProblem('conflict', { message: notStored, reason: 'html_not_stored' })
      const { extraction, warnings } = content
      if (extraction === undefined) throw new Error('the extractor returned no extraction')
      if (extraction.model) {
        const model = modelUsed(extraction, url)
        await metering.served(caller, { requestId, operation: 'page_extract', tried: [], ...model })
      }
      return { id, url, status, extraction, ...(warnings.length > 0 && { warnings }) }
    },
  )
}

const notStored =
  'The body of this page was not kept; its crawl was started with store_html: false. Crawl the page again.'
