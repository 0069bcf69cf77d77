/**
 * Reports the billed units of a response in its headers, for every endpoint in the price table: `X-Pages-Billed`, and
 * `X-Cloud-Pages-Billed` if cloud pages were billed. A response whose bill may not be stored has neither.
 */
import { prices } from '@tidemark/contracts/prices'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { FastifyReply } from 'fastify'
import type { App } from '../app.ts'
import { onResponseEnd } from '../http/requests/on-response-end.ts'
import type { Metering } from './adapters/metering.ts'
import { unitsSpent } from './domain/metering.ts'

const pagesBilled = 'x-pages-billed'
const cloudPagesBilled = 'x-cloud-pages-billed'

const billing = new Set(Object.values(prices).flatMap(({ at }) => at ?? []))

type Bill = Record<UnitKind, number> | 'unknown'

const nothing: Bill = { page: 0, cloud_page: 0 }

/** Returns the metering that routes must use, so that their units are reported. Call it before any of them is added. */
export function installBilled(app: App, metering: Metering): Metering {
  const bills = new Map<string, Bill>()

  app.addHook('onRoute', route => {
    const methods = [route.method].flat()
    if (!methods.some(method => billing.has(`${method} ${route.url}`))) return
    route.onRequest = [
      async (request, { raw }) => {
        bills.set(request.id, nothing)
        // Also if the client has left, or a stream continues: units that are served later are in no header.
        onResponseEnd(raw, () => bills.delete(request.id))
      },
      ...[route.onRequest ?? []].flat(),
    ]
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      async (request, reply) => setBilledHeaders(reply, bills.get(request.id)),
    ]
  })

  return {
    ...metering,
    async served(payer, done) {
      const { requestId } = done
      const before = bills.get(requestId)
      note(requestId, 'unknown')
      await metering.served(payer, done)
      if (before !== undefined) note(requestId, sum(before, unitsSpent(done)))
    },
  }

  function note(requestId: string, bill: Bill): void {
    if (bills.has(requestId)) bills.set(requestId, bill)
  }
}

/** Adds the units of two parts of a request. */
const sum = (one: Bill, other: Record<UnitKind, number>): Bill =>
  one === 'unknown' ? one : { page: one.page + other.page, cloud_page: one.cloud_page + other.cloud_page }

/** Responses of routes whose pages are billed elsewhere. */
const external = new WeakSet<FastifyReply>()

/**
 * Call it before the work of a route whose pages are billed elsewhere: from then on an error of the service has no header,
 * because the work may have begun.
 */
export const awaitPagesBilled = (reply: FastifyReply): void => void external.add(reply)

/** Sets the header for a route whose pages are billed elsewhere. The hook does not overwrite it. */
export const setPagesBilled = (reply: FastifyReply, pages: number) => reply.header(pagesBilled, pages)

function setBilledHeaders(reply: FastifyReply, bill: Bill = nothing): void {
  if (bill === 'unknown' || reply.hasHeader(pagesBilled) || isStream(reply)) return
  if (external.has(reply) && reply.statusCode >= 500) return
  reply.header(pagesBilled, bill.page)
  if (bill.cloud_page > 0) reply.header(cloudPagesBilled, bill.cloud_page)
}

/** Returns whether the response is a stream, which sends its headers before the units are known. */
const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')
