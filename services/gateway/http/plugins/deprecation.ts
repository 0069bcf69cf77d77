/**
 * A route that is on its way out says so in every answer, and what to use instead: it is marked by
 * `config: { deprecated: { since, successor } }`.
 */
import type { App } from '../../app.ts'

/** `true` as the specification has it, or `@` and the time in seconds as RFC 9745 has it. */
export type DeprecationStyle = 'true' | 'rfc9745'

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecated?: {
      /** An ISO 8601 date. */
      since: string
      /** The path to go to. */
      successor: string
    }
  }
}

const styles: Record<DeprecationStyle, (since: string) => string> = {
  true: () => 'true',
  rfc9745: since => `@${Math.floor(Date.parse(since) / 1000)}`,
}

/** To be called before any route is added. */
export function installDeprecation(app: App, style: DeprecationStyle): void {
  app.addHook('onRoute', route => {
    if (route.config?.deprecated) route.schema = { ...route.schema, deprecated: true }
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { deprecated } = request.routeOptions.config
    if (deprecated !== undefined) {
      const { since, successor } = deprecated
      const links = [reply.getHeader('link'), `<${successor}>; rel="successor-version"`]
      reply.header('deprecation', styles[style](since))
      reply.header('link', links.filter(link => link !== undefined).join(', '))
    }
    done(null, payload)
  })
}
