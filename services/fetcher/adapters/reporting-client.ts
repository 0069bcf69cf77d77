/**
 * Extends an HTTP client with callbacks when a request leaves and when its response begins. The client reads a large
 * body only when the memory budget has capacity for it.
 */
import type { HttpClient } from '@tidemark/http/client'
import { locationOf } from '@tidemark/http/redirect'
import { type BodyMemory, smallBody } from '../concurrency/body-memory.ts'

type Dispatch = HttpClient['dispatch']
type Handler = Parameters<Dispatch>[1]
type Controller = Parameters<NonNullable<Handler['onResponseStart']>>[0]
type Fields = Parameters<NonNullable<Handler['onResponseStart']>>[2]

export type RequestCallbacks = {
  /** Called when a request to the page's host leaves on an open connection; also for redirects and retries. */
  onSent: () => void
  /** Called when the response of such a request begins. */
  onResponse: () => void
  /** The memory budget that a large body waits for. */
  bodyMemory: BodyMemory
}

/**
 * Returns the client with these callbacks.
 * @param maxBytes maximum size of a body
 */
export const reportingClient = (
  client: HttpClient,
  { onSent, onResponse, bodyMemory }: RequestCallbacks,
  maxBytes: number,
): HttpClient => ({
  ...client,
  dispatch(options, handler) {
    const start = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (...begun) => {
      onSent()
      start?.(...begun)
    }
    const started = handler.onResponseStarted?.bind(handler)
    handler.onResponseStarted = () => {
      onResponse()
      started?.()
    }
    const responding = handler.onResponseStart?.bind(handler)
    handler.onResponseStart = (controller, status, fields, ...more) => {
      responding?.(controller, status, fields, ...more)
      const isBodyRead = hasBody(options.method, status) && !isRedirect(status, fields)
      if (isBodyRead && !controller.aborted) claimMemory(controller, handler, fields, bodyMemory, maxBytes)
    }
    client.dispatch(options, handler)
  },
})

/**
 * Claims memory for a body. A body with a Content-Length claims that size at once. A body without one claims twice the
 * bytes that have arrived, once it proves to be large.
 */
function claimMemory(
  controller: Controller,
  handler: Handler,
  fields: Fields,
  bodyMemory: BodyMemory,
  maxBytes: number,
): void {
  const announced = Number(fields['content-length'])
  const maxSize = announced >= 0 ? Math.min(announced, maxBytes) : maxBytes
  if (maxSize <= smallBody) return
  if (announced >= 0) pauseUntil(controller, bodyMemory.claim(maxSize))
  else claimAsItGrows(handler, maxSize, bodyMemory)
}

function claimAsItGrows(handler: Handler, maxSize: number, bodyMemory: BodyMemory): void {
  const take = handler.onResponseData?.bind(handler)
  let bytes = 0
  let claimed = smallBody
  handler.onResponseData = (from, chunk) => {
    take?.(from, chunk)
    bytes += chunk.length
    if (bytes <= claimed || claimed >= maxSize || from.aborted) return
    const isFirst = claimed === smallBody
    while (claimed < Math.min(bytes, maxSize)) claimed *= 2
    claimed = Math.min(claimed, maxSize)
    pauseUntil(from, isFirst ? bodyMemory.claim(claimed) : bodyMemory.grow(claimed))
  }
}

/**
 * Pauses the connection until the promise resolves. Resumes it in a new task, not in another connection's call stack.
 */
function pauseUntil(controller: Controller, granted: Promise<void> | null): void {
  if (granted === null) return
  controller.pause()
  void granted.then(() => controller.resume())
}

/**
 * Returns whether a response has a body. Responses to HEAD and with 304 have none, even if they have a Content-Length.
 */
const hasBody = (method: string, status: number): boolean =>
  method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304

const isRedirect = (status: number, { location }: Fields): boolean =>
  typeof location === 'string' && locationOf(status, { location }) !== null
