/**
 * A gateway that is to stop answers what it was asked and takes nothing new. Connections that are kept alive are let go as
 * soon as they are idle: Node does so once, and one whose answer is being sent at that moment would hold up the end for
 * as long as it is kept alive.
 */
import type { App } from '../app.ts'

const everyMs = 250

export function installClosing(app: App): void {
  let letGo: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    letGo = setInterval(() => app.server.closeIdleConnections(), everyMs).unref()
  })
  app.addHook('onClose', async () => clearInterval(letGo))
}
