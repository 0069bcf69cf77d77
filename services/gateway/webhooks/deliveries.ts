/** Routes for the deliveries of a crawl's webhook: they list each attempt, and redeliver. */
import { RunParams } from '@tidemark/contracts/http/crawls'
import {
  DeliveriesQuery,
  DeliveryParams,
  WebhookDelivery,
  WebhookDeliveryList,
} from '@tidemark/contracts/http/webhook'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import { capped } from '../http/domain/window.ts'
import type { Webhooks } from './adapters/webhooks.ts'

export type DeliveryPorts = {
  webhooks: Pick<Webhooks, 'list' | 'redeliver'>
  hasRun: (projectId: number, runId: number) => Promise<boolean>
}

const tags = ['Webhooks']

export function deliveryRoutes(app: App, { webhooks, hasRun }: DeliveryPorts): void {
  app.get(
    '/v1/crawls/:id/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        summary: 'List the webhook deliveries of a crawl',
        tags,
        description:
          'Lists every delivery with its attempts, in the order in which they were decided. A crawl with a webhook has one delivery from its end on, and one for each crawl.started, crawl.failed and batch of page.fetched that it selects.',
        params: RunParams,
        querystring: DeliveriesQuery,
        response: { 200: WebhookDeliveryList },
      },
    },
    async ({ caller: { projectId }, params: { id }, query }) => {
      if (!(await hasRun(projectId, id))) throw new ApiProblem('not_found')
      const { deliveries, hasMore } = await webhooks.list({ projectId, runId: id, ...capped(query) })
      return { items: deliveries, ...(hasMore && { next_offset: query.offset + deliveries.length }) }
    },
  )

  app.post(
    '/v1/crawls/:id/deliveries/:delivery_id/redeliver',
    {
      schema: {
        operationId: 'redeliver',
        summary: 'Redeliver a webhook',
        tags,
        description:
          'The delivery keeps its `webhook-id` and gets five new attempts, whether it was delivered or is dead.',
        params: DeliveryParams,
        response: { 202: WebhookDelivery },
      },
    },
    async ({ caller: { projectId }, params: { id, delivery_id: deliveryId } }, reply) => {
      if (!(await hasRun(projectId, id))) throw new ApiProblem('not_found')
      const delivery = found(await webhooks.redeliver({ projectId, runId: id, deliveryId }))
      reply.code(202)
      return delivery
    },
  )
}
