/**
 * A gateway that is to stop answers what it was asked and takes nothing new. While it drains it serves on, and with each
 * answer sends its client away, to another one. Connections that are kept alive are let go as soon as they are idle:
 * Node does so once, and one whose answer is being sent at that moment would hold up the end for as long as it is kept
 * alive.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type HealthNews, healthChannel } from '@tidemark/contracts/health'
import type { App } from '../../app.ts'

const everyMs = 250

/** Whether the process was told to stop. */
export function installClosing(app: App): () => boolean {
  let letGo: NodeJS.Timeout | undefined
  let isStopping = false
  const hear = (message: unknown) => {
    const news = message as HealthNews
    if ('process' in news && news.process === 'stopping') isStopping = true
  }
  subscribe(healthChannel, hear)
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    letGo = setInterval(() => app.server.closeIdleConnections(), everyMs).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(letGo)
    unsubscribe(healthChannel, hear)
  })
  return () => isStopping
}
