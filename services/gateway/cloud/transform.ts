/** `POST /v1/cloud/transform`: converts a document of the client to another format. Nothing is fetched. */
import { CloudDocument, TransformRequest, transformBodyLimit } from '@tidemark/contracts/http/cloud/transform'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import type { SlotHook } from '../http/responses/slot-hook.ts'
import { unprocessable } from '../http/responses/unprocessable.ts'
import { documentOf } from '../live-pages/domain/document-input.ts'
import { costFields } from '../live-pages/domain/page-fields.ts'
import type { CloudPorts } from './ports.ts'

export function transformRoutes(app: App, { cloud }: Pick<CloudPorts, 'cloud'>, acquireSlot: SlotHook): void {
  app.post(
    '/v1/cloud/transform',
    {
      bodyLimit: transformBodyLimit,
      onRequest: acquireSlot,
      errorHandler: unprocessable,
      schema: {
        operationId: 'cloudTransform',
        summary: 'Convert a document to another format',
        description: `Accepts up to 28 MB of JSON. Nothing is fetched. ${priceText('cloud_transform')}`,
        tags: ['Cloud'],
        body: TransformRequest,
        response: { 200: CloudDocument },
      },
    },
    async ({ body, caller: { projectId }, warnings: ignored }) => {
      const start = performance.now()
      const { return_format, readability } = body
      const how = { projectId, format: return_format, readability }
      const { content, engine, warnings } = await cloud.transform(documentOf(body), how)
      const cost = costFields(0, performance.now() - start, [...ignored, ...warnings])
      return { content, status: 200, return_format, engine, ...cost }
    },
  )
}
