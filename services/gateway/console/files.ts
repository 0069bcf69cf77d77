/** Serves the page of the console at all its addresses, and its scripts and styles. All of them are public. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { rangesOf } from '../http/domain/accept.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { vary } from '../http/requests/vary.ts'
import type { BuiltFiles } from './adapters/built-files.ts'

/**
 * The content security policy of the console (W3C CSP 3): scripts, styles and requests of our own origin only, and
 * nothing inline. Frames with a stored page inherit it, so a page cannot load anything either.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Policy of scripts and styles. A worker obeys the policy of its own file, so it must allow requests to this origin. */
const assetPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'"

const hidden = { hide: true }
const year = 'public, max-age=31536000, immutable'
const keyInAddress = /tmk_\w{20}/

export function fileRoutes(app: App, { readPage, readAsset }: BuiltFiles): void {
  const sendPage = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    if (keyInAddress.test(url))
      throw new ApiProblem('invalid_input', {
        reason: 'bad_value',
        message:
          'The address has an API key, which servers and browsers log. Open /console#key=… instead, and revoke this key.',
      })
    const page = await readPage()
    if (page === null)
      throw new ApiProblem('not_configured', {
        message: 'The console is not built in this installation. `npm start` and the image build it.',
      })
    return reply
      .headers({
        'content-security-policy': pagePolicy,
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(page)
  }
  app.get('/console', { schema: hidden }, sendPage)
  app.get('/console/*', { schema: hidden }, sendPage)

  const params = Type.Object({ name: Type.String() })
  app.get('/console/assets/:name', { schema: { ...hidden, params } }, async (request, reply) => {
    const file = await readAsset(request.params.name)
    if (file === null) throw new ApiProblem('not_found', { message: 'The console has no file of this name.' })
    vary(reply, 'Accept-Encoding')
      .headers({ 'cache-control': year, 'content-security-policy': assetPolicy })
      .type(file.type)
    if (!takesGzip(request)) return reply.send(file.plain)
    return reply.header('content-encoding', 'gzip').send(file.packed)
  })
}

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  rangesOf(String(headers['accept-encoding'] ?? '')).some(
    ({ type, weight }) => (type === 'gzip' || type === '*') && weight > 0,
  )
