/**
 * Shuts the gateway down gracefully: it answers open requests and accepts no new ones. While it drains it still serves, and
 * each answer closes its connection, so that clients reconnect to another gateway. Idle connections are closed at an
 * interval: Node closes them once, and a connection that was busy at that moment would delay the end until its keep-alive
 * timeout.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type HealthNews, healthChannel } from '@tidemark/contracts/health'
import type { App } from '../../app.ts'

const everyMs = 250

/** Returns a function that returns whether the process is stopping. */
export function installClosing(app: App): () => boolean {
  let letGo: NodeJS.Timeout | undefined
  let isStopping = false
  const onHealth = (message: unknown) => {
    const news = message as HealthNews
    if ('process' in news && news.process === 'stopping') isStopping = true
  }
  subscribe(healthChannel, onHealth)
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    letGo = setInterval(() => app.server.closeIdleConnections(), everyMs).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(letGo)
    unsubscribe(healthChannel, onHealth)
  })
  return () => isStopping
}
