/** Records every answer that a gateway in this process sends, however a test requests it. */
import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { App } from './app.ts'
import { maxKept, recordAnswer } from './checked-answers.scene.ts'
import { profiles } from './http/domain/profile.ts'

subscribe('fastify.initialization', message => {
  const { fastify: app } = message as { fastify: App }
  app.addHook('onRequest', (request, { raw }, done) => {
    const { method, originalUrl, raw: incoming } = request
    // A request without exactly one Host is not valid HTTP, so no operation covers it.
    const hosts = incoming.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length !== 1) return done()
    const sent = listenTo(raw)
    raw.once('finish', () => {
      const profile = app.profile === profiles.openapi ? 'openapi' : 'narrative'
      recordAnswer({ profile, method, path: originalUrl, ...sent() })
    })
    done()
  })
})

/** Returns a function that returns the answer so far. */
function listenTo(raw: ServerResponse) {
  const parts: Buffer[] = []
  let length = 0
  let isEnding = false
  let headers = new Headers()
  const { write, end, writeHead } = raw
  const keep = (part: unknown) => {
    if (isEnding || length > maxKept || !(typeof part === 'string' || part instanceof Uint8Array)) return
    parts.push(Buffer.from(part as string))
    length += part.length
  }
  Object.assign(raw, {
    writeHead(status: number, ...more: unknown[]) {
      const given = more.at(-1)
      const all = { ...raw.getHeaders(), ...(typeof given === 'object' ? given : {}) }
      headers = new Headers(Object.entries(all).map(([name, value]) => [name, String(value)]))
      return Reflect.apply(writeHead, raw, [status, ...more])
    },
    write(part: unknown, ...more: unknown[]) {
      keep(part)
      return Reflect.apply(write, raw, [part, ...more])
    },
    end(part: unknown, ...more: unknown[]) {
      keep(part)
      isEnding = true // `end` may call `write`
      return Reflect.apply(end, raw, [part, ...more])
    },
  })
  return () => {
    const isStream = headers.get('content-type') === 'text/event-stream'
    return {
      status: raw.statusCode,
      headers,
      text: isStream || length > maxKept ? null : Buffer.concat(parts).toString(),
    }
  }
}
