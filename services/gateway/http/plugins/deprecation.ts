/**
 * Announces a deprecated route and its successor in every answer. Routes declare it by
 * `config: { deprecated: { since, successor } }`.
 */
import type { App } from '../../app.ts'

/** `true` follows the specification; `rfc9745` sends `@` and the time in seconds, as RFC 9745 requires. */
export type DeprecationStyle = 'true' | 'rfc9745'

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecated?: {
      /** An ISO 8601 date. */
      since: string
      /** The path of the replacement. */
      successor: string
    }
  }
}

const styles: Record<DeprecationStyle, (since: string) => string> = {
  true: () => 'true',
  rfc9745: since => `@${Math.floor(Date.parse(since) / 1000)}`,
}

/** Installs the headers. Call it before any route is added. */
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
